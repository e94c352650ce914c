package solver

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// single solves one problem: 16 bytes a shared column and about 100 a row. Options.Threads work
// on it together.
type single struct {
	common
	x          *sparse.CSR
	p          *Problem
	slots      []kernels.Slot
	exactU     []float64 // per shared column: what slots hold, in double precision
	rows       []row
	starts     []int64     // per row: where it lies in the matrix
	repeats    bool        // a row of the matrix may be several, so that no column belongs to one row alone
	partial    []float64   // a sum per chunk of columns
	objectives []objective // one per chunk of rows
	block      block
	order      []int32 // active rows first
	repeated   []int32 // rows to update again
	bounds     []int   // of the pieces of the columns
	ends       []int32 // per row and piece, see endsOf; apart from rows, as every thread reads it and none writes it
	started    bool    // from Problem.Start
	size       int     // rows of a batch
	inPieces   bool    // the sums of a batch's rows are taken by pieces
	batch      batch
	descent    descent
	bias       []float64 // u of the bias features: w_b·Bias
}

// row is what a step needs to know of a row besides its ids: one line of the cache, see
// TestRowIsALine.
type row struct {
	timesAtBound int8    // updates in succession that found it so
	threshold    uint8   // its bias feature
	atBound      bool    // alpha is at a bound, by the last certificate
	fresh        bool    // alpha is not in the slots yet
	scale        float32 // y·c·a
	y            float32
	gain         float32 // at most twice what the last step added to the dual
	norm         float64 // ‖x_i‖², bias included
	own          float64 // the part of it that columns of no other row have
	cost         float64
	alpha        float64
	rest         float64 // logistic: C_i − alpha_i, kept for its precision near 0
	moved        float64 // what alpha has since the last block was chosen
}

// newSingle is for problems with a row for each row of the matrix or, if they are given, with these rows of it.
func newSingle(m Matrix, threads int, given []int32) *single {
	x := m.X
	shared, n := x.SharedColumns(), x.Rows
	s := &single{common: common{matrix: m}, x: x, starts: x.Indptr, repeats: given != nil}
	if s.repeats {
		shared, n = x.Cols, len(given)
		s.starts = make([]int64, n)
		for i, row := range given {
			s.starts[i] = x.Indptr[row]
		}
	}
	s.order = make([]int32, 0, n)
	s.slots = table[kernels.Slot](&s.common, shared)
	s.exactU = table[float64](&s.common, shared)
	s.rows = rowTable[row](&s.common, n)
	s.bounds = boundsOf(x, shared)
	s.ends = rowTable[int32](&s.common, n*s.all().to)
	if s.err != nil {
		return s
	}
	par.Chunks(threads, n, chunkRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := i
			if s.repeats {
				row = int(given[i])
			}
			s.findEnds(i, row)
		}
	})
	s.partial = make([]float64, par.Count(shared, chunkColumns))
	s.objectives = make([]objective, par.Count(n, chunkRows))
	return s
}

func (s *single) stats(int) *Stats { return &s.descent.solution.stats }

func (s *single) over() bool { return s.descent.done }

// head returns the part of a row whose columns other rows have as well.
func (s *single) head(i int) part { return s.within(i, s.all()) }

// tail returns the rest of row i.
func (s *single) tail(i int) part {
	if s.repeats {
		return part{s.x, 0, 0}
	}
	return part{s.x, s.x.Indptr[i] + int64(s.endsOf(i)[s.all().to-1]), s.x.Indptr[i+1]}
}

// weights returns the weights of shared columns from their slots, and of others from the one row that
// has them.
func (s *single) weights(_ int, dst []float32) []float32 {
	dst = slices.Grow(dst[:0], s.x.Cols)[:s.x.Cols]
	clear(dst[len(s.slots):])
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			dst[j] = s.p.weight(j, s.slots[j].U)
		}
	})
	s.overRows(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if next := i + idsAhead; next < len(s.rows) {
				kernels.PrefetchAll(s.tail(next).idx())
			}
			r := &s.rows[i]
			s.p.tailWeights(dst, s.tail(i), r.alpha*float64(r.scale))
		}
	})
	return dst
}

func (s *single) intercepts(int) []float64 { return s.bias }

