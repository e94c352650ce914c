package solver

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// streamGroup is several problems side by side on a stream. It is a group without rows: what it needs of a row is
// put together from what is kept of all of them, where the row has entries in a chunk.
type streamGroup struct {
	group
	from     *stream
	alpha    []kernels.Group64
	known    []kernels.Group // as streamSingle.known, for each problem
	positive []uint8         // bit k: y_i is +1 in problem k
	nonzero  []uint8         // bit k: alpha_i is not 0 in problem k
	squares  kernels.Group64 // ‖w‖²
	sums     [kernels.GroupSize]objective
	r        groupRow // scratch memory
	due      bool     // for a certificate, by the last pass over all rows
}

func newStreamGroup(s *stream) *streamGroup {
	n := s.Source.Rows()
	g := &streamGroup{
		from: s, alpha: table[kernels.Group64](&s.common, n), known: table[kernels.Group](&s.common, n),
		positive: table[uint8](&s.common, n), nonzero: table[uint8](&s.common, n),
	}
	g.slots = table[kernels.GroupSlot](&s.common, s.Source.Cols())
	if s.loss == Logistic {
		g.rest = table[kernels.Group64](&s.common, n)
	}
	return g
}

func (g *streamGroup) memberOf(k int) *member { return &g.group.members[k] }

func (g *streamGroup) weight(k, column int) float32 {
	return g.problems[k].weight(column, g.slots[column][0][k])
}

func (g *streamGroup) appendAlpha(dst []float64, k int) []float64 {
	for i := range g.alpha {
		dst = append(dst, g.alpha[i][k])
	}
	return dst
}

func (g *streamGroup) intercept(k int) float64 { return g.bias[k] }

func (g *streamGroup) isDone() bool { return g.descent.done }

func (g *streamGroup) begin(problems []Problem) {
	g.set(problems, g.from.opts)
	g.open, g.due, g.descent, g.bias = 1<<len(problems)-1, false, groupDescent{}, kernels.Group64{}
	for k := range g.group.members {
		g.group.members[k] = newMember(g.opts.Loss)
	}
	for j := range g.slots {
		g.slots[j] = kernels.GroupSlot{}
		for k := range problems {
			g.slots[j][1][k] = problems[k].slot(j).S
		}
	}
	for i := range g.alpha {
		g.alpha[i], g.known[i][0], g.positive[i], g.nonzero[i] = kernels.Group64{}, unknown, 0, 0
		for k := range problems {
			p := &problems[k]
			if p.Positive[i] {
				g.positive[i] |= 1 << k
			}
			cost := p.cost(i)
			if cost == 0 {
				continue
			}
			g.group.members[k].primal += g.opts.Loss.of(0, cost)
			if g.opts.Loss == Logistic {
				g.alpha[i][k] = g.opts.Loss.start(cost)
				g.rest[i][k] = cost - g.alpha[i][k]
				g.nonzero[i] |= 1 << k
			}
		}
	}
}

func (g *streamGroup) rows(c *chunk, dst []int32) []int32 {
	mass := g.problems[0].Mass
	for at, i := range c.rows {
		if mass == nil || mass[i] > 0 {
			dst = append(dst, int32(at))
		}
	}
	return dst
}

// load puts together what is known of a row, but for alpha.
func (g *streamGroup) load(i int32, row part, r *groupRow) {
	known := &g.known[i]
	if known[0] != known[0] {
		squares := g.squaresOf(row)
		for k := range g.problems {
			p := &g.problems[k]
			known[k] = p.knownOf(int(i), float64(squares[k]))
		}
	}
	r.mass, r.positive, r.nonzero = 1, g.positive[i], g.nonzero[i]
	if mass := g.problems[0].Mass; mass != nil {
		r.mass = mass[i]
	}
	for k := range g.problems {
		scale, norm := g.problems[k].scaleAndNorm(int(i), known[k])
		r.scale[k], r.norm[k] = float32(r.y(k)*scale), float32(norm+g.biasSquare)
	}
}

func (g *streamGroup) visit(c *chunk, places []int32, counts bool) []int32 {
	var seen [kernels.GroupSize]pass
	for k := range seen {
		seen[k] = g.group.members[k].seen
	}
	for left := g.running; left != 0; left &= left - 1 {
		g.group.members[bits.TrailingZeros8(left)].stats.Steps += int64(len(places))
	}
	moving := places[:0]
	for at, place := range places {
		g.prefetch(c, places, at)
		if g.update(c, place) {
			moving = append(moving, place)
		}
	}
	if !counts {
		for k := range seen {
			g.group.members[k].seen = seen[k]
		}
	}
	return moving
}

