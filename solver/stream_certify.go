package solver

import (
	"context"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// certify computes the objectives of the problems that are not solved, in one pass over all
// blocks.
func (s *stream) certify(ctx context.Context) error {
	s.inOrder()
	for k := range s.members {
		s.members[k].sums = objective{}
	}
	err := s.pass(ctx, s.order, func(c *chunk) {
		s.each(func(m *streamMember) { s.add(m, c) })
	})
	if err != nil {
		return err
	}
	s.each(func(m *streamMember) {
		m.certify(m.square(s.opts.Bias), &m.sums, s.opts.Tol, s.estimate(m), true)
		m.done = m.stats.Converged || m.stats.Epochs == s.opts.MaxEpochs
	})
	return nil
}

// add adds up what the rows in memory are to the objectives.
func (s *stream) add(m *streamMember, c *chunk) {
	for at, i := range c.rows {
		cost := m.p.cost(int(i))
		if cost == 0 {
			continue
		}
		if next := at + slotsAhead; next < len(c.rows) && len(m.slots) > cachedSlots {
			kernels.PrefetchEntries(m.slots, rowOf(&c.x, next).idx, cachedSlots)
		}
		row := rowOf(&c.x, at)
		scale, _ := s.known(m, int(i), row)
		margin := m.p.side(int(i)) * (float64(scale*float64(row.dot(m.slots))) + m.bias)
		alpha, rest := m.alpha[i], 0.0
		if m.rest != nil {
			rest = m.rest[i]
		}
		m.sums.addRow(s.opts.Loss, alpha, rest, cost, margin)
	}
}

// square is ‖w‖².
func (m *streamMember) square(bias float64) float64 {
	var sum float64
	for j := range m.slots {
		sum += m.p.squareOf(j, float64(m.slots[j].U))
	}
	if bias > 0 {
		sum += float64(m.bias*m.bias) / (bias * bias)
	}
	return sum
}
