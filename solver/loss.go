package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// rowLoss is the loss of rows. That of regression is a hinge loss on either side of the target: where alpha is 0 or more
// it is max(0, −z−ε), with a conjugate term of ½·D·alpha² + ε·alpha; where alpha is less, the mirror image. The hinge
// losses have ε = −1 and no other side.
type rowLoss struct {
	Loss
	epsilon float64
	still   float64 // the gradient up to which a coordinate is left where it is; targets are of any size
}

// rowLoss returns the loss of rows.
func (o *Options) rowLoss() rowLoss {
	if o.Loss.IsRegression() {
		return rowLoss{o.Loss, o.Epsilon, 0}
	}
	return rowLoss{o.Loss, -1, 1e-12}
}

// isSquared reports whether the loss is the square of how much a margin is short of.
func (l Loss) isSquared() bool { return l == SquaredHinge || l == SquaredEpsilonInsensitive }

// side returns −1 where the mirror image of a hinge loss counts for a row, and otherwise 1.
func (l rowLoss) side(alpha, margin float64) float64 {
	if !l.IsRegression() {
		return 1
	}
	if alpha == 0 {
		alpha = -margin
	}
	return math.Copysign(1, alpha) // without a branch on what no CPU can guess
}

// excess returns by how much a margin is where it costs, or less than 0; not for the logistic loss.
func (l rowLoss) excess(margin float64) float64 {
	if l.IsRegression() {
		return math.Abs(margin) - l.epsilon
	}
	return 1 - margin
}

// of returns cost·loss(margin).
func (l rowLoss) of(margin, cost float64) float64 {
	if l.Loss == Logistic {
		return float64(cost * xmath.Log1pExp(-margin))
	}
	return l.ofExcess(max(0, l.excess(margin)), cost)
}

// ofExcess returns the cost of an excess of 0 or more.
func (l Loss) ofExcess(excess, cost float64) float64 {
	if l.isSquared() {
		return float64(cost * excess * excess)
	}
	return float64(cost * excess)
}

// conj returns the conjugate term of an alpha in the dual; rest is cost − alpha, and needed
// by the logistic loss alone.
func (l rowLoss) conj(alpha, rest, cost float64) float64 {
	linear := float64(l.epsilon * math.Abs(alpha))
	switch {
	case l.Loss == Logistic:
		return entropy(alpha, cost) + entropy(rest, cost)
	case l.isSquared():
		return float64(alpha*alpha)/(4*cost) + linear
	}
	return linear
}

// box returns the diagonal term D_i and the upper bound of |alpha_i|; not for the logistic loss.
func (l Loss) box(cost float64) (diagonal, bound float64) {
	if l.isSquared() {
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
	if l.IsRegression() {
		least = -bound
	}
	return min(max(alpha, least), bound)
}

// atBound reports whether a row is at a bound at a margin, as none is of the logistic loss.
func (l rowLoss) atBound(alpha, cost, margin float64) bool {
	if l.Loss == Logistic {
		return false
	}
	diagonal, bound := l.box(cost)
	side := l.side(alpha, margin)
	return isAtBound(side*alpha, bound, float64(side*alpha*diagonal)-(-l.epsilon-float64(side*margin)))
}

// update is what one coordinate update finds, given the margin.
type update struct {
	primal   float64 // the row's part of P where it has no offset: loss + ½·alpha·margin
	gap      float64 // the row's part of P − D
	gradient float64 // of the dual's negative in |alpha|; not of the logistic loss
	atBound  bool    // alpha is at a bound, and the gradient would take it beyond
	next     float64 // alpha after the step
	rest     float64 // cost − next; logistic only
	delta    float64 // next − alpha
}

// update finds v: it minimizes the dual's negative in one alpha: for all but the logistic loss in closed form, equation
// 9 of Hsieh et al. (2008) and Algorithm 3 of Ho and Lin (2012). norm is the row's squared length; rest is cost − alpha,
// and needed by the logistic loss alone.
func (l *rowLoss) update(v *update, alpha, rest, cost, norm, margin float64) {
	if l.Loss == Logistic {
		*v = logisticUpdate(alpha, rest, cost, norm, margin)
		return
	}
	diagonal, bound := l.box(cost)
	side := l.side(alpha, margin)
	size, z := float64(side*alpha), float64(side*margin)
	slack := -l.epsilon - z
	under, over := max(0, slack), max(0, -slack)
	loss, gap := cost*under, (cost-size)*under
	if l.isSquared() {
		miss := under - float64(size*diagonal)
		loss, gap = cost*under*under, cost*miss*miss
	}
	// Field by field, as CPUs wait for what is copied as a whole just after it was written in parts.
	v.primal, v.gap = float64(loss)+float64(size*z/2), float64(gap)+float64(size*over)
	v.gradient, v.next, v.rest, v.delta = float64(size*diagonal)-slack, alpha, 0, 0
	if l.IsRegression() && z > l.epsilon { // the loss is on the side that alpha speaks against
		far := l.ofExcess(z-l.epsilon, cost)
		v.primal += far
		v.gap += far
	}
	v.atBound = isAtBound(size, bound, v.gradient)
	if v.atBound || math.Abs(v.gradient) <= l.still {
		return
	}
	v.next = float64(side * l.least(size, v.gradient, norm+diagonal, bound))
	v.delta = v.next - alpha
}

// least returns the alpha at which the dual's negative is least, given its gradient on the side of alpha ≥ 0 and its
// curvature, without which the step runs to a bound.
func (l rowLoss) least(alpha, gradient, curvature, bound float64) float64 {
	curvature = max(curvature, math.SmallestNonzeroFloat64)
	next := alpha - gradient/curvature
	if next < 0 && l.IsRegression() {
		return max(min(alpha-(gradient-float64(2*l.epsilon))/curvature, 0), -bound)
	}
	return min(max(next, 0), bound)
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
