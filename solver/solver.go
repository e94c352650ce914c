package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Problem is what to separate from what. Row i of the problem is
// x_ij = c_i·a_i·X_ij·s_j, where c_i brings a row to unit length if UnitRows.
type Problem struct {
	X        *sparse.CSR
	RowScale []float64 // a_i, nil: all 1
	ColScale []float32 // s_j, nil: all 1
	UnitRows bool
	Positive []bool    // y_i = +1 where true, else -1
	Mass     []float64 // m_i, nil: all 1
	Costs    Costs     // C_i = m_i·Costs; a row of cost 0 takes no part
	// Alpha, where not nil, is what to start from: the solution of a similar problem,
	// say. What is outside a row's box is brought to its end.
	Alpha []float64
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

// Result of a solution. Weights[j] is w_j, the weight of x_ij; it is the
// solver's own memory, valid until the next Solve or Close.
type Result struct {
	Weights   []float32
	Intercept float64 // the bias feature's part of every decision value
	Stats     Stats
}

// Solver holds the memory of a solution, to be used again for the next one (the
// next class of the same matrix, say): 16 bytes a shared column, 4 a column and about
// 90 a row. Not for concurrent use; see Options.Threads.
type Solver struct {
	memory
	x          *sparse.CSR
	slots      []kernels.Slot
	fold       []float64 // per shared column: what slots hold, in double precision
	weights    []float32 // per column: the result
	places     []place
	rows       []row
	partial    []float64   // a sum per chunk of columns
	objectives []objective // one per chunk of rows
	block      block
	order      []int32 // active rows first
	hot        []int32 // rows to visit again
	middle     int     // column where the right side begins
	placed     bool    // every row has its place
	meeting    bool    // rows are met as the epoch under way comes to them
	size       int     // rows of a batch
	sides      bool    // the sums of a batch's rows are taken by sides
	batch      batch
	p          Problem
	opts       Options
	descent    descent
	matrix     uint32 // the checksum of x; 0 before it is asked for
	data       uint32 // the checksum of the problem, where states are asked for

	bias       float64 // u of the bias feature: w_b·Bias
	biasSquare float64
	random     splitmix.Source
}

// place is where a row lies in the matrix. It is apart from row, as every thread reads it
// and nothing ever writes it.
type place struct {
	start int64 // of its ids
	head  int32 // how many of its columns are shared, the first ones
	cut   int32 // how many of these are left of Solver.middle
}

// row is what a step needs to know of a row besides its ids: one line of the cache, see
// TestRowIsALine.
type row struct {
	calm    int8    // visits in a row that found it pushed out of its box
	settled bool    // pushed out of its box, as the last certificate saw it
	met     bool    // scale and norms are known
	fresh   bool    // alpha is not in the slots yet
	scale   float32 // y·c·a
	y       float32
	gain    float32 // at most twice what the last step added to the dual
	norm    float64 // ‖x_i‖², bias included
	own     float64 // the part of it that columns of no other row have
	cost    float64
	alpha   float64
	rest    float64 // logistic: C_i − alpha_i, kept for its precision near 0
	moved   float64 // what alpha has since the last block was chosen
}

// New returns a solver for problems on x, to be closed when it has done its work.
func New(x *sparse.CSR) *Solver {
	shared := x.SharedColumns()
	s := &Solver{x: x, order: make([]int32, 0, x.Rows)}
	s.slots = table[kernels.Slot](&s.memory, shared)
	s.fold = table[float64](&s.memory, shared)
	s.weights = table[float32](&s.memory, x.Cols)
	s.places = table[place](&s.memory, x.Rows)
	s.rows = table[row](&s.memory, x.Rows)
	s.middle = middleOf(x, shared)
	s.partial = make([]float64, chunks(shared, chunkColumns))
	s.objectives = make([]objective, chunks(x.Rows, chunkRows))
	return s
}

// head is the part of a row whose columns other rows have as well.
func (s *Solver) head(i int) ([]uint32, []float32) { return s.side(i, both) }

// side is what of a row's head is on a side of the columns.
func (s *Solver) side(i, side int) ([]uint32, []float32) {
	at := &s.places[i]
	lo, hi := at.start, at.start+int64(at.head)
	switch side {
	case left:
		hi = lo + int64(at.cut)
	case right:
		lo += int64(at.cut)
	}
	p := partOf(s.x, lo, hi)
	return p.idx, p.val
}

// tail is the rest of row i.
func (s *Solver) tail(i int) part {
	return partOf(s.x, s.places[i].start+int64(s.places[i].head), s.x.Indptr[i+1])
}

// part is some of a row's entries; val is nil where they are all 1.
type part struct {
	idx []uint32
	val []float32
}

func partOf(x *sparse.CSR, lo, hi int64) part {
	if x.Values == nil {
		return part{idx: x.Indices[lo:hi]}
	}
	return part{x.Indices[lo:hi], x.Values[lo:hi]}
}

// squares is Σ X_ij²·s_j² over a part of a row.
func (p *Problem) squares(row part) float64 {
	var sum float64
	for k, j := range row.idx {
		v := p.colScale(int(j))
		if row.val != nil {
			v *= float64(row.val[k])
		}
		sum += float64(v * v)
	}
	return sum
}

// unfold writes the weights of columns that one row alone has, z being its alpha·y·c·a.
func (p *Problem) unfold(weights []float32, row part, z float64) {
	for k, j := range row.idx {
		v := 1.0
		if row.val != nil {
			v = float64(row.val[k])
		}
		weights[j] = float32(float64(z*v) * p.colScale(int(j)))
	}
}

// Solve trains one classifier. It fails on options out of range, on a problem
// whose lengths don't agree, when ctx is cancelled, and on a state to resume from that is
// another problem's.
func (s *Solver) Solve(ctx context.Context, p Problem, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := p.check(s.x); err != nil {
		return nil, err
	}
	s.p, s.opts = p, o
	s.random = splitmix.Source(o.Seed)
	s.prepare()
	s.begin()
	if err := s.resume(); err != nil {
		return nil, err
	}
	stats, err := s.descend(ctx)
	if err != nil {
		return nil, err
	}
	s.unfold()
	s.p = Problem{}
	return &Result{Weights: s.weights, Intercept: s.bias, Stats: stats}, nil
}

// Alpha returns the dual solution, for Problem.Alpha of another problem. dst is used if
// it is large enough.
func (s *Solver) Alpha(dst []float64) []float64 {
	dst = dst[:0]
	for i := range s.rows {
		dst = append(dst, s.rows[i].alpha)
	}
	return dst
}

// unfold writes the weights out: of shared columns from their slots, of others from the
// one row that has them.
func (s *Solver) unfold() {
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.weights[j] = 0
			if c := s.p.colScale(j); c != 0 {
				s.weights[j] = float32(float64(s.slots[j].U) / c)
			}
		}
	})
	s.overRows(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.tailsAlong(i)
			r := &s.rows[i]
			s.p.unfold(s.weights, s.tail(i), r.alpha*float64(r.scale))
		}
	})
}

