package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// stream solves problems on a matrix that is not in memory. What is: 8 bytes a column and
// 13 a row for every problem, and some rows at a time.
//
// An epoch takes the blocks in random order, so many at a time as Matrix.Resident entries
// allow, and updates these rows in random order, Inner times, while the next are fetched; see rests for
// those that are passed over. Such are
// the block minimisation of Yu, Hsieh, Chang and Lin, "Large linear classification when
// data cannot fit in memory" (KDD 2010), with their Algorithm 2 for the dual, except that
// blocks are drawn anew every time. The duality gap is that of the whole problem, which
// takes a pass over all blocks.
type stream struct {
	common
	Matrix
	members []streamMember
	order   []int // of blocks
	epochs  int
	chunks  [2]chunk
}

// unknown is what a stream knows of a row that it has not initialised.
var unknown = float32(math.NaN())

// streamMember is one of the problems.
type streamMember struct {
	p     *Problem
	slots []kernels.Slot
	alpha []float64
	rest  []float64 // logistic alone: C_i − alpha_i
	// known is c_i·a_i where rows have unit length, else ‖x_i‖², without the bias; NaN
	// before the row is initialised.
	known []float32
	order []int32 // of a chunk's rows

	solution
	bias float64
	sums objective
	done bool
}

// StreamBytes is the memory that so many problems on a source of rows and columns take,
// without rows under way.
func StreamBytes(rows, columns, problems int, l Loss) int64 {
	row := int64(8 + 4)
	if l == Logistic {
		row += 8
	}
	return int64(problems) * (row*int64(rows) + 8*int64(columns))
}

func newStream(m Matrix) *stream {
	return &stream{Matrix: m, order: make([]int, m.Source.Blocks())}
}

// checksum is of the shape alone: who has the source must tell its rows apart.
func (s *stream) checksum() uint32 {
	shape := []int64{int64(s.Source.Rows()), int64(s.Source.Cols()), int64(s.Source.Blocks()), int64(s.Resident), int64(s.Inner)}
	return checksum.Add(0, shape)
}

func (s *stream) stats(problem int) *Stats { return &s.members[problem].solution.stats }

func (s *stream) weights(problem int, dst []float32) ([]float32, float64) {
	m := &s.members[problem]
	dst = slices.Grow(dst[:0], len(m.slots))[:len(m.slots)]
	for j := range dst {
		dst[j] = m.p.weight(j, m.slots[j].U)
	}
	return dst, m.bias
}

// begin lays out what is in memory.
func (s *stream) begin() {
	n, v := s.Source.Rows(), s.Source.Cols()
	if len(s.members) != len(s.problems) {
		s.release()
		s.members = make([]streamMember, len(s.problems))
		for k := range s.members {
			m := &s.members[k]
			m.slots = table[kernels.Slot](&s.common, v)
			m.alpha, m.known = table[float64](&s.common, n), table[float32](&s.common, n)
			if s.opts.Loss == Logistic {
				m.rest = table[float64](&s.common, n)
			}
		}
	}
	s.epochs = 0
	inChunks(s.opts.Threads, len(s.members), 1, func(k, _, _ int) {
		m := &s.members[k]
		*m = streamMember{p: &s.problems[k], slots: m.slots, alpha: m.alpha, rest: m.rest, known: m.known, order: m.order, solution: solution{gapRatio: newGapRatio(s.opts.Loss)}}
		for j := range m.slots {
			m.slots[j] = m.p.slot(j)
		}
		for i := range m.alpha {
			cost := m.p.cost(i)
			m.alpha[i], m.known[i] = 0, unknown
			if cost > 0 {
				m.alpha[i] = s.opts.Loss.start(cost)
				m.primal += s.opts.Loss.of(0, cost)
			}
			if m.rest != nil {
				m.rest[i] = cost - m.alpha[i]
			}
		}
	})
}

// over says whether there is nothing left to do.
func (s *stream) over() bool {
	for k := range s.members {
		if !s.members[k].done {
			return false
		}
	}
	return true
}

// certifyEvery is how many epochs pass between certificates while some problems may be solved and others not.
const certifyEvery = 4

// step is an epoch of all problems that are not solved, and what is learned from it.
func (s *stream) step(ctx context.Context) (Epoch, error) {
	s.epochs++
	epoch := Epoch{Number: s.epochs, Active: s.Source.Rows(), Gap: math.NaN()}
	s.inOrder()
	splitmix.Shuffle(&s.random, s.order)
	for k := range s.members {
		s.members[k].seen = pass{}
	}
	seed := splitmix.Source(s.random.Uint64())
	err := s.pass(ctx, s.order, func(c *chunk) {
		s.each(func(m *streamMember) { s.updateAll(m, c, seed) })
	})
	if err != nil {
		return epoch, err
	}
	due, all := false, true
	for k := range s.members {
		m := &s.members[k]
		if m.done {
			continue
		}
		m.stats.Epochs++
		if m.seen.primal > 0 {
			m.primal = m.seen.primal
		}
		estimate := s.estimate(m)
		isDue := m.stats.Epochs == s.opts.MaxEpochs || s.epochs > 1 && m.gapRatio.gap(estimate, true) <= s.opts.Tol
		due, all = due || isDue, all && isDue
	}
	// A certificate takes as long as an epoch, and all problems get one together.
	if due = due && (all || s.epochs%certifyEvery == 0); due {
		if err := s.certify(ctx); err != nil {
			return epoch, err
		}
	}
	for k := range s.members {
		m := &s.members[k]
		if !m.inRange(m.bias) {
			return epoch, s.overflow(ctx, m)
		}
		epoch.Estimate = max(epoch.Estimate, s.estimate(m))
		if due && !(epoch.Gap >= m.stats.Gap) {
			epoch.Gap = m.stats.Gap
		}
	}
	return epoch, nil
}

// inOrder puts the blocks in order.
func (s *stream) inOrder() {
	for b := range s.order {
		s.order[b] = b
	}
}

// estimate is the relative gap as the last epoch saw it.
func (s *stream) estimate(m *streamMember) float64 {
	if s.epochs == 1 {
		return 1 // the gap at alpha 0; so near to it the logistic loss can't estimate any
	}
	return relative(m.seen.gap, m.primal)
}

// each calls work for every problem that is not solved, on several threads.
func (s *stream) each(work func(m *streamMember)) {
	inChunks(s.opts.Threads, len(s.members), 1, func(k, _, _ int) {
		if m := &s.members[k]; !m.done {
			work(m)
		}
	})
}
