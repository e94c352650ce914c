package solver

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// state walks over what a solution has come to.
func (s *single) state(c *codec) {
	c.same(s.data)
	d := &s.descent
	c.stats(&d.stats, &s.opts)
	c.flag(&d.done)
	c.check(d.stats.Epochs > 0 && (d.done || d.stats.Epochs < s.opts.MaxEpochs))
	c.flag(&d.reactivate)
	c.floats(&d.primal, &d.lastFull, &d.gapRatio.full, &d.gapRatio.active, &d.watch.best, &d.watch.last, &d.gain)
	c.floats(&d.trend.before, &d.shrink.upper, &d.shrink.low)
	c.between(-mostWeight, mostWeight, &s.bias)
	whole(c, &d.shrink.active, 8, 0, len(s.order))
	whole(c, &s.size, 8, 1, mostBatch)
	s.random = splitmix.Source(c.word(uint64(s.random), 8))
	c.rows(s.order, len(s.rows), 1, func(i int32) bool { return s.rows[i].cost > 0 })
	for i := range s.rows {
		r := &s.rows[i]
		whole(c, &r.timesAtBound, 1, 0, shrinkAfter)
		c.between(0, s.opts.Loss.most(r.cost), &r.alpha)
		if s.opts.Loss == Logistic {
			c.between(0, r.cost, &r.rest)
		} else {
			c.floats(&r.moved)
		}
		c.single(&r.gain, math.MaxFloat32)
	}
	for j := range s.slots {
		c.single(&s.slots[j].U, mostWeight)
	}
	if c.reading && c.err == nil {
		s.setBatch(s.size)
	}
}

// state walks over what the solutions have come to. Rows are not at a bound, slack or nearer
// to moving than group.candidates says: later epochs don't ask.
func (g *group) state(c *codec) {
	c.same(g.data)
	d := &g.descent
	c.flag(&d.sampled)
	c.flag(&d.done)
	whole(c, &d.epoch, 8, 1, g.opts.MaxEpochs)
	c.check(d.done || d.epoch < g.opts.MaxEpochs || !d.sampled)
	whole(c, &d.since, 8, 0, refresh)
	whole(c, &g.open, 1, 0, uint8(1<<len(g.problems)-1))
	whole(c, &g.running, 1, 0, g.open)
	c.check(g.running&^g.open == 0)
	g.random = splitmix.Source(c.word(uint64(g.random), 8))
	for k := range g.problems {
		m := &g.members[k]
		c.stats(&m.stats, &g.opts)
		c.flag(&m.certified)
		c.floats(&m.gapRatio.full, &m.gapRatio.active, &m.primal, &m.estimate)
		c.between(-mostWeight, mostWeight, &g.bias[k])
	}
	g.list(c, &g.order, 1)
	g.list(c, &g.dropped, 2) // once of the sample, once since
	g.rowStates(c)
	g.slotStates(c)
	if c.reading && c.err == nil {
		for _, i := range g.order {
			g.rows[i].active = d.sampled
		}
	}
}

// list walks over rows of which there may be any number.
func (g *group) list(c *codec, rows *[]int32, times uint8) {
	n := len(*rows)
	whole(c, &n, 8, 0, int(times)*len(g.all))
	*rows = slices.Grow((*rows)[:0], n)[:n]
	c.rows(*rows, len(g.rows), times, func(i int32) bool { return g.rows[i].mass > 0 })
}

func (g *group) rowStates(c *codec) {
	none := uint8(0xff) << len(g.problems)
	listed := g.candidates
	if c.reading {
		g.candidates = g.candidates[:0]
	}
	for _, i := range g.all {
		r := &g.rows[i]
		near := !c.reading && len(listed) > 0 && listed[0] == i
		if near {
			listed = listed[1:]
		}
		if c.flag(&near); c.reading && near {
			g.candidates = append(g.candidates, i)
		}
		whole(c, &r.timesAtBound, 1, 0, groupShrinkAfter)
		whole(c, &r.nonzero, 1, 0, ^none)
		for left := r.nonzero; left != 0; left &= left - 1 {
			k := bits.TrailingZeros8(left) % kernels.GroupSize
			c.between(0, g.opts.Loss.most(g.cost(k, r)), &r.alpha[k])
		}
		if g.opts.Loss == Logistic {
			for k := range g.problems {
				c.between(0, g.cost(k, r), &g.rest[i][k])
			}
		}
	}
}

func (g *group) slotStates(c *codec) {
	none := uint8(0xff) << len(g.problems)
	for j := range max(len(g.slots), len(g.lone)) {
		var some uint8
		for k := range g.problems {
			if u, _ := g.slot(j, k); math.Float32bits(*u) != 0 {
				some |= 1 << k
			}
		}
		whole(c, &some, 1, 0, ^none)
		for ; some != 0; some &= some - 1 {
			u, _ := g.slot(j, bits.TrailingZeros8(some))
			c.single(u, mostWeight)
		}
	}
}

// state walks over what the solutions have come to.
func (s *stream) state(c *codec) {
	c.same(s.data)
	whole(c, &s.steps, 8, 1, s.opts.MaxEpochs+1) // the last may do no more than certify
	c.flag(&s.certifies)
	s.random = splitmix.Source(c.word(uint64(s.random), 8))
	for _, p := range s.parts {
		p.state(c)
	}
}

func (p *streamPart) state(c *codec) {
	for k := range p.problems {
		m := &p.members[k]
		c.stats(&m.stats, &p.opts)
		c.flag(&m.certified)
		c.floats(&m.primal, &m.estimate, &m.gapRatio.full, &m.gapRatio.active)
	}
	c.flag(&p.descent.done)
	c.flag(&p.full)
	c.flag(&p.due)
	whole(c, &p.descent.epoch, 8, 1, p.opts.MaxEpochs)
	whole(c, &p.open, 1, 0, uint8(1<<len(p.problems)-1))
	for k := range p.problems {
		c.between(-mostWeight, mostWeight, &p.bias[k])
	}
	none := uint8(0xff) << len(p.problems)
	for i := range p.nonzero {
		whole(c, &p.nonzero[i], 1, 0, ^none)
		for left := p.nonzero[i]; left != 0; left &= left - 1 {
			k := bits.TrailingZeros8(left) % kernels.GroupSize
			at, cost := i*p.lanes+k, p.problems[k].Cost(i)
			if c.between(0, p.opts.Loss.most(cost), &p.alpha[at]); p.opts.Loss == Logistic {
				c.between(0, cost, &p.others[at])
			}
		}
	}
	p.slotStates(c)
}