// overRows calls work for every chunk of rows.
func (s *Solver) overRows(work func(chunk, lo, hi int)) {
	inChunks(s.opts.Threads, len(s.rows), chunkRows, work)
}

// overColumns calls work for every chunk of shared columns.
func (s *Solver) overColumns(work func(chunk, lo, hi int)) {
	inChunks(s.opts.Threads, len(s.slots), chunkColumns, work)
}

func (p *Problem) colScale(j int) float64 {
	if p.ColScale == nil {
		return 1
	}
	return float64(p.ColScale[j])
}

// check refuses a problem that is not one on x.
func (p *Problem) check(x *sparse.CSR) error {
	if p.X != x {
		return fmt.Errorf("solver: the problem's matrix is not the one given to New")
	}
	return p.checkShape(x.Rows, x.Cols)
}

// checkShape refuses a problem that is not one of n rows and v columns.
func (p *Problem) checkShape(n, v int) error {
	switch {
	case n == 0:
		return fmt.Errorf("solver: no rows to train on")
	case len(p.Positive) != n:
		return fmt.Errorf("solver: %d labels for %d rows", len(p.Positive), n)
	case p.Mass != nil && len(p.Mass) != n:
		return fmt.Errorf("solver: %d masses for %d rows", len(p.Mass), n)
	case p.Alpha != nil && len(p.Alpha) != n:
		return fmt.Errorf("solver: %d alpha to start from for %d rows", len(p.Alpha), n)
	case p.RowScale != nil && len(p.RowScale) != n:
		return fmt.Errorf("solver: %d row scales for %d rows", len(p.RowScale), n)
	case p.ColScale != nil && len(p.ColScale) != v:
		return fmt.Errorf("solver: %d column scales for %d columns", len(p.ColScale), v)
	}
	for i, a := range p.Alpha {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("solver: the alpha to start from of row %d is %v, want a finite number", i, a)
		}
	}
	for i := range n {
		if c := p.cost(i); math.IsNaN(c) || c < 0 || c > 1e30 {
			return fmt.Errorf("solver: the cost of row %d is %v, want 0 to 1e30", i, c)
		}
	}
	return nil
}
