package bayes

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// LogPrior sets dst[k] to log(N_k/N), where weight[k] = N_k is the weight of the
// documents of class k and N their sum. A class without documents gets -Inf. It
// panics if lengths differ or if no weight is above 0.
func LogPrior(dst, weight []float64) {
	checkLength("LogPrior", "class weights", len(dst), len(weight))
	total := Total(weight)
	if !(total > 0) {
		panic("bayes: LogPrior of classes that weigh nothing: at least one document must weigh more than 0")
	}
	logTotal := xmath.Log(total)
	for k, w := range weight {
		dst[k] = xmath.Log(w) - logTotal
	}
}

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
