package learn

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// leastSharpness and mostSharpness bound the inverse of a temperature, so that a model may have it: margins that say
// nothing of the labels give all classes about the same probability.
const leastSharpness, mostSharpness = 1e-6, 1e6

// fitTemperature fits P(k|document) = e^(m_k/T) / Σ e^(m_j/T) to margins of held-out documents, by output, by maximum
// likelihood: one number T for all classes (Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural
// Networks", ICML 2017, section 4.2), which leaves the order of the classes as it is. The negative log-likelihood is
// convex in s = 1/T. Its derivative is Σ (E[m] − m_label), of which Newton's method finds the zero; steps that leave
// the interval in which it lies halve that of log s instead.
//
// The likelihood of margins that always put the right class first has no maximum. One document in n+1 is therefore
// taken to be of every class in equal parts, n being their weight, as Platt's targets take off one document of either
// side.
func fitTemperature(held *margins) float64 {
	margins, carries, weights := held.of, held.carries, held.evidence()
	n, classes, all := len(margins[0]), float64(len(margins)), 0.0
	for _, weight := range weights {
		all += weight
	}
	wanted := 0.0 // Σ of the margins that targets ask for
	uniform := 1 / (all + 1)
	for i := range n {
		for k := range margins {
			target := uniform / classes
			if carries[k][i] {
				target += 1 - uniform
			}
			wanted += float64(weights[i] * float64(target*margins[k][i]))
		}
	}
	// gradient is the derivative at s, and the derivative of that, Σ Var[m].
	gradient := func(s float64) (first, second float64) {
		first = -wanted
		for i := range n {
			top := math.Inf(-1)
			for k := range margins {
				top = max(top, margins[k][i])
			}
			var total, mean, square float64 // of m less the largest
			for k := range margins {
				m := margins[k][i] - top
				e := xmath.Exp(float64(s * m))
				total += e
				mean += float64(e * m)
				square += float64(e * float64(m*m))
			}
			mean /= total
			first += float64(weights[i] * (mean + top))
			second += float64(weights[i] * (square/total - float64(mean*mean)))
		}
		return first, second
	}
	const rounds = 100
	lo, hi, s := leastSharpness, mostSharpness, 1.0
	for range rounds {
		first, second := gradient(s)
		if first < 0 {
			lo = s
		} else {
			hi = s
		}
		next := s - first/second
		if !(next > lo && next < hi) {
			next = math.Sqrt(lo * hi)
		}
		if math.Abs(next-s) <= float64(1e-9*s) {
			break
		}
		s = next
	}
	return 1 / s
}
