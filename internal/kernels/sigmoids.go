package kernels

import "github.com/seed-167f963f/nbsvm/internal/xmath"

// leastSigmoid is what a lower argument of [Sigmoids] is taken for, so that no result is denormal.
const leastSigmoid = -700

// Sigmoids replaces each x by the logistic function of it, 1/(1+e^-x), as [xmath.Sigmoid] has it; of x below -700, by
// that of -700, which is 1e-304. None may be NaN.
func Sigmoids(x []float64) {
	if onAMD64 && useVectors {
		if fours := len(x) &^ 3; fours > 0 {
			sigmoidsVector(x[:fours])
			x = x[fours:]
		}
	}
	for i, v := range x {
		x[i] = xmath.Sigmoid(max(v, leastSigmoid))
	}
}
