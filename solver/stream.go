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

// visit makes the steps of one problem for the rows in memory.
func (s *Stream) visit(m *streamed, c *chunk, seed splitmix.Source) {
	random := seed + splitmix.Source(c.number) // whatever other problems do
	m.order = m.order[:0]
	for at, i := range c.rows {
		if m.p.cost(int(i)) > 0 {
			m.order = append(m.order, int32(at))
		}
	}
	for inner := range s.o.Inner {
		splitmix.Shuffle(&random, m.order)
		for k, at := range m.order {
			if next := k + idsAhead; next < len(m.order) {
				idx, _ := c.x.Row(int(m.order[next]))
				kernels.PrefetchAll(idx)
			}
			if next := k + slotsAhead; next < len(m.order) && len(m.slots) > hotSlots {
				idx, _ := c.x.Row(int(m.order[next]))
				kernels.PrefetchSlots(m.slots, idx, hotSlots)
			}
			v := s.stepAt(m, c, int(at), s.epochs == 1 && inner == 0)
			if inner == 0 {
				m.seen.gap += v.gap
				m.seen.primal += v.primal
			}
		}
	}
	m.stats.Steps += int64(len(m.order) * s.o.Inner)
}

// stepAt is a step for one row of those in memory; that is fresh of which the slots hold
// nothing yet.
func (s *Stream) stepAt(m *streamed, c *chunk, at int, fresh bool) visit {
	i := int(c.rows[at])
	idx, val := c.x.Row(at)
	cost := m.p.cost(i)
	scale, norm := s.known(m, i, idx, val)
	y := m.p.side(i)
	margin := y * (float64(scale*m.dot(idx, val)) + m.bias)
	var v visit
	if m.rest != nil {
		v = logisticVisit(m.alpha[i], m.rest[i], cost, norm, margin)
		m.rest[i] = v.rest
	} else {
		v = s.opts.Loss.hingeVisit(m.alpha[i], cost, norm, margin)
	}
	if fresh {
		v.delta = v.next
	}
	m.alpha[i] = v.next
	if v.delta != 0 {
		step := float32(float64(v.delta*y)) * float32(scale)
		if val == nil {
			kernels.AddSlots(m.slots, idx, step)
		} else {
			kernels.AxpySlots(m.slots, idx, val, step)
		}
		m.bias += float64(v.delta * y * s.opts.Bias * s.opts.Bias)
	}
	return v
}

func (m *streamed) dot(idx []uint32, val []float32) float64 {
	if val == nil {
		return float64(kernels.SumSlots(m.slots, idx))
	}
	return float64(kernels.DotSlots(m.slots, idx, val))
}

// side is y_i.
func (p *Problem) side(i int) float64 {
	if p.Positive[i] {
		return 1
	}
	return -1
}

// known is what does not change of row i: c_i·a_i, and ‖x_i‖² with the bias.
func (s *Stream) known(m *streamed, i int, idx []uint32, val []float32) (scale, norm float64) {
	bias := float64(s.opts.Bias * s.opts.Bias)
	k := m.known[i]
	if k != k {
		k = m.meet(i, idx, val)
		m.known[i] = k
	}
	if !m.p.UnitRows {
		scale = 1
		if m.p.RowScale != nil {
			scale = m.p.RowScale[i]
		}
		return scale, float64(k) + bias
	}
	if k > 0 {
		norm = 1
	}
	return float64(k), norm + bias
}

// meet computes what is kept of row i in streamed.known.
func (m *streamed) meet(i int, idx []uint32, val []float32) float32 {
	var squares float64
	if val == nil {
		squares = float64(kernels.SumScales(m.slots, idx))
	} else {
		for k, j := range idx {
			v := float64(val[k])
			squares += float64(float64(v*v) * float64(m.slots[j].S))
		}
	}
	switch {
	case m.p.UnitRows:
		return float32(inverseRoot(squares)) // a_i cancels
	case m.p.RowScale != nil:
		squares *= m.p.RowScale[i] * m.p.RowScale[i]
	}
	return float32(squares)
}

