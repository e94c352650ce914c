package solver

import (
	"context"

	"github.com/seed-167f963f/nbsvm/kernels"
)

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
