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
	lanes := [8]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx { // fewer than eight
		lanes[k] += table[j]
	}
	return combined(&lanes)
}

func add64(table []float64, idx []uint32, d float64) {
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
	lanes := [8]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx { // fewer than eight
		lanes[k] += float64(float64(val[k]) * table[j])
	}
	return combined(&lanes)
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
	lanes := [8]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx { // fewer than eight
		lanes[k] += float64(square(val[k]) * table[j])
	}
	return combined(&lanes)
}

// square is exact: a float64 holds the square of every float32.
func square(v float32) float64 { return float64(v) * float64(v) }

func axpy64(table []float64, idx []uint32, val []float32, d float64) {
	for k, j := range idx {
		table[j] += float64(d * float64(val[k]))
	}
}
