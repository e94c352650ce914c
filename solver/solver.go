package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Matrix is what problems are solved on: rows in memory, or a source of rows.
type Matrix struct {
	X *sparse.CSR // rows in memory; nil where Source has them
	// Near is a permutation of the rows of X that has those next to each other which share
	// many columns, the documents of a class for example, so that passes over all rows find
	// much in the cache; nil stands for the rows as they lie.
	Near     []int32
	Source   Source
	Resident int // entries of rows of Source that are in memory together, at least 1: about as many, as blocks are whole
	Inner    int // updates of each of these rows before the next are fetched, at least 1
}

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

// Problem is what to separate from what. Row i of the problem is
// x_ij = c_i·a_i·X_ij·s_j, where c_i brings a row to unit length if UnitRows.
type Problem struct {
	RowScale []float64 // a_i, nil: all 1
	ColScale []float32 // s_j, nil: all 1
	UnitRows bool
	Positive []bool    // y_i = +1 where true, else -1
	Mass     []float64 // m_i, nil: all 1
	Costs    Costs     // C_i = m_i·Costs; a row of cost 0 takes no part
	// Start is an alpha of every row to begin with, the solution of a similar problem say, which saves epochs; nil for
	// none. Alpha out of bounds are brought to them. Rows from a source begin without, and so does a solution that resumes.
	Start []float64
}

// Costs are those of errors on rows of either side.
type Costs struct{ Positive, Negative float64 }

// cost is C_i.
func (p *Problem) cost(i int) float64 {
	c := p.Costs.Negative
	if p.Positive[i] {
		c = p.Costs.Positive
	}
	if p.Mass != nil {
		c *= p.Mass[i]
	}
	return c
}

// side is y_i.
func (p *Problem) side(i int) float64 {
	if p.Positive[i] {
		return 1
	}
	return -1
}

func (p *Problem) colScale(j int) float64 {
	if p.ColScale == nil {
		return 1
	}
	return float64(p.ColScale[j])
}

// check refuses a problem that is not one of n rows and v columns.
func (p *Problem) check(n, v int) error {
	switch {
	case n == 0:
		return errors.New("solver: no rows to train on")
	case len(p.Positive) != n:
		return fmt.Errorf("solver: %d labels for %d rows", len(p.Positive), n)
	case p.Mass != nil && len(p.Mass) != n:
		return fmt.Errorf("solver: %d masses for %d rows", len(p.Mass), n)
	case p.RowScale != nil && len(p.RowScale) != n:
		return fmt.Errorf("solver: %d row scales for %d rows", len(p.RowScale), n)
	case p.Start != nil && len(p.Start) != n:
		return fmt.Errorf("solver: %d alpha to start from for %d rows", len(p.Start), n)
	case p.ColScale != nil && len(p.ColScale) != v:
		return fmt.Errorf("solver: %d column scales for %d columns", len(p.ColScale), v)
	}
	for i := range n {
		if c := p.cost(i); math.IsNaN(c) || c < 0 || c > 1e30 {
			return fmt.Errorf("solver: the cost of row %d is %v, want 0 to 1e30", i, c)
		}
		if p.Start != nil && math.IsNaN(p.Start[i]-p.Start[i]) {
			return fmt.Errorf("solver: row %d starts from alpha %v, want a finite number", i, p.Start[i])
		}
	}
	return nil
}

// Solver solves problems on one matrix, one or several side by side, and keeps its memory for
// the next ones (other classes of the same matrix, say). Not for concurrent use.
type Solver struct {
	matrix Matrix
	single *single // of one problem
	group  *group  // of up to kernels.GroupSize
	stream *stream // of any number, on a source
	last   engine  // of the last Solve
}

// Open returns a solver of problems on a matrix, to be closed when it has done its work.
func Open(m Matrix) (*Solver, error) {
	switch {
	case (m.X == nil) == (m.Source == nil):
		return nil, errors.New("solver: rows are either in memory or come from a source")
	case m.Source != nil && (m.Resident < 1 || m.Inner < 1):
		return nil, fmt.Errorf("solver: %d entries at a time, updates %d times, want 1 or more of both", m.Resident, m.Inner)
	case m.Near != nil && len(m.Near) != m.X.Rows:
		return nil, fmt.Errorf("solver: an order of %d rows for a matrix of %d", len(m.Near), m.X.Rows)
	}
	return &Solver{matrix: m}, nil
}

// Solve trains one classifier a problem. Side by side, problems in memory may differ in
// ColScale, Positive and Costs alone, and are at most kernels.GroupSize. It fails on options out
// of range, on a problem whose lengths don't agree, where numbers overflow, when ctx is
// cancelled, where the source does, and on a state to resume from that is another problem's.
// Gaps of rows outside memory are certified down to a tolerance of 1e-5.
func (s *Solver) Solve(ctx context.Context, problems []Problem, o Options) ([]Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e, err := s.engine(problems, &o)
	if err != nil {
		return nil, err
	}
	s.last = e
	return run(ctx, e, problems, o)
}

