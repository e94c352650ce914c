package kernels

// The kernels of this file work in float64 on tables of one number a feature.
// They serve what must be exact to rounding: sums of feature values, and the
// duality gap that certifies a solution.

// Dot64 returns Σ val[k]·table[idx[k]]. Values that are nil are all 1.
func Dot64(table []float64, idx []uint32, val []float32) float64 {
	if val == nil {
		if useVectors && len(table) > 0 {
			if sum, done := sum64Vector(table, idx); done == len(idx) {
				return sum
			}
		}
		return sum64(table, idx)
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(table) > 0 {
		if sum, done := dot64Vector(table, idx, val); done == len(idx) {
			return sum
		}
	}
	return dot64(table, idx, val)
}

// SumSquares64 returns Σ val[k]²·table[idx[k]].
func SumSquares64(table []float64, idx []uint32, val []float32) float64 {
	checkLengths(len(idx), len(val))
	if useVectors && len(table) > 0 {
		if sum, done := sumSquares64Vector(table, idx, val); done == len(idx) {
			return sum
		}
	}
	return sumSquares64(table, idx, val)
}

// Axpy64 adds d·val[k] to table[idx[k]] for every k. Values that are nil are all 1.
func Axpy64(table []float64, idx []uint32, val []float32, d float64) {
	if val == nil {
		if useVectors && len(table) > 0 {
			idx = idx[add64Vector(table, idx, d):]
		}
		add64(table, idx, d)
		return
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(table) > 0 {
		done := axpy64Vector(table, idx, val, d)
		idx, val = idx[done:], val[done:]
	}
	axpy64(table, idx, val, d)
}

// The plain loops of the float64 kernels: see slots.go.

func sum64(table []float64, idx []uint32) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
	for len(idx) >= 8 {
		g := idx[:8:8]
		l0 += table[g[0]]
		l1 += table[g[1]]
		l2 += table[g[2]]
		l3 += table[g[3]]
		l4 += table[g[4]]
		l5 += table[g[5]]
		l6 += table[g[6]]
		l7 += table[g[7]]
		idx = idx[8:]
	}
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += table[idx[6]]
		fallthrough
	case 6:
		l5 += table[idx[5]]
		fallthrough
	case 5:
		l4 += table[idx[4]]
		fallthrough
	case 4:
		l3 += table[idx[3]]
		fallthrough
	case 3:
		l2 += table[idx[2]]
		fallthrough
	case 2:
		l1 += table[idx[1]]
		fallthrough
	case 1:
		l0 += table[idx[0]]
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

func add64(table []float64, idx []uint32, d float64) {
	for len(idx) >= 4 {
		g := idx[:4:4]
		table[g[0]] += d
		table[g[1]] += d
		table[g[2]] += d
		table[g[3]] += d
		idx = idx[4:]
	}
	for _, j := range idx {
		table[j] += d
	}
}

func dot64(table []float64, idx []uint32, val []float32) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
	for len(idx) >= 8 {
		g, v := idx[:8:8], val[:8:8]
		l0 += float64(float64(v[0]) * table[g[0]])
		l1 += float64(float64(v[1]) * table[g[1]])
		l2 += float64(float64(v[2]) * table[g[2]])
		l3 += float64(float64(v[3]) * table[g[3]])
		l4 += float64(float64(v[4]) * table[g[4]])
		l5 += float64(float64(v[5]) * table[g[5]])
		l6 += float64(float64(v[6]) * table[g[6]])
		l7 += float64(float64(v[7]) * table[g[7]])
		idx, val = idx[8:], val[8:]
	}
	val = val[:len(idx)]
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += float64(float64(val[6]) * table[idx[6]])
		fallthrough
	case 6:
		l5 += float64(float64(val[5]) * table[idx[5]])
		fallthrough
	case 5:
		l4 += float64(float64(val[4]) * table[idx[4]])
		fallthrough
	case 4:
		l3 += float64(float64(val[3]) * table[idx[3]])
		fallthrough
	case 3:
		l2 += float64(float64(val[2]) * table[idx[2]])
		fallthrough
	case 2:
		l1 += float64(float64(val[1]) * table[idx[1]])
		fallthrough
	case 1:
		l0 += float64(float64(val[0]) * table[idx[0]])
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

func sumSquares64(table []float64, idx []uint32, val []float32) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
	for len(idx) >= 8 {
		g, v := idx[:8:8], val[:8:8]
		l0 += float64(square(v[0]) * table[g[0]])
		l1 += float64(square(v[1]) * table[g[1]])
		l2 += float64(square(v[2]) * table[g[2]])
		l3 += float64(square(v[3]) * table[g[3]])
		l4 += float64(square(v[4]) * table[g[4]])
		l5 += float64(square(v[5]) * table[g[5]])
		l6 += float64(square(v[6]) * table[g[6]])
		l7 += float64(square(v[7]) * table[g[7]])
		idx, val = idx[8:], val[8:]
	}
	val = val[:len(idx)]
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += float64(square(val[6]) * table[idx[6]])
		fallthrough
	case 6:
		l5 += float64(square(val[5]) * table[idx[5]])
		fallthrough
	case 5:
		l4 += float64(square(val[4]) * table[idx[4]])
		fallthrough
	case 4:
		l3 += float64(square(val[3]) * table[idx[3]])
		fallthrough
	case 3:
		l2 += float64(square(val[2]) * table[idx[2]])
		fallthrough
	case 2:
		l1 += float64(square(val[1]) * table[idx[1]])
		fallthrough
	case 1:
		l0 += float64(square(val[0]) * table[idx[0]])
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

// square is exact: a float64 holds the square of every float32.
func square(v float32) float64 { return float64(v) * float64(v) }

func axpy64(table []float64, idx []uint32, val []float32, d float64) {
	for k, j := range idx {
		table[j] += float64(d * float64(val[k]))
	}
}
