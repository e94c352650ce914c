package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// of returns cost·loss(margin).
func (l Loss) of(margin, cost float64) float64 {
	switch l {
	case Hinge:
		return float64(cost * max(0, 1-margin))
	case SquaredHinge:
		xi := max(0, 1-margin)
		return float64(cost * xi * xi)
	default:
		return float64(cost * xmath.Log1pExp(-margin))
	}
}

// conj returns the conjugate term of an alpha in the dual; rest is cost − alpha, and needed
// by the logistic loss alone.
func (l Loss) conj(alpha, rest, cost float64) float64 {
	switch l {
	case Hinge:
		return -alpha
	case SquaredHinge:
		return float64(alpha*alpha)/(4*cost) - alpha
	default:
		return entropy(alpha, cost) + entropy(rest, cost)
	}
}

// box returns the diagonal term D_i and the upper bound of alpha_i for a hinge loss.
func (l Loss) box(cost float64) (diagonal, bound float64) {
	if l == SquaredHinge {
		return 1 / (2 * cost), math.Inf(1)
	}
	return 0, cost
}

// diagonal returns the least curvature of the conjugate term.
func (l Loss) diagonal(cost float64) float64 {
	if l == Logistic {
		return 4 / cost
	}
	diagonal, _ := l.box(cost)
	return diagonal
}

// entropy returns a·log(a/c), 0 at 0.
func entropy(a, c float64) float64 {
	if a <= 0 {
		return 0
	}
	return float64(a * xmath.Log(a/c))
}

// start returns the alpha to start from. A logistic one is inside (0, C), as LIBLINEAR's is: the
// dual has no finite gradient at its ends.
func (l Loss) start(cost float64) float64 {
	if l == Logistic {
		return min(0.001*cost, 1e-8)
	}
	return 0
}

// nearest returns the alpha nearest to another one that may be started from.
func (l Loss) nearest(alpha, cost float64) float64 {
	least := l.start(cost)
	if l == Logistic {
		return min(max(alpha, least), cost-least)
	}
	_, bound := l.box(cost)
	return min(max(alpha, least), bound)
}

// atBound reports whether a row of a hinge loss is at a bound at a margin.
func (l Loss) atBound(alpha, cost, margin float64) bool {
	if l == Logistic {
		return false
	}
	diagonal, bound := l.box(cost)
	return isAtBound(alpha, bound, float64(alpha*diagonal)-(1-margin))
}

// update is what one coordinate update finds, given the margin.
type update struct {
	primal   float64 // the row's part of P where it has no offset: loss + ½·alpha·margin
	gap      float64 // the row's part of P − D
	gradient float64 // of the dual's negative in alpha; hinge losses only
	atBound  bool    // alpha is at a bound, and the gradient would take it beyond
	next     float64 // alpha after the step
	rest     float64 // cost − next; logistic only
	delta    float64 // next − alpha
}

// still is the gradient up to which a coordinate is left where it is.
const still = 1e-12

// update minimizes the dual's negative in one alpha: for the hinge losses in closed form, equation
// 9 of Hsieh et al. (2008). norm is the row's squared length; rest is cost − alpha, and needed by
// the logistic loss alone.
func (l Loss) update(alpha, rest, cost, norm, margin float64) update {
	if l == Logistic {
		return logisticUpdate(alpha, rest, cost, norm, margin)
	}
	diagonal, bound := l.box(cost)
	slack := 1 - margin
	under, over := max(0, slack), max(0, -slack)
	loss, gap := cost*under, (cost-alpha)*under
	if l == SquaredHinge {
		miss := under - float64(alpha*diagonal)
		loss, gap = cost*under*under, cost*miss*miss
	}
	v := update{
		primal:   float64(loss) + float64(alpha*margin/2),
		gap:      float64(gap) + float64(alpha*over),
		gradient: float64(alpha*diagonal) - slack,
		next:     alpha,
	}
	v.atBound = isAtBound(alpha, bound, v.gradient)
	if v.atBound || math.Abs(v.gradient) <= still {
		return v
	}
	v.next = bound // without curvature the step runs to the bound
	if q := norm + diagonal; q > 0 {
		v.next = min(max(alpha-v.gradient/q, 0), bound)
	}
	v.delta = v.next - alpha
	return v
}

// isAtBound reports whether alpha is at a bound and would leave its box by the gradient g of the
// dual's negative: its projected gradient is 0 (Hsieh et al. 2008, equation 8).
func isAtBound(alpha, bound, g float64) bool {
	return alpha == 0 && g > 0 || alpha == bound && g < 0
}

// logisticUpdate returns Algorithm 5 of Yu, Huang and Lin (2011): the one-variable problem
// is solved by a few Newton steps on whichever of alpha and rest = cost − alpha is the
// better conditioned.
func logisticUpdate(alpha, rest, cost, norm, margin float64) update {
	v := update{primal: float64(cost*xmath.Log1pExp(-margin)) + float64(alpha*margin/2)}
	start, other, sign := alpha, rest, 1.0
	if float64(0.5*norm*(rest-alpha))+margin < 0 {
		start, other, sign = rest, alpha, -1
	}
	z := start
	if cost-z < 0.5*cost {
		z *= 0.1
	}
	gradient := float64(sign*margin) + xmath.Log(start/other)
	// The row's part of P − D is the Bregman distance between alpha and the minimizer
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
