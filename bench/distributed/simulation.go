package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Round is what came of a round.
type Round struct {
	Number   int           // from 1
	Slowest  time.Duration // of the worker that took longest
	Work     time.Duration // of all workers
	Messages Messages
	// Primal, Dual and Gap are NaN where they were not computed.
	Primal, Dual float64
	Gap          float64 // (P−D)/P
	Diverged     bool    // P is far above what it is without any weights, as what is not safe may make it
}

// row is what is known of a row.
type row struct {
	scale float32 // y·c
	y     float32
	norm  float64 // Σ over shared columns of sigma'_j·x_ij²
	own   float64 // Σ over columns of this row alone of x_ij²
	alpha float64
	begin float64 // alpha when the round began
}

// worker is the rows of a machine, in the order in which they are updated.
type worker struct {
	rows   []int32
	next   int
	random splitmix.Source
	bias   float64 // what the worker has changed the bias's part of decisions by
	sent   int64   // columns that it has changed and that others have, too
}

// Simulation is a training under way.
type Simulation struct {
	p       *Problem
	o       Options
	rows    []row
	workers []worker
	slots   []kernels.Slot // u and sigma'_j·s_j² of the worker whose turn it is, by shared column
	u       []float32      // w_j·s_j, which all workers know
	bias    float64        // likewise, the bias's part of decisions
	holders []uint64       // a bit for every worker that has the column
	sigma   []float32      // sigma'_j; nil where it is the same for all
	same    float64        // sigma' of all columns
	alone   float64        // of columns of one row, and of the bias those of all workers
	ofBias  float64
	gamma   float64
	changes []float64 // of u, added up
	shared  int64     // columns that several workers have
	updated []int32   // rows, by the worker whose turn it is
	atZero  float64   // P without weights
	rounds  int
	steps   float64 // epochs since the gap was computed
}

// New deals out the rows of a problem.
func New(p *Problem, o Options) (*Simulation, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	n := len(p.Rows)
	if p.Rows == nil {
		n = p.X.Rows
	}
	switch {
	case len(p.Positive) != p.X.Rows || len(p.ColScale) != p.X.Cols:
		return nil, errors.New("distributed: labels or scales of columns are not as many as rows and columns")
	case n < o.Workers:
		return nil, fmt.Errorf("distributed: %d rows for %d workers", n, o.Workers)
	case !(p.Cost > 0):
		return nil, fmt.Errorf("distributed: the cost is %v, want more than 0", p.Cost)
	}
	columns := p.X.SharedColumns()
	s := &Simulation{
		p: p, o: o, rows: make([]row, p.X.Rows), workers: make([]worker, o.Workers),
		slots: make([]kernels.Slot, columns), u: make([]float32, columns), changes: make([]float64, columns),
		holders: make([]uint64, columns),
	}
	s.atZero = float64(n) * p.Loss.Value(0, p.Cost)
	s.deal(n)
	s.setSigma()
	for k := range s.workers {
		for _, i := range s.workers[k].rows {
			s.prepare(int(i))
		}
	}
	return s, nil
}

// deal shares n rows out.
func (s *Simulation) deal(n int) {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
		if s.p.Rows != nil {
			order[i] = s.p.Rows[i]
		}
	}
	random := splitmix.Source(s.o.Seed)
	if !s.o.Contiguous {
		splitmix.Shuffle(&random, order)
	}
	for k := range s.workers {
		w := &s.workers[k]
		w.rows = order[n*k/len(s.workers) : n*(k+1)/len(s.workers)]
		w.next, w.random = len(w.rows), splitmix.Source(random.Uint64())
		for _, i := range w.rows {
			for _, j := range s.head(int(i)) {
				s.holders[j] |= 1 << k
			}
		}
	}
	for _, holders := range s.holders {
		if bits.OnesCount64(holders) > 1 {
			s.shared++
		}
	}
}

// setSigma decides on sigma' and gamma.
func (s *Simulation) setSigma() {
	workers := float64(len(s.workers))
	s.gamma, s.same, s.alone, s.ofBias = 1, 1, 1, 1
	switch s.o.Method {
	case Averaging:
		s.gamma = 1 / workers
	case Adding:
		s.same = max(1, s.o.Factor*workers)
		s.alone, s.ofBias = s.same, s.same
	case ByColumn:
		s.ofBias = max(1, s.o.Factor*workers)
		s.sigma = make([]float32, len(s.slots))
	}
	for j := range s.slots {
		c, sigma := float64(s.p.ColScale[j]), s.same
		if s.sigma != nil {
			sigma = max(1, s.o.Factor*float64(bits.OnesCount64(s.holders[j])))
			s.sigma[j] = float32(sigma)
		}
		s.slots[j].S = float32(c * c * sigma)
	}
}

// sigmaOf is sigma' of a column.
func (s *Simulation) sigmaOf(j int) float64 {
	if s.sigma != nil {
		return float64(s.sigma[j])
	}
	return s.same
}

// head is the columns of a row that other rows have, too.
func (s *Simulation) head(i int) []uint32 {
	idx, _ := s.split(i)
	return idx
}

// split is head with values, which are nil where all are 1.
func (s *Simulation) split(i int) ([]uint32, []float32) {
	idx, val := s.p.X.Row(i)
	end := len(idx)
	for end > 0 && int(idx[end-1]) >= len(s.slots) {
		end--
	}
	if val != nil {
		val = val[:end]
	}
	return idx[:end], val
}

