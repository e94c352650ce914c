package solver

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
)

// An epoch goes in batches. The margins of a batch's rows are computed with the slots as they
// were before it, then their steps are made in turn. That is what gives threads
// something to do side by side, and one thread sums that don't wait for steps. The
// bias, which all rows share, is always the latest.
//
// Steps that don't know of each other are too long together where rows are alike: with
// rho the largest eigenvalue of the matrix of all x_i·x_k, relative to ‖x_i‖² + D_i and
// to the number of rows, a batch steps too far from about 2/rho rows on. Batches have
// at most reach/rho rows.
const (
	mostBatch    = 64
	batchesEpoch = 64  // an epoch has at least so many batches
	reach        = 1.5 // most rows of a batch times rho

	// sidesFrom is how many entries a batch has, on average, from which sides are worth
	// two threads.
	sidesFrom = 1 << 12
)

// setBatch sets how many rows a batch has.
func (s *single) setBatch(rows int) {
	s.size = rows
	s.sides = s.middle < len(s.slots) && int64(rows)*s.x.NNZ() >= sidesFrom*int64(len(s.rows))
}

// chooseBatch is the size of batches for the problem at hand.
func (s *single) chooseBatch() int {
	most := min(mostBatch, len(s.order)/batchesEpoch)
	size := 1
	if most < 2 {
		return size
	}
	rho := s.similarity()
	for 2*size <= most && float64(2*size)*rho <= reach {
		size *= 2
	}
	return size
}

// similarity is rho, from a sample: the largest eigenvalue of the matrix of
// x_i·x_k/√((‖x_i‖²+D_i)·(‖x_k‖²+D_k)), 0 where i is k, by a few steps of power
// iteration, over the number of rows.
func (s *single) similarity() float64 {
	const rows, steps = 256, 3
	var sample [rows]int // few will be the same
	var v, scale [rows]float64
	random := splitmix.Source(1)
	for k := range sample {
		i := int(s.order[random.IntN(len(s.order))])
		r := &s.rows[i]
		sample[k], v[k] = i, 1
		scale[k] = float64(r.scale*r.y) * inverseRoot(r.norm+s.opts.Loss.diagonal(r.cost))
	}
	last, rho := float64(rows), 0.0
	for range steps {
		clear(s.exactU)
		for k, i := range sample {
			s.head(i).add64(s.exactU, v[k]*scale[k])
		}
		square := 0.0
		for k, i := range sample {
			self := float64(s.head(i).squares(s.slots)*scale[k]) * scale[k]
			v[k] = float64(s.squaresDot(i)*scale[k]) - float64(self*v[k])
			square += float64(v[k] * v[k])
		}
		if square == 0 {
			return 0 // no two rows have a column in common
		}
		rho = math.Sqrt(square/last) / (rows - 1)
		last = square
	}
	return rho
}

// squaresDot is Σ X_ij·s_j²·exactU_j over a row's shared columns.
func (s *single) squaresDot(i int) float64 {
	row := s.head(i)
	var sum float64
	for k, j := range row.idx {
		v := float64(s.exactU[j] * float64(s.slots[j].S))
		sum += float64(v * row.value(k))
	}
	return sum
}

// batch is what the threads of an epoch have in common.
type batch struct {
	sums    [mostBatch]float32 // of the rows, on the left or on both sides
	steps   [mostBatch]float32 // of the rows: delta·y·c·a
	_       [64]byte           // what the right side writes has lines of its own
	others  [mostBatch]float32 // sums of the right side
	_       [64]byte
	summed  counter // batches whose sums the right side has
	_       [64]byte
	updated counter // batches whose steps are known
	_       [64]byte
}

// counter counts what one thread has done for another one.
type counter struct{ done atomic.Int64 }

