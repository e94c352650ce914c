package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// streamSingle is one problem on a stream.
type streamSingle struct {
	member
	from  *stream
	p     *Problem
	slots []kernels.Slot
	alpha []float64
	rest  []float64 // logistic alone: C_i − alpha_i
	// known is c_i·a_i where rows have unit length, else ‖x_i‖², without the bias; NaN
	// before the row is initialised.
	known []float32
	bias  float64
	sums  objective
	full  bool // the last pass was over all rows
	due   bool // for a certificate, by the last one that was
	done  bool
}

// unknown is what a stream knows of a row that it has not initialised.
var unknown = float32(math.NaN())

func newStreamSingle(s *stream) *streamSingle {
	n := s.Source.Rows()
	m := &streamSingle{
		from: s, slots: table[kernels.Slot](&s.common, s.Source.Cols()),
		alpha: table[float64](&s.common, n), known: table[float32](&s.common, n),
	}
	if s.loss == Logistic {
		m.rest = table[float64](&s.common, n)
	}
	return m
}

func (s *streamSingle) memberOf(int) *member { return &s.member }

func (s *streamSingle) weight(_, column int) float32 { return s.p.weight(column, s.slots[column].U) }

func (s *streamSingle) appendAlpha(dst []float64, _ int) []float64 {
	return append(dst, s.alpha...)
}

func (s *streamSingle) intercept(int) float64 { return s.bias }

func (s *streamSingle) isDone() bool { return s.done }

func (s *streamSingle) begin(problems []Problem) {
	s.p, s.member = &problems[0], newMember(s.from.opts.Loss)
	s.bias, s.full, s.due, s.done = 0, false, false, false
	for j := range s.slots {
		s.slots[j] = s.p.slot(j)
	}
	for i := range s.alpha {
		cost := s.p.cost(i)
		s.alpha[i], s.known[i] = 0, unknown
		if cost > 0 {
			s.alpha[i] = s.from.opts.Loss.start(cost)
			s.primal += s.from.opts.Loss.of(0, cost)
		}
		if s.from.opts.Loss == Logistic {
			s.rest[i] = cost - s.alpha[i]
		}
	}
}

func (s *streamSingle) rows(c *chunk, dst []int32) []int32 {
	for at, i := range c.rows {
		if s.p.cost(int(i)) > 0 {
			dst = append(dst, int32(at))
		}
	}
	return dst
}

func (s *streamSingle) visit(c *chunk, places []int32, counts bool) []int32 {
	seen := s.seen
	s.stats.Steps += int64(len(places))
	moving := places[:0]
	for k, at := range places {
		s.prefetch(c, places, k)
		v := s.update(c, int(at))
		s.seen.gap += v.gap
		s.seen.primal += v.primal
		if !v.atBound {
			moving = append(moving, at)
		}
	}
	if !counts {
		s.seen = seen
	}
	return moving
}

// prefetch asks for what the rows behind the k-th of a list need.
func (s *streamSingle) prefetch(c *chunk, places []int32, k int) {
	if next := k + idsAhead; next < len(places) {
		rowOf(&c.x, int(places[next])).prefetch()
	}
	if next := k + slotsAhead; next < len(places) && len(s.slots) > cachedSlots {
		kernels.PrefetchEntries(s.slots, rowOf(&c.x, int(places[next])).idx, cachedSlots)
	}
}

