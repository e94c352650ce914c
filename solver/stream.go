package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Source is a matrix whose rows come block by block, from a file that is larger than
// memory, say.
type Source interface {
	Rows() int
	Cols() int
	Blocks() int
	// Range is the rows of a block: from first to the one before end.
	Range(block int) (first, end int)
	// Append adds the rows of a block at the end of x, which is empty or holds others. Calls
	// come one at a time.
	Append(ctx context.Context, block int, x *sparse.CSR) error
	// Ahead says that a block will be asked for soon.
	Ahead(block int)
}

// Stream solves problems on a matrix that is not in memory. What is: 8 bytes a column and
// 13 a row for every problem, and some rows at a time.
//
// An epoch takes the blocks in random order, so many at a time as Resident entries allow,
// and visits these rows in random order, Inner times, while the next are fetched. Such are
// the block minimisation of Yu, Hsieh, Chang and Lin, "Large linear classification when
// data cannot fit in memory" (KDD 2010), with their Algorithm 2 for the dual, except that
// blocks are drawn anew every time. The duality gap is that of the whole problem, which
// takes a pass over all blocks. Not for concurrent use.
type Stream struct {
	memory
	source  Source
	o       StreamOptions
	opts    Options
	members []streamed
	random  splitmix.Source
	order   []int // of blocks
	epochs  int
	chunks  [2]chunk
	data    uint32 // the checksum of the problems, where states are asked for
}

// StreamOptions say how much is in memory at a time, and what is done to it.
type StreamOptions struct {
	Resident int // entries of rows that are visited together, at least 1; twice as many are in memory
	Inner    int // visits of each of them before the next are fetched, at least 1
}

// Validate reports the first option out of its range.
func (o StreamOptions) Validate() error {
	if o.Resident < 1 || o.Inner < 1 {
		return fmt.Errorf("solver: %d entries at a time, visited %d times, want 1 or more of both", o.Resident, o.Inner)
	}
	return nil
}

// streamed is one of the problems.
type streamed struct {
	p     Problem
	slots []kernels.Slot
	alpha []float64
	rest  []float64 // logistic alone: C_i − alpha_i
	// scale is c_i·a_i where rows have unit length, else ‖x_i‖², without the bias; NaN
	// before the row is met.
	known []float32
	order []int32 // of a chunk's rows

	bias   float64
	stats  Stats
	trust  trust
	seen   pass
	norms  float64 // Σ ‖x_i‖² of the rows met, bias apart
	sums   objective
	primal float64 // P as last certified or seen
	done   bool
}

// StreamBytes is the memory of a Stream for so many problems on a matrix of rows and
// columns, without rows under way.
func StreamBytes(rows, columns, problems int, l Loss) int64 {
	row := int64(8 + 4)
	if l == Logistic {
		row += 8
	}
	return int64(problems) * (row*int64(rows) + 8*int64(columns))
}

// NewStream returns a solver for problems on a source, to be closed when it has done its
// work.
func NewStream(source Source, o StreamOptions) (*Stream, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Stream{source: source, o: o, order: make([]int, source.Blocks())}, nil
}

// streamTol is the least tolerance: certificates are in single precision.
const streamTol = inDoubleBelow

// Solve solves the problems side by side, whose X is nil. It fails as Solver.Solve does,
// on a tolerance below 1e-5, and where the source does.
func (s *Stream) Solve(ctx context.Context, problems []Problem, o Options) ([]Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Tol < streamTol {
		return nil, fmt.Errorf("solver: tol is %v, and gaps of matrices outside memory are certified down to %v", o.Tol, streamTol)
	}
	for k := range problems {
		if err := problems[k].checkShape(s.source.Rows(), s.source.Cols()); err != nil {
			return nil, err
		}
	}
	s.opts, s.random, s.epochs = o, splitmix.Source(o.Seed), 0
	s.begin(problems)
	if err := s.resume(); err != nil {
		return nil, err
	}
	for !s.over() {
		if err := s.step(ctx); err != nil {
			return nil, err
		}
	}
	stats := make([]Stats, len(problems))
	for k := range stats {
		stats[k] = s.members[k].stats
	}
	return stats, nil
}

