package solver

import "github.com/seed-167f963f/nbsvm/internal/kernels"

// tile is a number for each of the rows that are worked on at once. Where rows have many of the columns, their scaled
// values are laid out as a tile for each column, in multiples of four.
type tile = kernels.Tile

const tileRows = len(tile{})

// row returns row i of the problems.
func (s *newton) row(i int) (idx []uint32, val []float32) { return s.x.Row(s.given(i)) }

// given returns which row of x row i of the problems is.
func (s *newton) given(i int) int {
	if given := s.problems[0].Row; given != nil {
		return int(given[i])
	}
	return i
}

// bias returns the column of a row's bias feature.
func (s *newton) bias(i int) int {
	if thresholds := s.problems[0].Threshold; thresholds != nil {
		return s.x.Cols + int(thresholds[i])
	}
	return s.x.Cols
}

// fill lays out n rows from lo on.
func (s *newton) fill(x []tile, lo, n int) {
	clear(x)
	indptr, indices, values := s.x.Indptr, s.x.Indices, s.x.Values
	for k := range n {
		i, scale := s.given(lo+k), s.scale[lo+k]
		from, to := indptr[i], indptr[i+1]
		idx := indices[from:to]
		if values == nil {
			for _, j := range idx {
				x[j][k&(tileRows-1)] = scale
			}
		} else {
			val := values[from:to][:len(idx)]
			for m, j := range idx {
				x[j][k&(tileRows-1)] = float64(scale * float64(val[m]))
			}
		}
		x[s.bias(lo+k)][k] = s.opts.Bias
	}
}

// tilesAt returns where rows from lo on are laid out for good.
func (s *newton) tilesAt(lo int) []tile { return s.tiles[lo/tileRows*len(s.u):][:len(s.u)] }

// overTiles calls work for all rows from lo to hi, n at a time; x is what they are laid out as, or nil.
func (s *newton) overTiles(lo, hi int, work func(at, n int, x []tile)) {
	var x []tile
	if s.dense && s.tiles == nil {
		select {
		case x = <-s.spare:
		default:
			x = make([]tile, len(s.u))
		}
		defer func() { s.spare <- x }()
	}
	for at := lo; at < hi; at += tileRows {
		n := min(tileRows, hi-at)
		switch {
		case s.tiles != nil:
			x = s.tilesAt(at)
		case s.dense:
			s.fill(x, at, n)
		}
		work(at, n, x)
	}
}

// dots makes the products of u and n rows from lo on.
func (s *newton) dots(lo, n int, x []tile, products *tile) {
	if x == nil {
		for k := range n {
			i := lo + k
			idx, val := s.row(i)
			products[k] = float64(kernels.Dot64(s.u, idx, val)*s.scale[i]) + float64(s.u[s.bias(i)]*s.opts.Bias)
		}
		return
	}
	clear(products[:])
	for j := 0; j < len(x); j += 4 {
		a, b, c, d := &x[j], &x[j+1], &x[j+2], &x[j+3]
		p, q, r, t := s.u[j], s.u[j+1], s.u[j+2], s.u[j+3]
		for k := range products {
			products[k] += (float64(p*a[k]) + float64(q*b[k])) + (float64(r*c[k]) + float64(t*d[k]))
		}
	}
}

// addRows adds multiples of n rows from lo on to v.
func (s *newton) addRows(part *newtonPart, lo, n int, x []tile, times *tile) {
	if x == nil {
		for k, by := range times[:n] {
			if i := lo + k; by != 0 {
				idx, val := s.row(i)
				kernels.Axpy64(part.v, idx, val, float64(by*s.scale[i]))
				part.v[s.bias(i)] += float64(by * s.opts.Bias)
			}
		}
		return
	}
	kernels.DotTiles(part.v, times, x)
}

// deriveRows brings the matrix of a part to the curvatures of n rows from lo on: of many that are laid out as x, all at
// once.
func (s *newton) deriveRows(m *newtonMember, part *newtonPart, lo, n int, x []tile) {
	const many = tileRows / 4
	var changes tile
	var changed [tileRows]int
	count := 0
	for k, alpha := range m.alphas[lo:][:n] {
		i := lo + k
		cost, known := m.p.Cost(i), s.known[i] && s.loss.Loss != Logistic
		active := s.loss.isCurved(alpha, cost)
		if active == known {
			continue
		}
		s.known[i] = active
		changes[k] = s.loss.curvature(alpha, cost)
		if known {
			changes[k] = -s.loss.curvature(0, cost)
		}
		changed[count] = k
		count++
	}
	if x != nil && count >= many {
		part.addSquares(x, &changes)
		return
	}
	for _, k := range changed[:count] {
		s.addSquare(part, lo+k, changes[k])
	}
}

// addSquares adds multiples of x·xᵀ to the matrix.
func (part *newtonPart) addSquares(x []tile, times *tile) {
	for j := range x {
		var y tile
		for k := range y {
			y[k] = float64(times[k] * x[j][k])
		}
		some := (j | 3) + 1 // columns, in multiples of four
		kernels.DotTiles(part.matrix[j*len(x):][:some], &y, x[:some])
	}
}

// addSquare adds a multiple of x·xᵀ to the matrix of a part.
func (s *newton) addSquare(part *newtonPart, i int, times float64) {
	idx, val := s.row(i)
	scale, bias := s.scale[i], s.bias(i)
	values := part.values[:len(idx)]
	for k := range values {
		values[k] = scale
		if val != nil {
			values[k] = float64(scale * float64(val[k]))
		}
	}
	last := part.matrix[bias*len(s.u):]
	for k, j := range idx {
		y, line := float64(times*values[k]), part.matrix[int(j)*len(s.u):][:s.columns]
		for m, l := range idx[:k+1] {
			line[l] += float64(y * values[m])
		}
		last[j] += float64(y * s.opts.Bias)
	}
	last[bias] += float64(float64(times*s.opts.Bias) * s.opts.Bias)
}
