package solver

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// streamPart is one problem, or several side by side, on a stream, while they are solved. It is a group without rows:
// what it needs of a row is put together from what is kept of all of them, where the row has entries in a chunk. It is
// used by one goroutine at a time.
type streamPart struct {
	group
	from  *stream
	lanes int // problems that there is memory for
	// Of each row and problem, one row after the other:
	alpha  []float64
	others []float64 // logistic alone: C_i − alpha_i
	// known is c_i·a_i where rows have unit length, else ‖x_i‖² without the bias; NaN before the row is initialised.
	known []float32
	// Of each row:
	positive []uint8 // bit k: y_i is +1 in problem k
	nonzero  []uint8 // bit k: alpha_i is not 0 in problem k

	marked  []bool          // by the place of a row in the chunk: it is to be kept
	cached  []int32         // places in the cache of the rows that are kept
	squares kernels.Group64 // ‖w‖²
	sums    [kernels.GroupSize]objective
	due     bool // for a certificate, by the last pass over all rows
	long    int  // a row that is too long; -1 if none was found

	// Scratch memory: a list of places, a row, and what the row has for the logistic loss.
	list  []int32
	row   groupRow
	other kernels.Group64
}

// unknown is what a stream knows of a row that it has not initialised.
var unknown = float32(math.NaN())

func newStreamPart(s *stream, lanes int) *streamPart {
	n := s.Source.Rows()
	p := &streamPart{
		from: s, lanes: lanes, alpha: table[float64](&s.common, n*lanes), known: table[float32](&s.common, n*lanes),
		positive: table[uint8](&s.common, n), nonzero: table[uint8](&s.common, n),
	}
	if lanes == 1 {
		p.lone = table[kernels.Slot](&s.common, s.Source.Cols())
	} else {
		p.slots, p.scales = table[kernels.Group](&s.common, s.Source.Cols()), table[float32](&s.common, s.Source.Cols())
	}
	if s.loss == Logistic {
		p.others = table[float64](&s.common, n*lanes)
	}
	return p
}

// begin lays out the state before the first step.
func (p *streamPart) begin(problems []Problem) {
	p.set(problems, p.from.opts)
	p.open, p.due, p.long, p.descent, p.bias = 1<<len(problems)-1, false, -1, groupDescent{}, kernels.Group64{}
	for k := range p.members {
		p.members[k] = newMember(p.opts.Loss)
	}
	p.layOutSlots()
	clear(p.alpha)
	for i := range p.nonzero {
		p.known[i*p.lanes], p.positive[i], p.nonzero[i] = unknown, 0, 0
		for k := range problems {
			problem := &problems[k]
			if problem.Positive[i] {
				p.positive[i] |= 1 << k
			}
			cost := problem.Cost(i)
			if cost == 0 {
				continue
			}
			p.members[k].primal += p.opts.Loss.of(0, cost)
			if p.opts.Loss == Logistic {
				at := i*p.lanes + k
				p.alpha[at] = p.opts.Loss.start(cost)
				p.others[at] = cost - p.alpha[at]
				p.nonzero[i] |= 1 << k
			}
		}
	}
}

// takesPart appends the places of those rows of a chunk to dst that have a mass.
func (p *streamPart) takesPart(c *chunk, dst []int32) []int32 {
	mass := p.problems[0].Mass
	for at, i := range c.rows {
		if mass == nil || mass[i] > 0 {
			dst = append(dst, int32(at))
		}
	}
	return dst
}

// load puts together what is known of a row.
func (p *streamPart) load(i int32, row part, r *groupRow, rest *kernels.Group64) {
	first := int(i) * p.lanes
	known := p.known[first:][:len(p.problems)]
	if known[0] != known[0] {
		squares := p.squaresOf(row)
		for k := range known {
			known[k] = p.problems[k].knownOf(int(i), float64(squares[k]))
		}
	}
	r.mass, r.positive, r.nonzero = 1, p.positive[i], p.nonzero[i]
	if mass := p.problems[0].Mass; mass != nil {
		r.mass = mass[i]
	}
	copy(r.alpha[:], p.alpha[first:][:len(known)])
	if p.opts.Loss == Logistic {
		copy(rest[:], p.others[first:][:len(known)])
	}
	for k := range known {
		scale, norm := p.problems[k].scaleAndNorm(int(i), known[k])
		r.scale[k], r.norm[k] = float32(r.y(k)*scale), float32(norm+p.biasSquare)
	}
}

// knownOf returns c_i·a_i where rows have unit length, else ‖x_i‖², given Σ X_ij²·s_j².
func (p *Problem) knownOf(i int, squares float64) float32 {
	if p.UnitRows {
		return float32(inverseRoot(squares)) // a_i cancels
	}
	if p.RowScale != nil {
		squares *= p.RowScale[i] * p.RowScale[i]
	}
	return float32(squares)
}

// scaleAndNorm returns c_i·a_i and ‖x_i‖², given knownOf.
func (p *Problem) scaleAndNorm(i int, known float32) (scale, norm float64) {
	switch {
	case p.UnitRows && known > 0:
		return float64(known), 1
	case p.UnitRows:
		return 0, 0
	case p.RowScale != nil:
		return p.RowScale[i], float64(known)
	}
	return 1, float64(known)
}

// updateAll makes updates of the listed rows of a chunk, Inner times those that still move, and returns those that are
// not at a bound then, in the memory of the list.
func (p *streamPart) updateAll(c *chunk, places []int32, random xmath.SplitMix) []int32 {
	for visit := range p.from.Inner {
		xmath.Shuffle(&random, places)
		places = p.visit(c, places, visit == 0)
	}
	return places
}

