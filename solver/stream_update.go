package solver

import (
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// updateAll makes the updates of one problem for the rows in memory.
func (s *stream) updateAll(m *streamMember, c *chunk, seed splitmix.Source) {
	random := seed + splitmix.Source(c.number) // whatever other problems do
	m.order = m.order[:0]
	for at, i := range c.rows {
		if m.p.cost(int(i)) > 0 {
			m.order = append(m.order, int32(at))
		}
	}
	for inner := range s.Inner {
		splitmix.Shuffle(&random, m.order)
		for k, at := range m.order {
			if next := k + idsAhead; next < len(m.order) {
				idx, _ := c.x.Row(int(m.order[next]))
				kernels.PrefetchAll(idx)
			}
			if next := k + slotsAhead; next < len(m.order) && len(m.slots) > cachedSlots {
				idx, _ := c.x.Row(int(m.order[next]))
				kernels.PrefetchSlots(m.slots, idx, cachedSlots)
			}
			v := s.updateRow(m, c, int(at), s.epochs == 1 && inner == 0)
			if inner == 0 {
				m.seen.gap += v.gap
				m.seen.primal += v.primal
			}
		}
	}
	m.stats.Steps += int64(len(m.order) * s.Inner)
}

// updateRow is a step for one row of those in memory; that is fresh of which the slots hold
// nothing yet.
func (s *stream) updateRow(m *streamMember, c *chunk, at int, fresh bool) update {
	i := int(c.rows[at])
	idx, val := c.x.Row(at)
	cost := m.p.cost(i)
	scale, norm := s.known(m, i, idx, val)
	y := m.p.side(i)
	margin := y * (float64(scale*m.dot(idx, val)) + m.bias)
	rest := 0.0
	if m.rest != nil {
		rest = m.rest[i]
	}
	v := s.opts.Loss.update(m.alpha[i], rest, cost, norm, margin)
	if m.rest != nil {
		m.rest[i] = v.rest
	}
	if fresh {
		v.delta = v.next
	}
	m.alpha[i] = v.next
	if v.delta != 0 {
		step := float32(float64(v.delta*y)) * float32(scale)
		if val == nil {
			kernels.AddSlots(m.slots, idx, step)
		} else {
			kernels.AxpySlots(m.slots, idx, val, step)
		}
		m.bias += float64(v.delta * y * s.opts.Bias * s.opts.Bias)
	}
	return v
}

func (m *streamMember) dot(idx []uint32, val []float32) float64 {
	if val == nil {
		return float64(kernels.SumSlots(m.slots, idx))
	}
	return float64(kernels.DotSlots(m.slots, idx, val))
}

// known is what does not change of row i: c_i·a_i, and ‖x_i‖² with the bias.
func (s *stream) known(m *streamMember, i int, idx []uint32, val []float32) (scale, norm float64) {
	bias := float64(s.opts.Bias * s.opts.Bias)
	k := m.known[i]
	if k != k {
		k = m.initialise(i, idx, val)
		m.known[i] = k
	}
	if !m.p.UnitRows {
		scale = 1
		if m.p.RowScale != nil {
			scale = m.p.RowScale[i]
		}
		return scale, float64(k) + bias
	}
	if k > 0 {
		norm = 1
	}
	return float64(k), norm + bias
}

// initialise computes what is kept of row i in streamed.known.
func (m *streamMember) initialise(i int, idx []uint32, val []float32) float32 {
	squares := slotSquares(m.slots, part{idx, val})
	if m.p.UnitRows {
		m.norms += squares
		return float32(inverseRoot(squares)) // a_i cancels
	}
	if m.p.RowScale != nil {
		squares *= m.p.RowScale[i] * m.p.RowScale[i]
	}
	m.norms += float64(float32(squares))
	return float32(squares)
}
