package solver

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// largestObjective bounds P, D and the sums that estimate them. Where ½‖w‖² is below it, every
// weight is finite in single precision.
const largestObjective = 5e76

// inRange says whether numbers of a solution are finite and far from overflowing. Once one of
// them is not, nothing that follows can bring it back.
func inRange(numbers ...float64) bool {
	for _, x := range numbers {
		if !(math.Abs(x) <= largestObjective) { // NaN is in no range
			return false
		}
	}
	return true
}

// inRange says whether the numbers of a problem are.
func (s *solution) inRange(bias float64) bool {
	return inRange(s.norms, s.seen.gap, s.seen.primal, s.seen.gain, bias, s.stats.Primal, s.stats.Dual)
}

// overflow is the error of a solution whose numbers are no longer in range after an epoch. It
// names the first of the rows whose own numbers are the reason.
func (p *Problem) overflow(epoch int, bias float64, rows iter.Seq2[int, part]) error {
	for i, row := range rows {
		if err := p.rowOverflow(i, row); err != nil {
			return fmt.Errorf("solver: overflow in epoch %d: %w", epoch, err)
		}
	}
	return fmt.Errorf("solver: overflow in epoch %d, and no single row causes it; costs are up to %v and the bias is %v: "+
		"lower them (C, weights of classes and documents), or scale values down",
		epoch, max(p.Costs.Positive, p.Costs.Negative), bias)
}

// overflow is Problem.overflow, which takes a pass over all blocks.
func (s *stream) overflow(ctx context.Context, p *Problem) error {
	s.inOrder()
	var failed error
	err := p.overflow(s.steps, s.opts.Bias, func(yield func(int, part) bool) {
		more := true
		failed = s.pass(ctx, s.order, func(c *chunk) {
			for at, i := range c.rows {
				more = more && yield(int(i), rowOf(&c.x, at))
			}
		})
	})
	return cmp.Or(failed, err)
}

// rowOverflow says what of row i is not finite, or has a square beyond single precision; nil if
// nothing is.
func (p *Problem) rowOverflow(i int, row part) error {
	var squares, largest, value float64
	for k, j := range row.idx {
		v := row.value(k)
		scaled := v * p.colScale(int(j))
		squares += float64(scaled * scaled)
		if !(math.Abs(scaled) <= largest) {
			largest, value = math.Abs(scaled), v
		}
	}
	scale := 1.0
	if p.RowScale != nil {
		scale = p.RowScale[i]
	}
	if squares <= math.MaxFloat32 && squares*scale*scale <= math.MaxFloat32 {
		return nil
	}
	return fmt.Errorf("row %d of %d has the value %.6g, scaled to %.6g, and its square exceeds single precision; "+
		"scale values to about 1, or leave the row out", i+1, len(p.Positive), value, largest*scale)
}

// rowsOf are the rows of a matrix.
func rowsOf(x *sparse.CSR) iter.Seq2[int, part] {
	return func(yield func(int, part) bool) {
		for i := range x.Rows {
			if !yield(i, rowOf(x, i)) {
				return
			}
		}
	}
}