// certify computes the objectives of the problems that are not solved, as
// Solver.certify does, in one pass over all blocks.
func (s *Stream) certify(ctx context.Context) error {
	for b := range s.order {
		s.order[b] = b
	}
	for k := range s.members {
		s.members[k].sums = objective{}
	}
	err := s.pass(ctx, s.order, func(c *chunk) {
		s.each(func(m *streamed) { s.add(m, c) })
	})
	if err != nil {
		return err
	}
	s.each(func(m *streamed) {
		half := float64(m.square(s.opts.Bias) / 2)
		estimate := s.estimate(m)
		m.stats.Primal, m.stats.Dual = half+m.sums.losses, half-m.sums.cross-m.sums.conj
		m.stats.Gap = relative(m.stats.Primal-m.stats.Dual, m.stats.Primal)
		m.primal = m.stats.Primal
		m.trust.learn(m.stats.Gap, estimate, true)
		switch {
		case m.stats.Gap <= s.opts.Tol:
			m.done = true
		case m.stats.Epochs == s.opts.MaxEpochs:
			m.stats.Status, m.done = EpochLimit, true
		}
	})
	return nil
}

// add adds up what the rows in memory are to the objectives.
func (s *Stream) add(m *streamed, c *chunk) {
	for at, i := range c.rows {
		cost := m.p.cost(int(i))
		if cost == 0 {
			continue
		}
		idx, val := c.x.Row(at)
		if next := at + slotsAhead; next < len(c.rows) && len(m.slots) > hotSlots {
			ahead, _ := c.x.Row(next)
			kernels.PrefetchSlots(m.slots, ahead, hotSlots)
		}
		scale, _ := s.known(m, int(i), idx, val)
		margin := m.p.side(int(i)) * (float64(scale*m.dot(idx, val)) + m.bias)
		alpha, rest := m.alpha[i], 0.0
		if m.rest != nil {
			rest = m.rest[i]
		}
		m.sums.losses += s.opts.Loss.of(margin, cost)
		m.sums.conj += s.opts.Loss.conj(alpha, rest, cost)
		m.sums.cross += float64(alpha * margin)
	}
}

// square is ‖w‖².
func (m *streamed) square(bias float64) float64 {
	var sum float64
	for j := range m.slots {
		if c := m.p.colScale(j); c != 0 {
			w := float64(m.slots[j].U) / c
			sum += float64(w * w)
		}
	}
	if bias > 0 {
		sum += float64(m.bias*m.bias) / (bias * bias)
	}
	return sum
}

// chunk is rows that are in memory together.
type chunk struct {
	x      sparse.CSR
	rows   []int32 // their numbers
	number int     // in its pass, from 0
	err    error
}

// pass hands the rows of all blocks, in the order given, to work, chunk by chunk: while it
// works on one, the next is fetched.
func (s *Stream) pass(ctx context.Context, order []int, work func(c *chunk)) error {
	ctx, cancel := context.WithCancel(ctx)
	free, full := make(chan *chunk, len(s.chunks)), make(chan *chunk)
	for k := range s.chunks {
		free <- &s.chunks[k]
	}
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	go func() {
		defer close(ended)
		defer close(full)
		for number := 0; len(order) > 0; number++ {
			var c *chunk
			select {
			case c = <-free:
			case <-ctx.Done():
				return
			}
			c.number = number
			order, c.err = s.fetch(ctx, c, order)
			select {
			case full <- c:
			case <-ctx.Done():
				return
			}
			if c.err != nil {
				return
			}
		}
	}()
	for c := range full {
		if c.err != nil {
			return c.err
		}
		work(c)
		free <- c
	}
	return ctx.Err()
}

// blocksAhead is how long before a block is fetched its source is told.
const blocksAhead = 8

// fetch fills a chunk with the next blocks of the order, and returns the rest.
func (s *Stream) fetch(ctx context.Context, c *chunk, order []int) ([]int, error) {
	c.x.Rows, c.x.Cols = 0, s.source.Cols()
	c.x.Indptr, c.x.Indices, c.x.Values, c.rows = append(c.x.Indptr[:0], 0), c.x.Indices[:0], c.x.Values[:0], c.rows[:0]
	for len(order) > 0 && (len(c.rows) == 0 || len(c.x.Indices) < s.o.Resident) {
		if blocksAhead < len(order) {
			s.source.Ahead(order[blocksAhead])
		}
		if err := s.source.Append(ctx, order[0], &c.x); err != nil {
			return order, err
		}
		first, end := s.source.Range(order[0])
		for i := first; i < end; i++ {
			c.rows = append(c.rows, int32(i))
		}
		order = order[1:]
	}
	return order, nil
}
