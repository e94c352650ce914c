package distributed

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Newton is a training by Newton's method, under way. The vectors that it computes with have an entry for each
// column that several rows have, one for the bias, and one for all columns of each row alone: along these, weights
// are a multiple of the row.
type Newton struct {
	s       *Simulation
	weights []float64
	// Of the gradient: what the rows' slopes add up to, and the diagonal of the Hessian.
	slopes, diagonal []float64
	// Of the conjugate gradients: the step so far, what it leaves of the gradient, this and the direction
	// preconditioned, and the Hessian times the direction.
	step, rest, direction, product []float64
	restNorm, aim                  float64   // of rest, preconditioned: what it is, and what ends the iterations
	scaled                         []float64 // a vector times the scales of columns
	margins, curvatures            []float64 // of rows
	inProducts                     bool      // the next round is a product, else a gradient
	primal, dual, gap              float64
	round                          int
}

// NewNewton deals out the rows of a problem.
func NewNewton(p *Problem, o Options) (*Newton, error) {
	if p.Loss == solver.Hinge {
		return nil, errors.New("distributed: Newton's method takes a loss with a slope everywhere: squared-hinge or logistic")
	}
	o.Method = Averaging // steps that are not made smaller for what other workers do
	s, err := New(p, o)
	if err != nil {
		return nil, err
	}
	for k := range s.workers {
		slices.Sort(s.workers[k].rows) // as they lie in memory: any order does
	}
	n := &Newton{s: s, gap: 1, primal: s.atZero}
	size := len(s.u) + 1 + len(s.rows)
	for _, v := range []*[]float64{
		&n.weights, &n.slopes, &n.diagonal, &n.step, &n.rest, &n.direction, &n.product, &n.scaled,
	} {
		*v = make([]float64, size)
	}
	n.margins, n.curvatures = make([]float64, len(s.rows)), make([]float64, len(s.rows))
	return n, nil
}

// Round runs one: the workers compute a gradient, or a product with the Hessian, and add up what they have found. The
// gap is that of the weights which the latest gradient is of.
func (n *Newton) Round(ctx context.Context) (Round, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n.round++
	r := Round{Number: n.round}
	var err error
	if n.inProducts {
		err = n.multiply(ctx, &r)
	} else {
		err = n.gradient(ctx, &r)
	}
	r.Primal, r.Dual, r.Gap = n.primal, n.dual, n.gap
	return r, err
}

// Decisions are those of all rows, of workers or not.
func (n *Newton) Decisions() []float64 {
	s := n.s
	n.scale(n.weights)
	decisions := make([]float64, s.p.X.Rows)
	for i := range decisions {
		idx, val := s.split(i)
		dot := float64(kernels.Dot64(n.scaled, idx, val) * s.p.rowScale(i))
		decisions[i] = dot + float64(s.p.Bias*n.weights[len(s.u)])
	}
	return decisions
}

// gradient computes it and the diagonal of the Hessian, and how far the weights are from the optimum: alphas are the
// slopes of the rows' losses.
func (n *Newton) gradient(ctx context.Context, r *Round) error {
	s := n.s
	clear(n.slopes)
	clear(n.diagonal)
	var losses, conjugates float64
	err := n.each(ctx, r, func(i int) {
		slope, curvature := s.p.Loss.Derivatives(n.margins[i], s.p.Cost)
		losses += s.p.Loss.Value(n.margins[i], s.p.Cost)
		conjugates += s.p.Loss.Conjugate(-slope, s.p.Cost)
		n.curvatures[i] = curvature
		if slope == 0 && curvature == 0 {
			return
		}
		n.add(n.slopes, i, slope)
		n.addSquares(i, curvature)
	})
	if err != nil {
		return err
	}
	defer n.share(r, threadTime())
	n.reduce(n.slopes, 1)
	n.reduce(n.diagonal, 2)
	r.Messages = Messages{Workers: len(s.workers), Dense: 2 * 4 * (s.shared + 1)}
	var ofWeights, ofAlphas float64
	n.restNorm = 0
	for j, w := range n.weights {
		ofWeights += float64(w * w)
		ofAlphas += float64(n.slopes[j] * n.slopes[j])
		n.diagonal[j]++
		g := w + n.slopes[j]
		n.step[j], n.rest[j] = 0, -g
		n.direction[j] = -g / n.diagonal[j]
		n.restNorm += float64(g * g / n.diagonal[j])
	}
	n.primal, n.dual = float64(ofWeights/2)+losses, -float64(ofAlphas/2)-conjugates
	n.gap = (n.primal - n.dual) / n.primal
	n.aim = float64(forcing * forcing * n.restNorm)
	n.inProducts = true
	return nil
}

const (
	// forcing is what part of the gradient a step leaves, measured with the preconditioner: LIBLINEAR's.
	forcing = 0.1
	// decrease is what part of the slope a step has to gain, of which length steps are halved until then.
	decrease = 0.01
	// mostHalvings is how often: a convex function falls along a step long before.
	mostHalvings = 30
)