// engine chooses the one for some problems.
func (s *Solver) engine(problems []Problem, o *Options) (engine, error) {
	n, v := 0, 0
	if source := s.matrix.Source; source != nil {
		n, v = source.Rows(), source.Cols()
		if o.Tol < inDoubleBelow {
			return nil, fmt.Errorf("solver: tol is %v, and gaps of matrices outside memory are certified down to %v", o.Tol, inDoubleBelow)
		}
	} else {
		n, v = s.matrix.X.Rows, s.matrix.X.Cols
	}
	if len(problems) == 0 || s.matrix.X != nil && len(problems) > kernels.GroupSize {
		return nil, fmt.Errorf("solver: %d problems side by side, want 1 to %d", len(problems), kernels.GroupSize)
	}
	for k := range problems {
		p, first := &problems[k], &problems[0]
		if err := p.check(n, v); err != nil {
			return nil, err
		}
		if s.matrix.X != nil && (p.UnitRows != first.UnitRows || unsafe.SliceData(p.Mass) != unsafe.SliceData(first.Mass) || unsafe.SliceData(p.RowScale) != unsafe.SliceData(first.RowScale)) {
			return nil, errors.New("solver: problems side by side have masses and row scales in common")
		}
	}
	switch {
	case s.matrix.Source != nil:
		if s.stream == nil {
			s.stream = newStream(s.matrix)
		}
		return s.stream, nil
	case len(problems) == 1:
		if s.single == nil {
			s.single = newSingle(s.matrix.X)
		}
		return s.single, nil
	}
	if s.group == nil {
		s.group = newGroup(s.matrix.X, s.matrix.Near)
	}
	return s.group, nil
}

// Weights returns the weights of a problem that was solved last, w_j being that of x_ij, and its
// bias feature's part of every decision value. dst is used if it is large enough.
func (s *Solver) Weights(problem int, dst []float32) (weights []float32, intercept float64) {
	return s.last.weights(problem, dst)
}

// Alpha appends the alpha of all rows in a problem that was solved last to dst.
func (s *Solver) Alpha(problem int, dst []float64) []float64 {
	return s.last.alpha(problem, dst)
}

// Close gives the memory back; the solver must not be used any more.
func (s *Solver) Close() {
	if s.single != nil {
		s.single.release()
	}
	if s.group != nil {
		s.group.release()
	}
	if s.stream != nil {
		s.stream.release()
	}
}

// engine solves problems in its own way: one, several side by side, or from a stream of rows.
type engine interface {
	base() *common
	begin()                                  // lays out the state before the first epoch
	step(ctx context.Context) (Epoch, error) // runs an epoch
	over() bool                              // says whether all problems are solved
	stats(problem int) *Stats
	state(c *codec)   // walks over what the solutions have come to
	checksum() uint32 // of the matrix
	weights(problem int, dst []float32) ([]float32, float64)
	alpha(problem int, dst []float64) []float64
}

// common is what all engines have.
type common struct {
	free       []func() // of memory
	problems   []Problem
	opts       Options
	random     splitmix.Source
	biasSquare float64
	matrix     uint32 // its checksum; 0 before it is asked for
	data       uint32 // the checksum of the problems, where states are asked for
}

func (c *common) base() *common { return c }

func (c *common) set(problems []Problem, o Options) {
	c.problems, c.opts, c.random, c.biasSquare = problems, o, splitmix.Source(o.Seed), o.Bias*o.Bias
}

// shrinks says whether rows at a bound are left out of epochs.
func (c *common) shrinks() bool { return c.opts.Shrinking && c.opts.Loss != Logistic }

// release gives memory back.
func (c *common) release() {
	for _, free := range c.free {
		free()
	}
	c.free = nil
}

// table makes n zeros that last until c is released.
func table[T any](c *common, n int) []T {
	t, free := hugepages.Make[T](n)
	c.free = append(c.free, free)
	return t
}

// run has an engine solve problems.
func run(ctx context.Context, e engine, problems []Problem, o Options) ([]Stats, error) {
	c := e.base()
	c.set(problems, o)
	e.begin()
	if o.Checkpoint != nil || o.Resume != nil {
		if c.matrix == 0 {
			c.matrix = e.checksum()
		}
		c.data = dataSum(c.matrix, problems, &o)
	}
	if o.Resume != nil {
		if err := readState(o.Resume, e.state); err != nil {
			return nil, err
		}
	}
	for !e.over() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		epoch, err := e.step(ctx)
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(epoch)
		}
		if o.Checkpoint != nil {
			if err := o.Checkpoint(State{epoch.Number, e.over(), func(dst []byte) []byte { return appendState(dst, e.state) }}); err != nil {
				return nil, err
			}
		}
	}
	stats := make([]Stats, len(problems))
	for k := range stats {
		stats[k] = *e.stats(k)
	}
	return stats, nil
}