// prepare computes what does not change of a row, and the alpha that it starts from.
func (s *Simulation) prepare(i int) {
	idx, val := s.p.X.Row(i)
	shared := len(s.head(i))
	var weighted, own float64
	for k, j := range idx {
		x := float64(s.p.ColScale[j])
		if val != nil {
			x *= float64(val[k])
		}
		if k < shared {
			weighted += float64(float64(x*x) * s.sigmaOf(int(j)))
		} else {
			own += float64(x * x)
		}
	}
	r := &s.rows[i]
	r.y = -1
	if s.p.Positive[i] {
		r.y = 1
	}
	r.scale = r.y * float32(s.p.rowScale(i))
	square := float64(r.scale) * float64(r.scale)
	r.norm, r.own = float64(weighted*square), float64(own*square)
	r.alpha = s.p.Loss.Start(s.p.Cost) // too small to be told from 0 in w
	r.begin = r.alpha
}

// Round runs one.
func (s *Simulation) Round(ctx context.Context) (Round, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s.rounds++
	r := Round{Number: s.rounds, Primal: math.NaN(), Dual: math.NaN(), Gap: math.NaN()}
	for k := range s.workers {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		before := threadTime()
		s.work(&s.workers[k])
		took := threadTime() - before
		r.Slowest, r.Work = max(r.Slowest, took), r.Work+took
	}
	r.Messages = s.exchange()
	if s.steps += s.o.LocalEpochs; s.o.Exact || s.steps >= gapEvery || s.rounds == s.o.MaxRounds {
		s.steps = 0
		r.Primal, r.Dual = s.objectives()
		r.Gap = (r.Primal - r.Dual) / r.Primal
		r.Diverged = !(r.Primal <= far*s.atZero)
	}
	return r, nil
}

// far is how many times P without weights P may become.
const far = 100

// gapEvery is after how many epochs the gap is computed, at least.
const gapEvery = 0.1

// work is what a worker does in a round: updates of its rows, and the changes that come of them.
func (s *Simulation) work(w *worker) {
	own, loss, cost := s.alone, s.p.Loss, s.p.Cost
	square := float64(s.p.Bias * s.p.Bias)
	biasNorm := float64(square * s.ofBias)
	bias := s.bias
	touched := 0 // entries of rows that were updated
	s.updated = s.updated[:0]
	steps := max(int(math.Round(s.o.LocalEpochs*float64(len(w.rows)))), 1)
	for range steps {
		if w.next == len(w.rows) {
			splitmix.Shuffle(&w.random, w.rows)
			w.next = 0
		}
		if ahead := w.next + rowsAhead; ahead < len(w.rows) {
			idx, _ := s.p.X.Row(int(w.rows[ahead]))
			kernels.PrefetchAll(idx)
		}
		i := int(w.rows[w.next])
		w.next++
		r := &s.rows[i]
		idx, val := s.split(i)
		dot := float64(float64(kernels.DotSlots(s.slots, idx, val)) * float64(r.scale))
		margin := dot + float64(r.own*(r.begin+float64(own*(r.alpha-r.begin)))) + float64(float64(r.y)*bias)
		next := loss.Step(r.alpha, cost, r.norm+float64(own*r.own)+biasNorm, margin)
		d := next - r.alpha
		if d == 0 {
			continue
		}
		r.alpha = next
		kernels.AxpySlots(s.slots, idx, val, float32(d)*r.scale)
		bias += float64(d * float64(r.y) * biasNorm)
		touched, s.updated = touched+len(idx), append(s.updated, int32(i))
	}
	w.bias = (bias - s.bias) / s.ofBias
	w.sent = 0
	if touched > len(s.slots)/4 {
		for j := range s.slots {
			s.collect(w, j)
		}
		return
	}
	for _, i := range s.updated {
		for _, j := range s.head(int(i)) {
			s.collect(w, int(j))
		}
	}
}

// collect takes what a worker has changed in a column, and brings its slot back to what all know.
func (s *Simulation) collect(w *worker, j int) {
	d := s.slots[j].U - s.u[j]
	if d == 0 {
		return
	}
	s.slots[j].U = s.u[j]
	s.changes[j] += float64(d) / s.sigmaOf(j)
	if h := s.holders[j]; h&(h-1) != 0 {
		w.sent++
	}
}

// rowsAhead is how many rows ahead of their updates ids are asked for.
const rowsAhead = 3

// exchange adds the changes up.
func (s *Simulation) exchange() Messages {
	const number, pair = 4, 8 // bytes of a change, without and with its column
	m := Messages{Workers: len(s.workers), Dense: number * (s.shared + 1)}
	var received [MostWorkers]int64
	for j, d := range s.changes {
		if d == 0 {
			continue
		}
		s.changes[j] = 0
		s.u[j] = float32(float64(s.u[j]) + float64(s.gamma*d))
		s.slots[j].U = s.u[j]
		if h := s.holders[j]; h&(h-1) != 0 {
			for ; h != 0; h &= h - 1 {
				received[bits.TrailingZeros64(h)]++
			}
		}
	}
	for k := range s.workers {
		w := &s.workers[k]
		s.bias += float64(s.gamma * w.bias)
		m.Sent, m.Received = max(m.Sent, pair*w.sent), max(m.Received, pair*received[k])
		m.All += pair * (w.sent + received[k])
		for _, i := range w.rows {
			r := &s.rows[i]
			r.alpha = r.begin + float64(s.gamma*(r.alpha-r.begin))
			r.begin = r.alpha
		}
	}
	return m
}

// Decisions are those of all rows, of workers or not, by the weights that all know.
func (s *Simulation) Decisions() []float64 {
	decisions := make([]float64, s.p.X.Rows)
	for i := range decisions {
		idx, val := s.split(i)
		dot := float64(kernels.DotSlots(s.slots, idx, val))
		decisions[i] = float64(dot*s.p.rowScale(i)) + s.bias
	}
	return decisions
}
