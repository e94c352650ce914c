package learn

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

const (
	// ownSlope is how many distinct documents must have a label, and how many must lack it, for the label to get a
	// slope of its own: with fewer, the slope is mostly chance. The number is a guess that was not compared with
	// others.
	ownSlope = 10
	// leastSlope is the least product of a slope and the largest margin. It gives margins that say nothing about the
	// labels nearly the same probability, and keeps their order.
	leastSlope = 1e-3
)

// fitPlatt fits P(y=1|m) = 1/(1+exp(A·m+B)) to each output's margins of held-out documents. Probabilities keep the
// order of margins: A is below 0. Outputs whose label is rare, or whose own slope is not below 0, have the slope that
// is the most likely one for all outputs, and an intercept of their own.
func fitPlatt(m *margins) []model.Platt {
	weights := m.evidence()
	sigmoids, outputs := make([]model.Platt, len(m.of)), make([]*sigmoid, len(m.of))
	var others []int // outputs that have no slope of their own
	for i := range m.of {
		of := weights
		if m.positive != nil && m.positive[i] != 1 {
			of = slices.Clone(weights)
			for n, carries := range m.carries[i] {
				if carries {
					of[n] *= m.positive[i]
				}
			}
		}
		outputs[i] = newSigmoid(m.of[i], m.carries[i], of)
		documents, positive := m.count(i)
		a, b := fitSigmoids(outputs[i:i+1], math.NaN())
		if sigmoids[i] = (model.Platt{A: a, B: b[0]}); len(m.of) > 1 && min(positive, documents-positive) < ownSlope ||
			a > outputs[i].mostSlope() {
			others = append(others, i)
		}
	}
	if len(others) == 0 {
		return sigmoids
	}
	shared := 0.0
	if len(outputs) > 1 {
		shared, _ = fitSigmoids(outputs, math.NaN())
	}
	for _, i := range others {
		a, b := fitSigmoids(outputs[i:i+1], min(shared, outputs[i].mostSlope()))
		sigmoids[i] = model.Platt{A: a, B: b[0]}
	}
	return sigmoids
}

// sigmoid holds the margins and targets that a sigmoid is fitted to.
type sigmoid struct {
	margins, weights []float64
	targets          []float64 // probabilities, smoothed as Platt does
	intercept        float64   // to start from
}

func newSigmoid(margins []float64, carries []bool, weights []float64) *sigmoid {
	var up, down float64
	for i, p := range carries {
		if p {
			up += weights[i]
		} else {
			down += weights[i]
		}
	}
	s := &sigmoid{
		margins: margins, weights: weights, targets: make([]float64, len(margins)),
		intercept: xmath.Log((down + 1) / (up + 1)),
	}
	high, low := (up+1)/(up+2), 1/(down+2)
	for i, p := range carries {
		if s.targets[i] = low; p {
			s.targets[i] = high
		}
	}
	return s
}

// mostSlope returns the largest slope that keeps the order of margins apart.
func (s *sigmoid) mostSlope() float64 {
	largest := 0.0
	for _, m := range s.margins {
		largest = max(largest, math.Abs(m))
	}
	if largest == 0 {
		return -leastSlope
	}
	return -leastSlope / largest
}

// loss returns Σ −t·log p − (1−t)·log(1−p), with z = A·m+B and p = 1/(1+exp z).
func (s *sigmoid) loss(a, b float64) (sum float64) {
	for i, m := range s.margins {
		z := float64(a*m) + b
		sum += float64(s.weights[i] * (float64(s.targets[i]*z) + xmath.Log1pExp(-z)))
	}
	return sum
}

// fitSigmoids fits sigmoids with one slope A and an intercept B each by maximum likelihood. If fixed is a number, it is
// the slope. Newton's method with backtracking, as of Lin, Lin and Weng, "A note on Platt's probabilistic outputs for
// support vector machines", Machine Learning 2007, appendix C; intercepts are eliminated from the step.
func fitSigmoids(all []*sigmoid, fixed float64) (a float64, b []float64) {
	const (
		sigma   = 1e-12 // keeps the Hessian positive definite
		rounds  = 100
		small   = 1e-5 // gradient at which to stop
		minStep = 1e-10
	)
	free := math.IsNaN(fixed)
	if !free {
		a = fixed
	}
	b, next := make([]float64, len(all)), make([]float64, len(all))
	value := 0.0
	for k, s := range all {
		b[k] = s.intercept
		value += s.loss(a, b[k])
	}
	h22, h21, g2, db := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all)),
		make([]float64, len(all))
	for range rounds {
		h11, g1, steepest := sigma, 0.0, 0.0
		for k, s := range all {
			h22[k], h21[k], g2[k] = sigma, 0, 0
			for i, m := range s.margins {
				p := xmath.Sigmoid(-(float64(a*m) + b[k]))
				d2, d1 := float64(s.weights[i]*float64(p*(1-p))), float64(s.weights[i]*(s.targets[i]-p))
				h11 += float64(float64(m*m) * d2)
				h22[k] += d2
				h21[k] += float64(m * d2)
				g1 += float64(m * d1)
				g2[k] += d1
			}
			steepest = max(steepest, math.Abs(g2[k]))
		}
		if free {
			steepest = max(steepest, math.Abs(g1))
		}
		if steepest < small {
			break
		}
		da := 0.0
		if free {
			left, right := h11, g1 // of the step without intercepts
			for k := range all {
				left -= float64(h21[k] * h21[k] / h22[k])
				right -= float64(h21[k] * g2[k] / h22[k])
			}
			da = -right / max(left, sigma)
		}
		slope := float64(g1 * da)
		for k := range all {
			db[k] = -(g2[k] + float64(h21[k]*da)) / h22[k]
			slope += float64(g2[k] * db[k])
		}
		step := 1.0
		for ; step >= minStep; step /= 2 {
			na, loss := a+float64(step*da), 0.0
			for k, s := range all {
				next[k] = b[k] + float64(step*db[k])
				loss += s.loss(na, next[k])
			}
			if loss < value+float64(1e-4*step*slope) {
				a, value = na, loss
				b, next = next, b
				break
			}
		}
		if step < minStep {
			break
		}
	}
	return a, b
}
