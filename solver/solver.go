package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Matrix holds the rows that problems are solved on.
type Matrix struct {
	X *sparse.CSR
	// Near is a permutation of the rows of X that puts rows next to each other that share many columns, such as the
	// documents of a class. Several problems at once are solved faster then. Nil means the order of X.
	Near []int32
	// Mapped says that the arrays of X are mapped from a file and may be larger than memory. Rows are then visited in an
	// order that suits it, and what the solver keeps of each is in temporary files in the folder Temp; "" is the system's.
	Mapped bool
	Temp   string
}

// Problem is a problem of binary classification or of regression on a [Matrix] X. Row i of the problem is x_ij =
// c_i·a_i·X_ij·s_j, where c_i is 1, or brings the row to unit length if UnitRows is set. Slices have an element for each
// row, or for each column.
type Problem struct {
	// Row is the row of X that each row of the problem has, from 0. A row of X may be had by none or by several, such as
	// a document that counts in part for either class. Nil means each once, in order, which takes less memory.
	Row []int32
	// Threshold is which of several bias features each row has, from 0, for ordinal regression. Nil means one for all.
	Threshold []uint8
	RowScale  []float64 // a_i; nil means 1
	ColScale  []float32 // s_j; nil means 1
	UnitRows  bool
	Positive  []bool // y_i is +1 where true, else −1; classification only
	// Target is t_i, for the losses of regression: from -1e30 to 1e30. Rows with targets are positive, y_i is +1.
	Target []float64
	Mass   []float64 // m_i, the weight of a row; nil means 1
	Costs  Costs     // C_i is m_i times the cost of the row's side, from 0 to 1e30; a row of cost 0 takes no part
	// Start is an alpha for each row to start from, such as the solution of a similar problem, which saves epochs. Nil
	// starts from zero. Values beyond the bounds of alpha are moved to them.
	Start []float64
	// Offset is what the decision value of each row is besides wᵀx_i, such as that of an earlier classifier, to which w
	// is then a correction: the margin is y_i·(wᵀx_i + Offset_i), the residual wᵀx_i + Offset_i − t_i. Nil means 0.
	Offset []float64
}

// mostOffset is the largest Offset or Target: its square times a cost is a number.
const mostOffset = 1e30

// Costs are the costs C of errors on positive and on negative rows. One of them at least must be above 0.
type Costs struct{ Positive, Negative float64 }

// Cost returns C_i.
func (p *Problem) Cost(i int) float64 {
	c := p.Costs.Negative
	if p.positive(i) {
		c = p.Costs.Positive
	}
	if p.Mass != nil {
		c *= p.Mass[i]
	}
	return c
}

// positive reports whether y_i is +1.
func (p *Problem) positive(i int) bool { return len(p.Positive) == 0 || p.Positive[i] }

// offset returns what the margin is besides y_i·wᵀx_i: y_i·Offset_i, or Offset_i − t_i.
func (p *Problem) offset(i int) float64 {
	switch {
	case len(p.Target) > 0 && p.Offset == nil:
		return -p.Target[i]
	case len(p.Target) > 0:
		return p.Offset[i] - p.Target[i]
	case p.Offset == nil:
		return 0
	case p.Positive[i]:
		return p.Offset[i]
	}
	return -p.Offset[i]
}

func (p *Problem) colScale(j int) float64 {
	if p.ColScale == nil {
		return 1
	}
	return float64(p.ColScale[j])
}

// thresholds returns how many bias features there are.
func (p *Problem) thresholds() int {
	if len(p.Threshold) == 0 {
		return 1
	}
	return int(slices.Max(p.Threshold)) + 1
}

