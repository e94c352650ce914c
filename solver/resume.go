package solver

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// resume takes over the state to resume from, if there is one.
func (s *Solver) resume() error {
	if s.opts.keeps() {
		if s.matrix == 0 {
			s.matrix = s.x.Checksum()
		}
		s.data = dataSum(s.matrix, []Problem{s.p}, &s.opts)
	}
	if s.opts.Resume == nil {
		return nil
	}
	if err := readState(s.opts.Resume, s.state); err != nil {
		return err
	}
	s.setBatch(s.size)
	return nil
}

func (s *Solver) appendState(dst []byte) []byte {
	return appendState(dst, StateBytes(len(s.rows), len(s.slots), 1), s.state)
}

// state walks over what a solution has come to.
func (s *Solver) state(c *codec) {
	c.problem([]Problem{s.p}, &s.opts, s.data)
	d := &s.descent
	c.stats(&d.stats, &s.opts)
	c.flag(&d.done)
	c.check(d.stats.Epochs > 0 && (d.done || d.stats.Epochs < s.opts.MaxEpochs))
	c.flag(&d.widen)
	c.floats(&d.primal, &d.lastFull, &d.trust.full, &d.trust.active, &d.watch.best, &d.watch.last, &d.gain, &d.fall.before)
	c.floats(&d.shrink.upper, &d.shrink.low, &s.bias)
	whole(c, &d.shrink.active, 8, 0, len(s.order))
	whole(c, &s.size, 8, 1, mostBatch)
	s.random = splitmix.Source(c.word(uint64(s.random), 8))
	c.rows(s.order, len(s.rows), 1, func(i int32) bool { return s.rows[i].cost > 0 })
	for i := range s.rows {
		r := &s.rows[i]
		whole(c, &r.calm, 1, 0, patience)
		c.float(&r.alpha, 0, s.opts.Loss.most(r.cost))
		if s.opts.Loss == Logistic {
			c.float(&r.rest, 0, r.cost)
		} else {
			c.floats(&r.moved)
		}
	}
	c.singles(len(s.rows), func(i int) *float32 { return &s.rows[i].gain })
	c.singles(len(s.slots), func(j int) *float32 { return &s.slots[j].U })
}

// resume is Solver.resume.
func (g *Group) resume() error {
	if g.opts.keeps() {
		if g.matrix == 0 {
			g.matrix = checksum.Add(g.x.Checksum(), g.near)
		}
		g.data = dataSum(g.matrix, g.problems, &g.opts)
	}
	if g.opts.Resume == nil {
		return nil
	}
	for _, i := range g.all {
		g.meet(i, &g.rows[i])
	}
	if err := readState(g.opts.Resume, g.state); err != nil {
		return err
	}
	for _, i := range g.order {
		g.rows[i].active = g.descent.surveyed
	}
	return nil
}

func (g *Group) appendState(dst []byte) []byte {
	return appendState(dst, 0, g.state) // far less than StateBytes as a rule
}

// state walks over what the solutions have come to. Rows are not settled, slack or closer
// to moving than Group.close says: later epochs don't ask.
func (g *Group) state(c *codec) {
	c.problem(g.problems, &g.opts, g.data)
	d := &g.descent
	c.flag(&d.surveyed)
	c.flag(&d.done)
	whole(c, &d.epoch, 8, 1, g.opts.MaxEpochs)
	c.check(d.done || d.epoch < g.opts.MaxEpochs || !d.surveyed)
	whole(c, &d.since, 8, 0, refresh)
	whole(c, &g.open, 1, 0, uint8(1<<len(g.problems)-1))
	whole(c, &g.awake, 1, 0, g.open)
	c.check(g.awake&^g.open == 0)
	g.random = splitmix.Source(c.word(uint64(g.random), 8))
	for k := range g.problems {
		m := &g.members[k]
		c.stats(&m.stats, &g.opts)
		c.flag(&m.certified)
		c.floats(&m.trust.full, &m.trust.active, &m.primal, &m.estimate, &g.bias[k])
	}
	g.list(c, &g.order, 1)
	g.list(c, &g.dropped, 2) // once of the sample, once since
	g.rowStates(c)
	g.slotStates(c)
}

// list walks over rows of which there may be any number.
func (g *Group) list(c *codec, rows *[]int32, times uint8) {
	n := len(*rows)
	whole(c, &n, 8, 0, int(times)*len(g.all))
	*rows = slices.Grow((*rows)[:0], n)[:n]
	c.rows(*rows, len(g.rows), times, func(i int32) bool { return g.rows[i].mass > 0 })
}

func (g *Group) rowStates(c *codec) {
	none := uint8(0xff) << len(g.problems)
	listed := g.close
	if c.reading {
		g.close = g.close[:0]
	}
	for _, i := range g.all {
		r := &g.rows[i]
		near := !c.reading && len(listed) > 0 && listed[0] == i
		if near {
			listed = listed[1:]
		}
		if c.flag(&near); c.reading && near {
			g.close = append(g.close, i)
		}
		whole(c, &r.calm, 1, 0, groupPatience)
		whole(c, &r.moved, 1, 0, ^none)
		for left := r.moved; left != 0; left &= left - 1 {
			k := bits.TrailingZeros8(left) % kernels.GroupSize
			c.float(&r.alpha[k], 0, g.opts.Loss.most(g.cost(k, r)))
		}
		if g.opts.Loss == Logistic {
			for k := range g.problems {
				c.float(&g.rest[i][k], 0, g.cost(k, r))
			}
		}
	}
}

func (g *Group) slotStates(c *codec) {
	none := uint8(0xff) << len(g.problems)
	for j := range g.slots {
		u := &g.slots[j][0]
		var some uint8
		for k := range g.problems {
			if math.Float32bits(u[k]) != 0 {
				some |= 1 << k
			}
		}
		whole(c, &some, 1, 0, ^none)
		c.singles(bits.OnesCount8(some), func(int) *float32 {
			k := bits.TrailingZeros8(some) % kernels.GroupSize
			some &= some - 1
			return &u[k]
		})
	}
}
