package bench

import (
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// ranks draws ranks 0 to n-1 by the continuous power law x^-exponent on [1, n+1),
// cut into unit steps, by inverting its distribution function.
type ranks struct {
	n        int
	exponent float64
	// steps[k] is the rank of the probability k/steps. Where two neighbours agree,
	// all between them does: most draws need no exponential.
	steps []uint32
}

const rankSteps = 1 << 16

func newRanks(n int, exponent float64) *ranks {
	r := &ranks{n: n, exponent: exponent}
	steps := make([]uint32, rankSteps+1)
	for k := range steps {
		steps[k] = uint32(r.at(float64(k) / rankSteps))
	}
	r.steps = steps
	return r
}

func (r *ranks) draw(s *splitmix.Source) int {
	u := uniform(s)
	k := int(u * rankSteps)
	if low := r.steps[k]; low == r.steps[k+1] {
		return int(low)
	}
	return r.at(u)
}

// at is the rank at a probability.
func (r *ranks) at(u float64) int {
	top := float64(r.n + 1)
	var x float64
	if e := 1 - r.exponent; logarithmic(e) {
		x = xmath.Exp(u * xmath.Log(top))
	} else {
		x = xmath.Exp(xmath.Log(1+float64(u*(xmath.Exp(e*xmath.Log(top))-1))) / e)
	}
	return min(max(int(x)-1, 0), r.n-1)
}

// share is the probability of a rank.
func (r *ranks) share(rank int) float64 {
	return r.below(float64(rank+2)) - r.below(float64(rank+1))
}

// below is the distribution function.
func (r *ranks) below(x float64) float64 {
	top := float64(r.n + 1)
	e := 1 - r.exponent
	if logarithmic(e) {
		return xmath.Log(x) / xmath.Log(top)
	}
	return (xmath.Exp(e*xmath.Log(x)) - 1) / (xmath.Exp(e*xmath.Log(top)) - 1)
}

// logarithmic says that x^e has to be taken as its limit, a logarithm.
func logarithmic(e float64) bool { return e > -1e-9 && e < 1e-9 }