func (s *single) alpha(_ int, dst []float64) []float64 {
	for i := range s.rows {
		dst = append(dst, s.rows[i].alpha)
	}
	return dst
}

// overRows calls work for every chunk of rows.
func (s *single) overRows(work func(chunk, lo, hi int)) {
	par.Chunks(s.opts.Threads, len(s.rows), chunkRows, work)
}

// overColumns calls work for every chunk of shared columns.
func (s *single) overColumns(work func(chunk, lo, hi int)) {
	par.Chunks(s.opts.Threads, len(s.slots), chunkColumns, work)
}

// begin lays out slots and rows.
func (s *single) begin() {
	s.p = &s.problems[0]
	s.overColumns(func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.slots[j] = s.p.slot(j)
		}
	})
	s.started = s.p.Start != nil
	s.bias, s.order = make([]float64, s.p.thresholds()), s.order[:0]
	s.overRows(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			prefetchInOrder(s, s.slots, i, s.all())
			s.prepareRow(i)
		}
	})
	for i := range s.rows {
		if s.rows[i].cost > 0 {
			s.order = append(s.order, int32(i))
		}
	}
	primal, _ := s.p.atZero(s.loss, len(s.rows))
	s.descent = descent{
		solution: solution{gapRatio: newGapRatio(s.opts.Loss), primal: primal},
		shrink:   shrinker{enabled: s.shrinks()},
		watch:    newWatch(),
		lastFull: math.Inf(1),
	}
	s.descent.shrink.reset(len(s.order))
	if s.started {
		s.fromAlpha()
	}
	s.setBatch(s.chooseBatch())
}

// prepareRow lays out a row, with the alpha that it starts from.
func (s *single) prepareRow(i int) {
	r := &s.rows[i]
	*r = row{y: -1, cost: s.p.Cost(i)}
	if s.p.positive(i) {
		r.y = 1
	}
	squares, own := s.head(i).squares(s.slots), s.p.squares(s.tail(i))
	r.scale = r.y * float32(s.p.rowScale(i, squares+own))
	square := float64(r.scale) * float64(r.scale)
	r.own = float64(own * square)
	r.norm = float64(squares*square) + r.own + s.biasSquare
	if s.p.Threshold != nil {
		r.threshold = s.p.Threshold[i]
	}
	if r.cost == 0 {
		return
	}
	r.alpha = s.loss.start(r.cost)
	if s.started {
		r.alpha = s.loss.nearest(s.p.Start[i], r.cost)
	}
	r.rest = r.cost - r.alpha
	r.fresh = !s.started
}

// The order of an epoch is known in advance, so what the next rows need is prefetched
// while this one computes: what is known of them, then their ids, then, by these, their
// slots. The slots of the most frequent features stay in the cache by themselves.
const (
	rowsAhead   = 8
	idsAhead    = 4
	slotsAhead  = 2
	cachedSlots = 1 << 16
)

// prefetch asks for what the rows behind the k-th of the order need of some pieces.
func (s *single) prefetch(order []int32, k int, of pieces) {
	if len(s.slots) <= cachedSlots {
		return
	}
	if next := k + rowsAhead; next < len(order) {
		i := int(order[next])
		kernels.Prefetch(&s.starts[i])
		kernels.Prefetch(&s.endsOf(i)[0])
		if of.from == 0 {
			kernels.Prefetch(&s.rows[i])
		}
	}
	if next := k + idsAhead; next < len(order) {
		s.within(int(order[next]), of).prefetch()
	}
	if next := k + slotsAhead; next < len(order) {
		kernels.PrefetchEntries(s.slots, s.within(int(order[next]), of).idx(), cachedSlots)
	}
}

// prefetchInOrder is like prefetch for passes over rows as they lie and what a table has for them in some pieces. That
// rows lie one behind the other is not enough for the CPU to have their ids in time: such passes took twice as long.
func prefetchInOrder[T kernels.Slot | float64](s *single, table []T, i int, of pieces) {
	if len(table) <= cachedSlots {
		return
	}
	if next := i + idsAhead; next < len(s.rows) {
		s.within(next, of).prefetch()
	}
	if next := i + slotsAhead; next < len(s.rows) {
		kernels.PrefetchEntries(table, s.within(next, of).idx(), cachedSlots)
	}
}
