package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// visit is what a look at one coordinate finds, given the margin y_i·wᵀx_i.
type visit struct {
	primal   float64 // the row's part of P: loss + ½·alpha·margin
	gap      float64 // the row's part of P − D
	gradient float64 // of the dual's negative in alpha; hinge losses only
	pushed   bool    // alpha is at a bound, and the gradient would take it beyond
	next     float64 // alpha after the step
	rest     float64 // cost − next; logistic only
	delta    float64 // next − alpha
}

// still is the gradient up to which a coordinate is left where it is.
const still = 1e-12

// hingeVisit minimises in one alpha for either hinge loss (Hsieh et al. 2008,
// equation 9). norm is the row's squared length.
func (l Loss) hingeVisit(alpha, cost, norm, margin float64) visit {
	diagonal, bound := l.box(cost)
	slack := 1 - margin
	under, over := max(0, slack), max(0, -slack)
	loss, gap := cost*under, (cost-alpha)*under
	if l == SquaredHinge {
		miss := under - float64(alpha*diagonal)
		loss, gap = cost*under*under, cost*miss*miss
	}
	v := visit{
		primal:   float64(loss) + float64(alpha*margin/2),
		gap:      float64(gap) + float64(alpha*over),
		gradient: float64(alpha*diagonal) - slack,
		next:     alpha,
	}
	v.pushed = pushedOut(alpha, bound, v.gradient)
	if v.pushed || math.Abs(v.gradient) <= still {
		return v
	}
	v.next = bound // without curvature the step runs to the bound
	if q := norm + diagonal; q > 0 {
		v.next = min(max(alpha-v.gradient/q, 0), bound)
	}
	v.delta = v.next - alpha
	return v
}

// pushedOut says whether alpha is at a bound, and the gradient g of the dual's
// negative would take it beyond.
func pushedOut(alpha, bound, g float64) bool {
	return alpha == 0 && g > 0 || alpha == bound && g < 0
}

// logisticVisit is Algorithm 5 of Yu, Huang and Lin (2011): the one-variable problem
// is solved by a few Newton steps on whichever of alpha and rest = cost − alpha is the
// better conditioned.
func logisticVisit(alpha, rest, cost, norm, margin float64) visit {
	v := visit{primal: float64(cost*xmath.Log1pExp(-margin)) + float64(alpha*margin/2)}
	start, other, sign := alpha, rest, 1.0
	if float64(0.5*norm*(rest-alpha))+margin < 0 {
		start, other, sign = rest, alpha, -1
	}
	z := start
	if cost-z < 0.5*cost {
		z *= 0.1
	}
	gradient := float64(sign*margin) + xmath.Log(start/other)
	// The row's part of P − D is the Bregman distance between alpha and the minimiser
	// at this margin, to second order:
	v.gap = gradient * gradient * start * other / (2 * cost)
	g := float64(norm*(z-start)) + float64(sign*margin) + xmath.Log(z/(cost-z))
	const accuracy, limit = 1e-3, 100
	for inner := 0; inner < limit && math.Abs(g) > accuracy; inner++ {
		curvature := norm + cost/(cost-z)/z
		if next := z - g/curvature; next > 0 {
			z = next
		} else {
			z *= 0.1
		}
		g = float64(norm*(z-start)) + float64(sign*margin) + xmath.Log(z/(cost-z))
	}
	v.next, v.rest, v.delta = z, cost-z, sign*(z-start)
	if sign < 0 {
		v.next, v.rest = v.rest, v.next
	}
	return v
}
