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
	var lanes [8]float64
	for k, j := range idx {
		lanes[k%8] += table[j]
	}
	return combined(&lanes)
}

func add64(table []float64, idx []uint32, d float64) {
	for _, j := range idx {
		table[j] += d
	}
}

func dot64(table []float64, idx []uint32, val []float32) float64 {
	var lanes [8]float64
	for k, j := range idx {
		lanes[k%8] += float64(float64(val[k]) * table[j])
	}
	return combined(&lanes)
}

// sumSquares64 squares values exactly: a float64 holds the square of every float32.
func sumSquares64(table []float64, idx []uint32, val []float32) float64 {
	var lanes [8]float64
	for k, j := range idx {
		v := float64(val[k])
		lanes[k%8] += float64(float64(v*v) * table[j])
	}
	return combined(&lanes)
}

func axpy64(table []float64, idx []uint32, val []float32, d float64) {
	for k, j := range idx {
		table[j] += float64(d * float64(val[k]))
	}
}