// Weights are those of the k-th problem, and its bias feature's part of every decision
// value. dst is used if it is large enough.
func (s *Stream) Weights(k int, dst []float32) ([]float32, float64) {
	m := &s.members[k]
	dst = append(dst[:0], make([]float32, len(m.slots))...)
	for j := range dst {
		if c := m.p.colScale(j); c != 0 {
			dst[j] = float32(float64(m.slots[j].U) / c)
		}
	}
	return dst, m.bias
}

// begin lays out what is in memory.
func (s *Stream) begin(problems []Problem) {
	n, v := s.source.Rows(), s.source.Cols()
	if len(s.members) != len(problems) {
		s.Close()
		s.members = make([]streamed, len(problems))
		for k := range s.members {
			m := &s.members[k]
			m.slots = table[kernels.Slot](&s.memory, v)
			m.alpha, m.known = table[float64](&s.memory, n), table[float32](&s.memory, n)
			if s.opts.Loss == Logistic {
				m.rest = table[float64](&s.memory, n)
			}
		}
	}
	inChunks(s.opts.Threads, len(problems), 1, func(k, _, _ int) {
		m := &s.members[k]
		*m = streamed{p: problems[k], slots: m.slots, alpha: m.alpha, rest: m.rest, known: m.known, order: m.order, trust: newTrust(s.opts.Loss)}
		for j := range m.slots {
			c := m.p.colScale(j)
			m.slots[j] = kernels.Slot{S: float32(c * c)}
		}
		unmet := float32(math.NaN())
		for i := range m.alpha {
			cost := m.p.cost(i)
			m.alpha[i], m.known[i] = 0, unmet
			if cost > 0 {
				m.alpha[i] = s.opts.Loss.start(&m.p, i, cost)
				m.primal += s.opts.Loss.of(0, cost)
			}
			if m.rest != nil {
				m.rest[i] = cost - m.alpha[i]
			}
		}
	})
}

// over says whether there is nothing left to do.
func (s *Stream) over() bool {
	for k := range s.members {
		if !s.members[k].done {
			return false
		}
	}
	return true
}

// step is an epoch of all problems that are not solved, and what is learned from it.
func (s *Stream) step(ctx context.Context) error {
	s.epochs++
	for b := range s.order {
		s.order[b] = b
	}
	splitmix.Shuffle(&s.random, s.order)
	for k := range s.members {
		s.members[k].seen = newPass()
	}
	seed := splitmix.Source(s.random.Uint64())
	err := s.pass(ctx, s.order, func(c *chunk) {
		s.each(func(m *streamed) { s.visit(m, c, seed) })
	})
	if err != nil {
		return err
	}
	due := false
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
		due = due || m.stats.Epochs == s.opts.MaxEpochs || s.epochs > 1 && m.trust.gap(estimate, true) <= s.opts.Tol
	}
	if due {
		if err := s.certify(ctx); err != nil {
			return err
		}
	}
	for k := range s.members {
		m := &s.members[k]
		if !inRange(m.norms, m.seen.gap, m.seen.primal, m.bias, m.stats.Primal, m.stats.Dual) {
			return s.overflow(ctx, m)
		}
	}
	s.tell(due)
	if s.opts.Checkpoint == nil {
		return nil
	}
	return s.opts.Checkpoint(State{s.epochs, s.over(), s.appendState})
}

// estimate is the relative gap as the last epoch saw it.
func (s *Stream) estimate(m *streamed) float64 {
	if s.epochs == 1 {
		return 1 // the gap at alpha 0; so near to it the logistic loss can't estimate any
	}
	return relative(m.seen.gap, m.primal)
}

// tell reports an epoch: the worst of the problems.
func (s *Stream) tell(certified bool) {
	if s.opts.Progress == nil {
		return
	}
	e := Epoch{Number: s.epochs, Active: s.source.Rows(), Gap: math.NaN()}
	for k := range s.members {
		m := &s.members[k]
		e.Estimate = max(e.Estimate, s.estimate(m))
		if certified {
			e.Gap = max(m.stats.Gap, e.Gap)
			if math.IsNaN(e.Gap) {
				e.Gap = m.stats.Gap
			}
		}
	}
	s.opts.Progress(e)
}

// each calls work for every problem that is not solved, on several threads.
func (s *Stream) each(work func(m *streamed)) {
	inChunks(s.opts.Threads, len(s.members), 1, func(k, _, _ int) {
		if m := &s.members[k]; !m.done {
			work(m)
		}
	})
}
