package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
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

	// threadEntries is how many entries of a batch, on average, are worth a thread, and half as many where slots are
	// far away: then ten million documents of 91 n-grams, which go in batches of 32, are solved in .75 of the time.
	threadEntries = 1 << 11
)

// setBatch sets how many rows a batch has.
func (s *single) setBatch(rows int) {
	s.size = rows
	s.inPieces = s.all().to > 1 && s.worth(rows) > 1
}

// worth returns how many threads a batch has work for.
func (s *single) worth(rows int) int {
	entries := int64(rows) * s.x.NNZ() / int64(s.x.Rows)
	if len(s.slots) > cachedSlots {
		entries *= 2
	}
	return int(entries / threadEntries)
}

// chooseBatch returns the size of batches for the problem at hand.
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

// similarity returns rho, from a sample: the largest eigenvalue of the matrix of
// x_i·x_k/√((‖x_i‖²+D_i)·(‖x_k‖²+D_k)), 0 where i is k, by a few steps of power
// iteration, over the number of rows.
func (s *single) similarity() float64 {
	const rows, part, steps = 256, 32, 3
	var sample [rows]int // few will be the same
	var v, scale [rows]float64
	random := xmath.SplitMix(1)
	for k := range sample {
		i := int(s.order[random.IntN(len(s.order))])
		r := &s.rows[i]
		sample[k], v[k] = i, 1
		scale[k] = float64(r.scale*r.y) * inverseRoot(r.norm+s.loss.diagonal(r.cost))
	}
	last, rho := float64(rows), 0.0
	for range steps {
		s.byPieces(func(of pieces) {
			clear(s.exactU[s.bounds[of.from]:s.bounds[of.to]])
			for k, i := range sample {
				s.within(i, of).add64(s.exactU, v[k]*scale[k])
			}
		})
		par.Chunks(s.opts.Threads, rows, part, func(_, lo, hi int) {
			for k := lo; k < hi; k++ {
				i := sample[k]
				self := float64(s.head(i).squares(s.slots)*scale[k]) * scale[k]
				v[k] = float64(s.squaresDot(i)*scale[k]) - float64(self*v[k])
			}
		})
		square := 0.0
		for _, x := range v {
			square += float64(x * x)
		}
		if square == 0 {
			return 0 // no two rows have a column in common
		}
		rho = math.Sqrt(square/last) / (rows - 1)
		last = square
	}
	return rho
}

// squaresDot returns Σ X_ij·s_j²·exactU_j over a row's shared columns.
func (s *single) squaresDot(i int) float64 {
	row := s.head(i)
	var sum float64
	for k, j := range row.idx() {
		v := float64(s.exactU[j] * float64(s.slots[j].S))
		sum += float64(v * row.value(k))
	}
	return sum
}

// batch is what the threads of an epoch have in common.
type batch struct {
	// sums are those of the rows by piece, of all in the first where there are no pieces. What different threads write
	// is on different lines of the cache.
	sums  [mostPieces][mostBatch + 16]float32
	steps [mostBatch]float32 // of the rows: delta·y·c·a
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
	threads := 1
	if s.inPieces {
		// Threads that share a processor would wait for each other all the time.
		threads = max(min(s.opts.Threads, par.Processors(), s.all().to, s.worth(s.size)), 1)
	}
	par.Team(threads, func(m *par.Member) { s.walk(order, m, shrink, &seen) })
	return seen
}

// walk does the work of one member of a team in an epoch.
func (s *single) walk(order []int32, m *par.Member, shrink *shrinker, seen *pass) {
	mine := s.all().share(m.Number, m.Of)
	var lo, hi int
	update := func() { s.updateBatch(order, lo, hi, shrink, seen) }
	for lo = 0; lo < len(order); lo = hi {
		hi = min(lo+s.size, len(order))
		s.sumBatch(order, lo, hi, mine)
		m.Alone(update)
		for k, step := range s.batch.steps[:hi-lo] {
			if step != 0 {
				s.within(int(order[lo+k]), mine).add(s.slots, step)
			}
		}
	}
}

// sumBatch adds up the slots of a batch's rows in some pieces.
func (s *single) sumBatch(order []int32, lo, hi int, of pieces) {
	sums := &s.batch.sums
	for k := range hi - lo {
		i := int(order[lo+k])
		s.prefetch(order, lo+k, of)
		if !s.inPieces {
			sums[0][k] = s.head(i).dot(s.slots)
			continue
		}
		at, ends, from := s.starts[i], s.endsOf(i), int64(0)
		if of.from > 0 {
			from = int64(ends[of.from-1])
		}
		for p := of.from; p < of.to; p++ {
			end := int64(ends[p])
			sums[p][k] = part{s.x, at + from, at + end}.dot(s.slots)
			from = end
		}
	}
}

// sum returns the sum over all pieces of a batch's k-th row.
func (s *single) sum(k int) float32 {
	sum := s.batch.sums[0][k]
	if s.inPieces {
		for p := 1; p < s.all().to; p++ {
			sum += s.batch.sums[p][k]
		}
	}
	return sum
}

// updateBatch finds the steps of a batch's rows, the lo-th to the hi-th of the order, by their
// sums.
func (s *single) updateBatch(order []int32, lo, hi int, shrink *shrinker, seen *pass) {
	b := &s.batch
	var v update
	for k := lo; k < hi; k++ {
		r := &s.rows[order[k]]
		offset := s.p.offset(int(order[k]))
		margin := float64(r.scale*s.sum(k-lo)) + float64(r.alpha*r.own) + float64(float64(r.y)*s.bias[r.threshold]) + offset
		s.loss.update(&v, r.alpha, r.rest, r.cost, r.norm, margin)
		v.primal -= float64(r.alpha * offset / 2)
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
		gain := float64(v.delta*v.delta) * (r.norm + s.loss.diagonal(r.cost))
		seen.gain += float64(gain)
		r.gain = float32(min(gain, math.MaxFloat32))
		r.moved += v.delta
		r.alpha = v.next
		b.steps[k-lo] = float32(v.delta) * r.scale
		s.bias[r.threshold] += float64(v.delta * float64(r.y) * s.biasSquare)
	}
}