// prefetch asks for what the rows behind the k-th of a list need.
func (g *streamGroup) prefetch(c *chunk, places []int32, k int) {
	if next := k + idsAhead; next < len(places) {
		place := places[next]
		rowOf(&c.x, int(place)).prefetch()
		kernels.Prefetch(&g.known[c.rows[place]])
	}
	if next := k + slotsAhead; next < len(places) && len(g.slots) > cachedGroups {
		kernels.PrefetchEntries(g.slots, rowOf(&c.x, int(places[next])).idx, cachedGroups)
	}
}

// update makes the coordinate updates of a row, and says whether it is not at a bound in all problems.
func (g *streamGroup) update(c *chunk, place int32) (moves bool) {
	i, row := c.rows[place], rowOf(&c.x, int(place))
	r := &g.r
	fresh := g.from.steps == 1 && g.known[i][0] != g.known[i][0] // the slots hold nothing of it yet
	if g.load(i, row, r); fresh {
		squares := g.squaresOf(row)
		for k := range g.problems {
			g.group.members[k].norms += float64(squares[k]) + float64(g.known[i][k])
		}
	}
	dots := g.dots(row)
	relevant := g.running
	if g.opts.Loss != Logistic {
		relevant = g.relevant(r, &dots, g.running)
	}
	if relevant == 0 {
		return false
	}
	r.alpha = g.alpha[i]
	atBound := g.updateRow(i, r, row, &dots, relevant, fresh)
	g.alpha[i], g.nonzero[i] = r.alpha, r.nonzero
	return !atBound
}

func (g *streamGroup) beginPass(first bool) {
	if first {
		g.running = g.open
	}
	for k := range g.group.members {
		g.group.members[k].seen = pass{}
	}
	g.squares, g.sums = kernels.Group64{}, [kernels.GroupSize]objective{}
}

func (g *streamGroup) endPass(full bool) (goes bool) {
	goal := goalPart * g.opts.Tol
	if g.full = full; full {
		goal = g.opts.Tol
		g.count()
	}
	for left := g.running; left != 0; left &= left - 1 {
		k := bits.TrailingZeros8(left)
		m := &g.group.members[k]
		if full {
			m.primal = m.seen.primal
		}
		if m.reaches(full, goal) {
			g.running &^= 1 << k
		}
	}
	if full {
		g.due = g.running == 0
	}
	return g.running != 0
}

// count counts an epoch.
func (g *streamGroup) count() {
	g.descent.epoch++
	for left := g.open; left != 0; left &= left - 1 {
		g.group.members[bits.TrailingZeros8(left)].stats.Epochs++
	}
}

func (g *streamGroup) isDue() bool { return g.due || g.descent.epoch >= g.opts.MaxEpochs }

func (g *streamGroup) certify() {
	g.due = false
	g.sumSquares(&g.squares)
	g.conclude(&g.squares, &g.sums)
	if g.descent.done = g.open == 0 || g.descent.epoch >= g.opts.MaxEpochs; !g.descent.done {
		g.count()
	}
}

func (g *streamGroup) take(from *survey) {
	for k := range from.sums {
		g.sums[k].add(from.sums[k])
	}
}

func (g *streamGroup) survey(c *chunk, lo, hi int, dst *survey) {
	var r groupRow
	mass := g.problems[0].Mass
	for at := lo; at < hi; at++ {
		i := c.rows[at]
		if mass != nil && mass[i] == 0 {
			continue
		}
		if next := at + slotsAhead; next < hi && len(g.slots) > cachedGroups {
			kernels.PrefetchEntries(g.slots, rowOf(&c.x, next).idx, cachedGroups)
		}
		row := rowOf(&c.x, at)
		g.load(i, row, &r)
		r.alpha = g.alpha[i]
		var dots kernels.Group64
		for k, dot := range g.dots(row) {
			dots[k] = float64(dot)
		}
		var own kernels.Group64 // no column is of one row alone
		if g.sumRow(i, &r, &dots, &own, &dst.sums); r.atBound&g.open != g.open {
			dst.moving = append(dst.moving, int32(at))
		}
	}
}
