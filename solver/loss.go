package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// loss is C·loss(margin).
func (s *Solver) loss(margin, cost float64) float64 {
	switch s.opts.Loss {
	case Hinge:
		return float64(cost * max(0, 1-margin))
	case SquaredHinge:
		xi := max(0, 1-margin)
		return float64(cost * xi * xi)
	default:
		return float64(cost * xmath.Log1pExp(-margin))
	}
}

// conj is the conjugate term of alpha_i in the dual.
func (s *Solver) conj(i int, r *row) float64 {
	a, cost := r.alpha, r.cost
	switch s.opts.Loss {
	case Hinge:
		return -a
	case SquaredHinge:
		return float64(a*a)/(4*cost) - a
	default:
		return entropy(a, cost) + entropy(s.rest[i], cost)
	}
}

// entropy is a·log(a/c), 0 at 0.
func entropy(a, c float64) float64 {
	if a <= 0 {
		return 0
	}
	return float64(a * xmath.Log(a/c))
}

func (s *Solver) addDual(r *row, d float64) {
	idx, val := s.head(r)
	if val == nil {
		kernels.Add64(s.dual, idx, d)
	} else {
		kernels.Axpy64(s.dual, idx, val, d)
	}
}

func (s *Solver) foldDot(r *row) float64 {
	idx, val := s.head(r)
	if val == nil {
		return kernels.Sum64(s.fold, idx)
	}
	return kernels.Dot64(s.fold, idx, val)
}

// startLogistic puts alpha inside (0, C), as LIBLINEAR does: the logistic dual
// has no finite gradient at its ends. The slots start from the same alpha.
func (s *Solver) startLogistic() {
	if s.rest == nil {
		s.rest = make([]float64, len(s.rows))
	}
	for _, i := range s.order {
		r := &s.rows[i]
		r.alpha = min(0.001*r.cost, 1e-8)
		s.rest[i] = r.cost - r.alpha
		s.step(r, r.alpha)
	}
}

// logisticEpoch is Algorithm 5 of Yu, Huang and Lin (2011): every row's
// one-variable problem is solved by a few Newton steps on whichever of alpha and
// C − alpha is the better conditioned.
func (s *Solver) logisticEpoch(active []int32) pass {
	seen := pass{visited: len(active)}
	for k, i := range active {
		s.prefetch(active, k)
		r := &s.rows[i]
		b := s.margin(r)
		seen.primal += float64(r.cost*xmath.Log1pExp(-b)) + float64(r.alpha*b/2)
		a := r.norm
		old, sign := &r.alpha, 1.0
		other := &s.rest[i]
		if float64(0.5*a*(*other-*old))+b < 0 {
			old, other, sign = other, old, -1
		}
		start := *old
		z := start
		if r.cost-z < 0.5*r.cost {
			z *= 0.1
		}
		gradient := float64(sign*b) + xmath.Log(start/(*other))
		// Row i's part of P − D is the Bregman distance between alpha_i and the
		// minimiser at this margin, to second order:
		seen.gap += gradient * gradient * start * (*other) / (2 * r.cost)
		g := float64(a*(z-start)) + float64(sign*b) + xmath.Log(z/(r.cost-z))
		const accuracy, limit = 1e-3, 100
		for inner := 0; inner < limit && math.Abs(g) > accuracy; inner++ {
			curvature := a + r.cost/(r.cost-z)/z
			if next := z - g/curvature; next > 0 {
				z = next
			} else {
				z *= 0.1
			}
			g = float64(a*(z-start)) + float64(sign*b) + xmath.Log(z/(r.cost-z))
		}
		if delta := z - start; delta != 0 {
			*old, *other = z, r.cost-z
			s.step(r, sign*delta)
		}
	}
	return seen
}
