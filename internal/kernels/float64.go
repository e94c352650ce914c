package kernels

// The kernels of this file work in float64 on tables of one number a feature. They serve what must be exact to
// rounding: sums of feature values, and the duality gap that certifies a solution. Assembly for them made no command
// faster.

// Dot64 returns Σ val[k]·table[idx[k]]. Values that are nil are all 1.
func Dot64(table []float64, idx []uint32, val []float32) float64 {
	var lanes [8]float64
	if val == nil {
		for k, j := range idx {
			lanes[k%8] += table[j]
		}
		return combined(&lanes)
	}
	checkLengths(len(idx), len(val))
	for k, j := range idx {
		lanes[k%8] += float64(float64(val[k]) * table[j])
	}
	return combined(&lanes)
}

// SumSquares64 returns Σ val[k]²·table[idx[k]]. It squares values exactly: a float64 holds the square of every float32.
func SumSquares64(table []float64, idx []uint32, val []float32) float64 {
	checkLengths(len(idx), len(val))
	var lanes [8]float64
	for k, j := range idx {
		v := float64(val[k])
		lanes[k%8] += float64(float64(v*v) * table[j])
	}
	return combined(&lanes)
}

// Axpy64 adds d·val[k] to table[idx[k]] for every k. Values that are nil are all 1.
func Axpy64(table []float64, idx []uint32, val []float32, d float64) {
	if val == nil {
		for _, j := range idx {
			table[j] += d
		}
		return
	}
	checkLengths(len(idx), len(val))
	for k, j := range idx {
		table[j] += float64(d * float64(val[k]))
	}
}