// multiply makes an iteration of conjugate gradients, and the step when they are done.
func (n *Newton) multiply(ctx context.Context, r *Round) error {
	s := n.s
	n.scale(n.direction)
	clear(n.product)
	err := n.each(ctx, r, func(i int) {
		if d := n.curvatures[i]; d != 0 {
			n.add(n.product, i, float64(d*n.dot(n.direction, i)))
		}
	})
	if err != nil {
		return err
	}
	before := threadTime()
	n.reduce(n.product, 1)
	r.Messages = Messages{Workers: len(s.workers), Dense: 4 * (s.shared + 1)}
	var curvature float64
	for j, d := range n.direction {
		n.product[j] += d
		curvature += float64(d * n.product[j])
	}
	length := n.restNorm / curvature
	norm := 0.0
	for j, d := range n.direction {
		n.step[j] += float64(length * d)
		n.rest[j] -= float64(length * n.product[j])
		norm += float64(n.rest[j] * n.rest[j] / n.diagonal[j])
	}
	again := norm / n.restNorm
	n.restNorm = norm
	for j, d := range n.direction {
		n.direction[j] = n.rest[j]/n.diagonal[j] + float64(again*d)
	}
	n.share(r, before)
	if n.restNorm > n.aim {
		return nil
	}
	return n.search(ctx, r)
}

// search makes the step, or a half of it, a quarter and so on, if that gains more. Sums of losses alone are sent.
func (n *Newton) search(ctx context.Context, r *Round) error {
	s := n.s
	n.scale(n.step)
	along := n.product // of rows, what a step changes their margins by
	err := n.each(ctx, r, func(i int) { along[i] = n.dot(n.step, i) })
	if err != nil {
		return err
	}
	defer n.share(r, threadTime())
	var square, cross, slope float64
	for j, w := range n.weights {
		d := n.step[j]
		square += float64(d * d)
		cross += float64(w * d)
		slope += float64((w + n.slopes[j]) * d)
	}
	length := 1.0
	for range mostHalvings {
		gain := float64(length*cross) + float64(length*length*square/2)
		for k := range s.workers {
			for _, i := range s.workers[k].rows {
				gain += s.p.Loss.Value(n.margins[i]+float64(length*along[i]), s.p.Cost) -
					s.p.Loss.Value(n.margins[i], s.p.Cost)
			}
		}
		if gain <= float64(decrease*length*slope) {
			break
		}
		length /= 2
	}
	for j := range n.weights {
		n.weights[j] += float64(length * n.step[j])
	}
	for k := range s.workers {
		for _, i := range s.workers[k].rows {
			n.margins[i] += float64(length * along[i])
		}
	}
	n.inProducts = false
	return nil
}

// each does something with each row, worker after worker, on the clock.
func (n *Newton) each(ctx context.Context, r *Round, do func(i int)) error {
	var slowest time.Duration
	for k := range n.s.workers {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := threadTime()
		for _, i := range n.s.workers[k].rows {
			do(int(i))
		}
		took := threadTime() - before
		slowest, r.Work = max(slowest, took), r.Work+took
	}
	r.Slowest += slowest
	return nil
}

// share counts what has been computed since, of which each worker does its part.
func (n *Newton) share(r *Round, since time.Duration) {
	took := threadTime() - since
	r.Slowest, r.Work = r.Slowest+took/time.Duration(len(n.s.workers)), r.Work+took
}

// scale makes scaled of a vector.
func (n *Newton) scale(v []float64) {
	for j, c := range n.s.p.ColScale[:len(n.s.u)] {
		n.scaled[j] = float64(v[j] * float64(c))
	}
}

// dot is the product of a row, times its label, with a vector of which scaled was made.
func (n *Newton) dot(v []float64, i int) float64 {
	s := n.s
	idx, val := s.split(i)
	r := &s.rows[i]
	bias, own := len(s.u), len(s.u)+1+i
	return float64(kernels.Dot64(n.scaled, idx, val)*float64(r.scale)) +
		float64(float64(float64(r.y)*s.p.Bias)*v[bias]) + float64(math.Sqrt(r.own)*v[own])
}

// add adds a row, times its label and a factor, to a vector that is to be reduced.
func (n *Newton) add(v []float64, i int, factor float64) {
	s := n.s
	idx, val := s.split(i)
	r := &s.rows[i]
	kernels.Axpy64(v, idx, val, float64(factor*float64(r.scale)))
	v[len(s.u)] += float64(factor * float64(r.y) * s.p.Bias)
	v[len(s.u)+1+i] += float64(factor * math.Sqrt(r.own))
}

// addSquares adds the squares of a row's entries, times a factor, to the diagonal.
func (n *Newton) addSquares(i int, factor float64) {
	s := n.s
	idx, val := s.split(i)
	r := &s.rows[i]
	d := float64(factor * float64(r.scale) * float64(r.scale))
	if val == nil {
		kernels.Axpy64(n.diagonal, idx, nil, d)
	} else {
		for k, j := range idx {
			n.diagonal[j] += float64(d * float64(val[k]) * float64(val[k]))
		}
	}
	n.diagonal[len(s.u)] += float64(factor * s.p.Bias * s.p.Bias)
	n.diagonal[len(s.u)+1+i] += float64(factor * r.own)
}

// reduce makes the sum over all workers of what their rows have added, in single precision as it is sent. What is of a
// column is multiplied with its scale, squares twice.
func (n *Newton) reduce(v []float64, times int) {
	for j, c := range n.s.p.ColScale[:len(n.s.u)] {
		v[j] = float64(float32(v[j]))
		for range times {
			v[j] *= float64(c)
		}
	}
}