// check reports what is wrong with a problem on a matrix of n rows and v columns.
func (p *Problem) check(n, v int, o *Options) error {
	if n == 0 {
		return errors.New("solver: the matrix has no rows")
	}
	for i, row := range p.Row {
		if row < 0 || int(row) >= n {
			return fmt.Errorf("solver: Row[%d] must be a row of the matrix, from 0 to %d, got %d", i, n-1, row)
		}
	}
	if p.Row != nil {
		n = len(p.Row)
	}
	if n == 0 || n > math.MaxInt32 {
		return fmt.Errorf("solver: Row must have 1 to %d elements, got %d", math.MaxInt32, n)
	}
	if p.Threshold != nil && o.Bias == 0 {
		return errors.New("solver: Threshold takes a bias, and Options.Bias is 0")
	}
	loss := o.Loss
	sides, targets := n, 0
	if loss.IsRegression() {
		sides, targets = 0, n
	}
	for _, field := range []struct {
		name      string
		got, want int
		given     bool
	}{
		{"Positive", len(p.Positive), sides, true},
		{"Target", len(p.Target), targets, true},
		{"Threshold", len(p.Threshold), n, p.Threshold != nil},
		{"Mass", len(p.Mass), n, p.Mass != nil},
		{"RowScale", len(p.RowScale), n, p.RowScale != nil},
		{"Start", len(p.Start), n, p.Start != nil},
		{"Offset", len(p.Offset), n, p.Offset != nil},
		{"ColScale", len(p.ColScale), v, p.ColScale != nil},
	} {
		if field.given && field.got != field.want {
			return fmt.Errorf("solver: %s must have %d elements for the loss %v, got %d",
				field.name, field.want, loss, field.got)
		}
	}
	if p.Costs == (Costs{}) {
		return errors.New("solver: Costs must be above 0 for a side at least, got 0 for both")
	}
	for i := range n {
		if c := p.Cost(i); math.IsNaN(c) || c < 0 || c > 1e30 {
			return fmt.Errorf("solver: the cost of row %d must be from 0 to 1e30, got %v", i, c)
		}
		if p.Start != nil && math.IsNaN(p.Start[i]-p.Start[i]) {
			return fmt.Errorf("solver: Start[%d] must be a finite number, got %v", i, p.Start[i])
		}
		if p.Offset != nil && !(math.Abs(p.Offset[i]) <= mostOffset) {
			return fmt.Errorf("solver: Offset[%d] must be from -%v to %v, got %v",
				i, mostOffset, mostOffset, p.Offset[i])
		}
		if targets > 0 && !(math.Abs(p.Target[i]) <= mostOffset) {
			return fmt.Errorf("solver: Target[%d] must be from -%v to %v, got %v",
				i, mostOffset, mostOffset, p.Target[i])
		}
	}
	return nil
}

// Solver solves problems on one matrix. It keeps its memory between calls of [Solver.Solve], for the classes of a
// matrix one after the other, unless one call has a single problem and the next several. It must not be used by several
// goroutines at once.
type Solver struct {
	matrix Matrix
	last   engine // of the last Solve
}

var errNoMatrix = errors.New("solver: Matrix must have X")

// Open returns a solver for a matrix. Close it to free its memory. X is not validated: see [sparse.CSR.Validate].
func Open(m Matrix) (*Solver, error) {
	switch {
	case m.X == nil:
		return nil, errNoMatrix
	case m.Near != nil && len(m.Near) != m.X.Rows:
		return nil, fmt.Errorf("solver: Near must have %d elements, one for each row, got %d", m.X.Rows, len(m.Near))
	}
	seen := make([]bool, len(m.Near))
	for at, i := range m.Near {
		if i < 0 || int(i) >= len(seen) || seen[i] {
			return nil, fmt.Errorf("solver: Near[%d] must be a row that is not there yet, from 0 to %d, got %d",
				at, len(seen)-1, i)
		}
		seen[i] = true
	}
	return &Solver{matrix: m}, nil
}

// Solve solves each of the problems, up to 8 of them, and returns its statistics. They may differ in all but Mass,
// ColScale and UnitRows. A problem with Row or Threshold must be solved by itself.
//
// Errors are: options out of range, problems whose lengths do not fit the matrix, numbers that overflow, a cancelled
// ctx, and temporary files that can't be written.
func (s *Solver) Solve(ctx context.Context, problems []Problem, o Options) ([]Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := s.chooseEngine(problems, &o); err != nil {
		return nil, err
	}
	return run(ctx, s.last, problems, o)
}

// chooseEngine makes last the engine for some problems.
func (s *Solver) chooseEngine(problems []Problem, o *Options) error {
	x := s.matrix.X
	if x == nil { // the zero Solver
		return errNoMatrix
	}
	if len(problems) == 0 || len(problems) > kernels.GroupSize {
		return fmt.Errorf("solver: the number of problems must be from 1 to %d, got %d",
			kernels.GroupSize, len(problems))
	}
	if o.Tol < leastGroupTol && len(problems) > 1 {
		return fmt.Errorf("solver: tol must be %v or more for several problems at once, got %v", leastGroupTol, o.Tol)
	}
	for k := range problems {
		p, first := &problems[k], &problems[0]
		if err := p.check(x.Rows, x.Cols, o); err != nil {
			return err
		}
		if p.UnitRows != first.UnitRows || unsafe.SliceData(p.Mass) != unsafe.SliceData(first.Mass) ||
			unsafe.SliceData(p.ColScale) != unsafe.SliceData(first.ColScale) {
			return errors.New("solver: problems that are solved at once must have the same Mass, ColScale and UnitRows")
		}
	}
	alone := slices.ContainsFunc(problems, func(p Problem) bool { return p.Row != nil || p.Threshold != nil })
	if alone && len(problems) > 1 {
		return errors.New("solver: a problem with Row or Threshold must be solved by itself")
	}
	given := problems[0].Row
	if last, is := s.last.(*single); is && (last.repeats || given != nil) { // it is of the rows of its problem
		s.Close()
		s.last = nil
	}
	switch {
	case isForNewton(x, problems[0].UnitRows, o.Loss):
		return use(s, func() *newton { return newNewton(x) })
	case len(problems) == 1:
		return use(s, func() *single { return newSingle(s.matrix, o.Threads, given) })
	default:
		return use(s, func() *group { return newGroup(s.matrix) })
	}
}