// wait waits until n is reached: spinning while this can't take long, then letting
// others have the processor, as this thread's partner may be waiting for one. To sleep
// takes far longer than a batch, so it comes last, after half a millisecond or more.
func (c *counter) wait(n int64) {
	const spins, yields = 1 << 10, 1 << 12
	for try := 0; c.done.Load() < n; try++ {
		switch {
		case try > spins+yields:
			time.Sleep(20 * time.Microsecond)
		case try > spins:
			runtime.Gosched()
		}
	}
}

// epoch updates the active rows once.
func (s *single) epoch(shrink *shrinker) pass {
	order := s.order[:shrink.active]
	seen := s.updateAll(order, shrink)
	shrink.remove(order)
	shrink.next(seen.largest, seen.smallest)
	return seen
}

// updateAll makes the updates of rows in turn, batch by batch.
func (s *single) updateAll(order []int32, shrink *shrinker) pass {
	seen := newPass()
	s.batch.summed.done.Store(0)
	s.batch.updated.done.Store(0)
	if s.sides && s.opts.Threads > 1 {
		inParallel(2, func(thread int) { s.walk(order, left+thread, shrink, &seen) })
	} else {
		s.walk(order, both, shrink, &seen)
	}
	return seen
}

// walk goes through an epoch for one side of the columns, or for both. The right side
// leaves updates to the left one.
func (s *single) walk(order []int32, side int, shrink *shrinker, seen *pass) {
	b := &s.batch
	for lo := 0; lo < len(order); lo += s.size {
		hi := min(lo+s.size, len(order))
		s.sumBatch(order, lo, hi, side)
		n := int64(lo/s.size) + 1
		switch side {
		case left:
			b.summed.wait(n)
			for k := range hi - lo {
				b.sums[k] += b.others[k]
			}
		case right:
			b.summed.done.Store(n)
			b.updated.wait(n)
		}
		if side != right {
			s.updateBatch(order, lo, hi, shrink, seen)
			b.updated.done.Store(n)
		}
		for k := lo; k < hi; k++ {
			if step := b.steps[k-lo]; step != 0 {
				s.side(int(order[k]), side).add(s.slots, step)
			}
		}
	}
}

// sumBatch adds up the slots of a batch's rows on a side.
func (s *single) sumBatch(order []int32, lo, hi, side int) {
	sums := &s.batch.sums
	if side == right {
		sums = &s.batch.others
	}
	for k := lo; k < hi; k++ {
		i := int(order[k])
		s.prefetch(order, k, side)
		if side == both && s.sides {
			sums[k-lo] = s.side(i, left).dot(s.slots) + s.side(i, right).dot(s.slots)
		} else {
			sums[k-lo] = s.side(i, side).dot(s.slots)
		}
	}
}

// updateBatch finds the steps of a batch's rows, the lo-th to the hi-th of the order, by their
// sums.
func (s *single) updateBatch(order []int32, lo, hi int, shrink *shrinker, seen *pass) {
	b := &s.batch
	for k := lo; k < hi; k++ {
		r := &s.rows[order[k]]
		margin := float64(r.scale*b.sums[k-lo]) + float64(r.alpha*r.own) + float64(float64(r.y)*s.bias)
		v := s.opts.Loss.update(r.alpha, r.rest, r.cost, r.norm, margin)
		r.rest = v.rest
		if s.opts.Loss != Logistic {
			if shrink.leavesOut(r, &v) {
				shrink.removed = append(shrink.removed, int32(k))
			} else {
				seen.note(&v)
			}
		}
		if r.fresh {
			r.fresh = false
			v.delta = v.next
		}
		seen.updates++
		seen.primal += v.primal
		seen.gap += v.gap
		gain := float64(v.delta*v.delta) * (r.norm + s.opts.Loss.diagonal(r.cost))
		seen.gain += float64(gain)
		r.gain = float32(min(gain, math.MaxFloat32))
		r.moved += v.delta
		r.alpha = v.next
		b.steps[k-lo] = float32(v.delta) * r.scale
		s.bias += float64(v.delta * float64(r.y) * s.biasSquare)
	}
}
