package bayes

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
)

// Posterior sets dst[k] to P(k|document) = e**joint_k / Σ e**joint, from the joint
// log-likelihoods of all classes. It does not overflow, whatever their size: the
// largest is subtracted first. Classes that are infinitely more likely than the
// others (or all classes, where every one is impossible) share 1 equally. NaN in
// gives NaN out. dst may be joint.
func Posterior(dst, joint []float64) {
	checkLength("Posterior", "log-likelihoods", len(dst), len(joint))
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