// update is the coordinate update of a row.
func (s *streamSingle) update(c *chunk, at int) update {
	i, row := int(c.rows[at]), rowOf(&c.x, at)
	cost := s.p.cost(i)
	fresh := s.from.steps == 1 && s.known[i] != s.known[i] // the slots hold nothing of it yet
	scale, norm := s.knownOf(i, row)
	if fresh {
		s.norms += row.squares(s.slots) + float64(s.known[i])
	}
	y := s.p.side(i)
	margin := y * (float64(scale*float64(row.dot(s.slots))) + s.bias)
	rest := 0.0
	if s.from.opts.Loss == Logistic {
		rest = s.rest[i]
	}
	v := s.from.opts.Loss.update(s.alpha[i], rest, cost, norm, margin)
	if s.from.opts.Loss == Logistic {
		s.rest[i] = v.rest
	}
	if fresh {
		v.delta = v.next
	}
	s.alpha[i] = v.next
	if v.delta != 0 {
		row.add(s.slots, float32(float64(v.delta*y))*float32(scale))
		s.bias += float64(v.delta * y * s.from.biasSquare)
	}
	return v
}

// knownOf is what does not change of row i: c_i·a_i, and ‖x_i‖² with the bias.
func (s *streamSingle) knownOf(i int, row part) (scale, norm float64) {
	known := s.known[i]
	if known != known {
		known = s.p.knownOf(i, row.squares(s.slots))
		s.known[i] = known
	}
	scale, norm = s.p.scaleAndNorm(i, known)
	return scale, norm + s.from.biasSquare
}

// knownOf is c_i·a_i where rows have unit length, else ‖x_i‖², given Σ X_ij²·s_j².
func (p *Problem) knownOf(i int, squares float64) float32 {
	if p.UnitRows {
		return float32(inverseRoot(squares)) // a_i cancels
	}
	if p.RowScale != nil {
		squares *= p.RowScale[i] * p.RowScale[i]
	}
	return float32(squares)
}

// scaleAndNorm are c_i·a_i and ‖x_i‖², given knownOf.
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

func (s *streamSingle) beginPass(bool) { s.seen, s.sums = pass{}, objective{} }

func (s *streamSingle) endPass(full bool) (goes bool) {
	if s.full = full; !full {
		return !s.reaches(false, goalPart*s.from.opts.Tol)
	}
	s.stats.Epochs++
	if s.seen.primal > 0 {
		s.primal = s.seen.primal
	}
	s.due = s.reaches(true, s.from.opts.Tol)
	return !s.due
}

func (s *streamSingle) isDue() bool { return s.due || s.stats.Epochs >= s.from.opts.MaxEpochs }

func (s *streamSingle) certify() {
	s.member.certify(s.square(), &s.sums, s.from.opts.Tol, s.member.estimate, s.full)
	s.due, s.certified = false, true
	if s.done = s.stats.Converged || s.stats.Epochs >= s.from.opts.MaxEpochs; !s.done {
		s.stats.Epochs++
	}
}

func (s *streamSingle) take(from *survey) { s.sums.add(from.sums[0]) }

func (s *streamSingle) survey(c *chunk, lo, hi int, dst *survey) {
	for at := lo; at < hi; at++ {
		i := c.rows[at]
		cost := s.p.cost(int(i))
		if cost == 0 {
			continue
		}
		if next := at + slotsAhead; next < hi && len(s.slots) > cachedSlots {
			kernels.PrefetchEntries(s.slots, rowOf(&c.x, next).idx, cachedSlots)
		}
		row := rowOf(&c.x, at)
		scale, _ := s.knownOf(int(i), row)
		margin := s.p.side(int(i)) * (float64(scale*float64(row.dot(s.slots))) + s.bias)
		alpha, rest := s.alpha[i], 0.0
		if s.from.opts.Loss == Logistic {
			rest = s.rest[i]
		}
		dst.sums[0].addRow(s.from.opts.Loss, alpha, rest, cost, margin)
		if !s.from.opts.Loss.atBound(alpha, cost, margin) {
			dst.moving = append(dst.moving, int32(at))
		}
	}
}

// square is ‖w‖².
func (s *streamSingle) square() float64 {
	var sum float64
	for j := range s.slots {
		sum += s.p.squareOf(j, float64(s.slots[j].U))
	}
	if s.from.biasSquare > 0 {
		sum += float64(s.bias*s.bias) / s.from.biasSquare
	}
	return sum
}
