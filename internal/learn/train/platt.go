package train

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// fitPlatt fits P(y=1|m) = 1/(1+exp(A·m+B)) to margins of held-out documents by
// maximum likelihood with Platt's smoothed targets: Newton's method with
// backtracking, Lin, Lin and Weng, "A note on Platt's probabilistic outputs for
// support vector machines", Machine Learning 2007, appendix C.
func fitPlatt(margins []float64, positive []bool) model.Platt {
	var up, down float64
	for _, p := range positive {
		if p {
			up++
		} else {
			down++
		}
	}
	high, low := (up+1)/(up+2), 1/(down+2)
	a, b := 0.0, xmath.Log((down+1)/(up+1))
	target := func(i int) float64 {
		if positive[i] {
			return high
		}
		return low
	}
	loss := func(a, b float64) float64 {
		var sum float64
		for i, m := range margins {
			// −t·log p − (1−t)·log(1−p), with z = A·m+B and p = 1/(1+exp z)
			z := float64(a*m) + b
			sum += float64(target(i)*z) + xmath.Log1pExp(-z)
		}
		return sum
	}
	const (
		sigma   = 1e-12 // keeps the Hessian positive definite
		rounds  = 100
		small   = 1e-5 // gradient at which to stop
		minStep = 1e-10
	)
	value := loss(a, b)
	for range rounds {
		h11, h22, h21, g1, g2 := sigma, sigma, 0.0, 0.0, 0.0
		for i, m := range margins {
			p := xmath.Sigmoid(-(float64(a*m) + b))
			d2, d1 := float64(p*(1-p)), target(i)-p
			h11 += float64(float64(m*m) * d2)
			h22 += d2
			h21 += float64(m * d2)
			g1 += float64(m * d1)
			g2 += d1
		}
		if math.Abs(g1) < small && math.Abs(g2) < small {
			break
		}
		det := float64(h11*h22) - float64(h21*h21)
		da := -(float64(h22*g1) - float64(h21*g2)) / det
		db := -(float64(h11*g2) - float64(h21*g1)) / det
		slope := float64(g1*da) + float64(g2*db)
		step := 1.0
		for ; step >= minStep; step /= 2 {
			na, nb := a+float64(step*da), b+float64(step*db)
			if next := loss(na, nb); next < value+float64(1e-4*step*slope) {
				a, b, value = na, nb, next
				break
			}
		}
		if step < minStep {
			break
		}
	}
	return model.Platt{A: a, B: b}
}