// settle updates the rows of the cache until the part is nearly solved, but for rows that are not there.
func (p *streamPart) settle(ctx context.Context, random xmath.SplitMix, most int) {
	p.list = append(p.list[:0], p.cached...)
	for n := range most {
		if len(p.list) == 0 || ctx.Err() != nil {
			return
		}
		p.beginPass(n == 0)
		xmath.Shuffle(&random, p.list)
		p.list = p.visit(&p.from.cache, p.list, true)
		if !p.endPass(false) {
			return
		}
	}
}

// mark marks the rows that are listed, of so many in a chunk.
func (p *streamPart) mark(rows int) {
	p.marked = slices.Grow(p.marked[:0], rows)[:rows]
	clear(p.marked)
	for _, at := range p.list {
		p.marked[at] = true
	}
}

// visit makes an update of every listed row of a chunk. It returns those that are not at a bound, in the memory of the
// list. With counts, what it sees adds to the estimate of the pass.
func (p *streamPart) visit(c *chunk, places []int32, counts bool) []int32 {
	before := p.members
	for left := p.running; left != 0; left &= left - 1 {
		p.members[bits.TrailingZeros8(left)].stats.Steps += int64(len(places))
	}
	moving := places[:0]
	for at, place := range places {
		p.prefetchPlaces(c, places, at)
		if p.updatePlace(c, place) {
			moving = append(moving, place)
		}
	}
	if !counts {
		for k := range before {
			p.members[k].seen = before[k].seen
		}
	}
	return moving
}

// prefetchPlaces asks for what the rows behind the k-th of a list need.
func (p *streamPart) prefetchPlaces(c *chunk, places []int32, k int) {
	if next := k + idsAhead; next < len(places) {
		place := places[next]
		rowOf(&c.x, int(place)).prefetch()
		kernels.Prefetch(&p.known[int(c.rows[place])*p.lanes])
	}
	if next := k + slotsAhead; next < len(places) {
		p.prefetchSlots(rowOf(&c.x, int(places[next])))
	}
}

// updatePlace makes the coordinate updates of a row, and says whether it is not at a bound in all problems.
func (p *streamPart) updatePlace(c *chunk, place int32) (moves bool) {
	i, row := c.rows[place], rowOf(&c.x, int(place))
	r, rest, first := &p.row, &p.other, int(i)*p.lanes
	fresh := p.from.steps == 1 && p.known[first] != p.known[first] // the slots hold nothing of it yet
	p.load(i, row, r, rest)
	if fresh {
		squares := p.squaresOf(row)
		for k := range p.problems {
			square := float64(squares[k]) + float64(p.known[first+k])
			if p.members[k].norms += square; p.long < 0 && tooLong(square) {
				p.long = int(i)
			}
		}
	}
	dots := p.dots(row)
	relevant := p.running
	if p.opts.Loss != Logistic {
		relevant = p.relevant(i, r, &dots, p.running)
	}
	if relevant == 0 {
		return false
	}
	atBound := p.updateRow(i, r, rest, row, &dots, relevant, fresh)
	p.nonzero[i] = r.nonzero
	copy(p.alpha[first:][:len(p.problems)], r.alpha[:])
	if p.opts.Loss == Logistic {
		copy(p.others[first:][:len(p.problems)], rest[:])
	}
	return !atBound
}

// beginPass begins a pass of updates of a chunk, or of the cache.
func (p *streamPart) beginPass(first bool) {
	if first {
		p.running = p.open
	}
	for k := range p.members {
		p.members[k].seen = pass{}
	}
	p.squares, p.sums = kernels.Group64{}, [kernels.GroupSize]objective{}
}

// endPass takes in a pass of updates, and says whether more of them are worth while.
func (p *streamPart) endPass(full bool) (goes bool) {
	goal := goalPart * p.opts.Tol
	if p.full = full; full {
		goal = p.opts.Tol
		p.count()
	}
	for left := p.running; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &p.members[k]
		if full {
			m.primal = m.seen.primal
		}
		if m.reaches(full, goal) {
			p.running &^= 1 << k
		}
	}
	if full {
		p.due = p.running == 0
	}
	return p.running != 0
}

// count counts an epoch.
func (p *streamPart) count() {
	p.descent.epoch++
	for left := p.open; left != 0; left &= left - 1 {
		p.members[bits.TrailingZeros8(left)].stats.Epochs++
	}
}

// isDue reports whether the part is to be certified.
func (p *streamPart) isDue() bool { return p.due || p.descent.epoch >= p.opts.MaxEpochs }

// isDone reports whether its problems are solved.
func (p *streamPart) isDone() bool { return p.descent.done }

// concludePass concludes a pass of surveys.
func (p *streamPart) concludePass() {
	p.due = false
	p.sumSquares(&p.squares)
	p.conclude(&p.squares, &p.sums)
	if p.descent.done = p.open == 0 || p.descent.epoch >= p.opts.MaxEpochs; !p.descent.done {
		p.count()
	}
}

// survey adds up what the listed rows of a chunk are to the objectives, and returns those that would move, in the
// memory of the list.
func (p *streamPart) survey(c *chunk, places []int32) []int32 {
	moving, r := places[:0], &p.row
	for at, place := range places {
		p.prefetchPlaces(c, places, at)
		row := rowOf(&c.x, int(place))
		p.load(c.rows[place], row, r, &p.other)
		var own kernels.Group64 // no column is of one row alone
		if p.sumRow(c.rows[place], r, &p.other, p.dots(row), &own, &p.sums); r.atBound&p.open != p.open {
			moving = append(moving, place)
		}
	}
	return moving
}
