package solver

import (
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Of many classes, most rows are of others, and their alpha soon are 0 and stay there. From the epoch restFrom on,
// such a row is visited every restEpochs-th time, in turns. The certificate is of all rows. Nothing needs to be kept
// for that.
const (
	restFrom   = 3
	restEpochs = 4
)

// rests says whether a row is passed over in this epoch.
func (s *stream) rests(m *streamMember, i int) bool {
	return m.alpha[i] == 0 && s.epochs >= restFrom && (i+s.epochs)%restEpochs != 0
}

// updateAll makes the updates of one problem for the rows in memory.
func (s *stream) updateAll(m *streamMember, c *chunk, seed splitmix.Source) {
	random := seed + splitmix.Source(c.number) // whatever other problems do
	m.order = m.order[:0]
	for at, i := range c.rows {
		if m.p.cost(int(i)) > 0 && !s.rests(m, int(i)) {
			m.order = append(m.order, int32(at))
		}
	}
	for inner := range s.Inner {
		if inner > 0 {
			m.order = slices.DeleteFunc(m.order, func(at int32) bool { return m.alpha[c.rows[at]] == 0 })
		}
		splitmix.Shuffle(&random, m.order)
		m.stats.Steps += int64(len(m.order))
		for k, at := range m.order {
			if next := k + idsAhead; next < len(m.order) {
				kernels.PrefetchAll(rowOf(&c.x, int(m.order[next])).idx)
			}
			if next := k + slotsAhead; next < len(m.order) && len(m.slots) > cachedSlots {
				kernels.PrefetchEntries(m.slots, rowOf(&c.x, int(m.order[next])).idx, cachedSlots)
			}
			alike := 1.0 // rows that this one is visited for
			if m.alpha[c.rows[at]] == 0 && s.epochs >= restFrom {
				alike = restEpochs
			}
			v := s.updateRow(m, c, int(at), s.epochs == 1 && inner == 0)
			if inner == 0 {
				m.seen.gap += float64(alike * v.gap)
				m.seen.primal += float64(alike * v.primal)
			}
		}
	}
}

// updateRow is a step for one row of those in memory; that is fresh of which the slots hold
// nothing yet.
func (s *stream) updateRow(m *streamMember, c *chunk, at int, fresh bool) update {
	i := int(c.rows[at])
	row := rowOf(&c.x, at)
	cost := m.p.cost(i)
	scale, norm := s.known(m, i, row)
	y := m.p.side(i)
	margin := y * (float64(scale*float64(row.dot(m.slots))) + m.bias)
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
		row.add(m.slots, float32(float64(v.delta*y))*float32(scale))
		m.bias += float64(v.delta * y * s.opts.Bias * s.opts.Bias)
	}
	return v
}

// known is what does not change of row i: c_i·a_i, and ‖x_i‖² with the bias.
func (s *stream) known(m *streamMember, i int, row part) (scale, norm float64) {
	bias := float64(s.opts.Bias * s.opts.Bias)
	k := m.known[i]
	if k != k {
		k = m.initialise(i, row)
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
func (m *streamMember) initialise(i int, row part) float32 {
	squares := row.squares(m.slots)
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
