package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// of is cost·loss(margin).
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

// conj is the conjugate term of an alpha in the dual; rest is cost − alpha, and asked
// for by the logistic loss alone.
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

// box is the diagonal term D_i and the upper bound of alpha_i for a hinge loss.
func (l Loss) box(cost float64) (diagonal, bound float64) {
	if l == SquaredHinge {
		return 1 / (2 * cost), math.Inf(1)
	}
	return 0, cost
}

// most is the largest alpha that a row may have.
func (l Loss) most(cost float64) float64 {
	if cost == 0 {
		return 0
	}
	_, bound := l.box(cost)
	return min(bound, math.MaxFloat64)
}

// diagonal is the least curvature of the conjugate term.
func (l Loss) diagonal(cost float64) float64 {
	if l == Logistic {
		return 4 / cost
	}
	diagonal, _ := l.box(cost)
	return diagonal
}

// entropy is a·log(a/c), 0 at 0.
func entropy(a, c float64) float64 {
	if a <= 0 {
		return 0
	}
	return float64(a * xmath.Log(a/c))
}

func (s *Solver) addFold(i, side int, d float64) {
	idx, val := s.side(i, side)
	if val == nil {
		kernels.Add64(s.fold, idx, d)
	} else {
		kernels.Axpy64(s.fold, idx, val, d)
	}
}

func (s *Solver) foldDot(i int) float64 {
	idx, val := s.head(i)
	if val == nil {
		return kernels.Sum64(s.fold, idx)
	}
	return kernels.Dot64(s.fold, idx, val)
}

// start is the alpha of row i to start from. A logistic one is inside (0, C), as
// LIBLINEAR's is: the dual has no finite gradient at its ends.
func (l Loss) start(p *Problem, i int, cost float64) float64 {
	a, least := 0.0, 0.0
	if p.Alpha != nil {
		a = p.Alpha[i]
	}
	_, bound := l.box(cost)
	if l == Logistic {
		least = min(0.001*cost, 1e-8)
		bound = cost - least
	}
	return min(max(a, least), bound)
}