// use makes last an engine of a kind, unless it is one.
func use[E engine](s *Solver, open func() E) error {
	if _, is := s.last.(E); !is {
		s.Close()
		s.last = open()
	}
	return s.last.base().err
}

// Weights returns the weights of a problem of the last Solve, by its number there; none if there is no such problem.
// The decision value of a row is Σ weights[j]·x_ij + intercept, with x_ij as [Problem] defines it: scaled. Of several
// thresholds, the intercept is that of the first, see [Solver.Intercepts]. The memory of dst is used if it suffices.
func (s *Solver) Weights(problem int, dst []float32) (weights []float32, intercept float64) {
	if !s.has(problem) {
		return nil, 0
	}
	return s.last.weights(problem, dst), s.last.intercepts(problem)[0]
}

// Intercepts appends the intercept of every threshold to dst, for a problem of the last Solve by its number there; none
// if there is no such problem. The decision value of a row is that of [Solver.Weights] with that of its threshold.
func (s *Solver) Intercepts(problem int, dst []float64) []float64 {
	if !s.has(problem) {
		return dst
	}
	return append(dst, s.last.intercepts(problem)...)
}

// Alpha appends the alpha of every row to dst, for a problem of the last Solve by its number there; none if there is no
// such problem.
func (s *Solver) Alpha(problem int, dst []float64) []float64 {
	if !s.has(problem) {
		return dst
	}
	return s.last.alpha(problem, dst)
}

// has reports whether the last Solve had a problem of this number.
func (s *Solver) has(problem int) bool {
	return s.last != nil && problem >= 0 && problem < len(s.last.base().problems)
}

// Close frees the memory. The solver must not be used afterwards.
func (s *Solver) Close() {
	if s.last != nil {
		s.last.base().release()
	}
}

// engine solves problems in its own way: one, several side by side, or by Newton's method.
type engine interface {
	base() *common
	begin()                                  // lays out the state before the first epoch
	step(ctx context.Context) (Epoch, error) // runs an epoch
	over() bool                              // says whether all problems are solved
	stats(problem int) *Stats
	weights(problem int, dst []float32) []float32
	intercepts(problem int) []float64
	alpha(problem int, dst []float64) []float64
}

// common is what all engines have.
type common struct {
	matrix     Matrix
	err        error    // of tables in files, without which nothing can be solved
	free       []func() // of memory
	spare      []int32  // rows that are shuffled
	problems   []Problem
	opts       Options
	loss       rowLoss
	random     xmath.SplitMix
	biasSquare float64
}

func (c *common) base() *common { return c }

func (c *common) set(problems []Problem, o Options) {
	c.problems, c.opts, c.random, c.biasSquare = problems, o, xmath.SplitMix(o.Seed), o.Bias*o.Bias
	c.loss = o.rowLoss()
}

// shrinks reports whether rows at a bound are left out of epochs (Hsieh et al. 2008, section 3.2). With the logistic
// loss, none ever is.
func (c *common) shrinks() bool { return c.opts.Loss != Logistic }

// release gives memory back.
func (c *common) release() {
	for _, free := range c.free {
		free()
	}
	c.free = nil
}

// table makes n zeros that last until c is released.
func table[T any](c *common, n int) []T {
	t, free := mem.MakeHuge[T](n)
	c.free = append(c.free, free)
	return t
}

// run has an engine solve problems.
func run(ctx context.Context, e engine, problems []Problem, o Options) ([]Stats, error) {
	e.base().set(problems, o)
	e.begin()
	if err := e.base().err; err != nil {
		return nil, err
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
	}
	stats := make([]Stats, len(problems))
	for k := range stats {
		stats[k] = *e.stats(k)
	}
	return stats, nil
}
