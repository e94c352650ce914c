package bayes

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Posterior sets dst[k] to P(k|document) = exp(joint[k]) / Σ exp(joint), from the joint log-likelihoods of all classes:
// their softmax. It does not overflow. Classes whose joint is +Inf share a probability of 1 equally, and so do all
// classes if each joint is -Inf. A NaN makes all results NaN. dst may be joint.
func Posterior(dst, joint []float64) {
	checkLength("Posterior", "joint", len(dst), len(joint))
	if len(joint) == 0 {
		return
	}
	top := joint[0]
	for _, x := range joint[1:] {
		top = max(top, x) // NaN if any is
	}
	var sum float64
	for k, x := range joint {
		e := 1.0
		if x != top || math.IsNaN(x) {
			e = xmath.Exp(x - top)
		}
		dst[k] = e
		sum += e
	}
	for k := range dst {
		dst[k] /= sum
	}
}
