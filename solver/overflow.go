package solver

import (
	"fmt"
	"math"
)

// largestObjective bounds P, D and the sums that estimate them. Where ½‖w‖² is below it, every
// weight is finite in single precision.
const largestObjective = 5e76

// inRange reports whether numbers of a solution are finite and far from overflowing. Once one of
// them is not, nothing that follows can bring it back.
func inRange(numbers ...float64) bool {
	for _, x := range numbers {
		if !(math.Abs(x) <= largestObjective) { // NaN is in no range
			return false
		}
	}
	return true
}

// inRange reports whether the numbers of a problem are.
func (s *solution) inRange(biases ...float64) bool {
	return inRange(s.norms, s.seen.gap, s.seen.primal, s.seen.gain, s.stats.Primal, s.stats.Dual) && inRange(biases...)
}

// overflow returns the error of a solution whose numbers are no longer in range after an epoch. It names a row that is
// the reason by itself, unless that is -1.
func (p *Problem) overflow(epoch int, bias float64, row int) error {
	if row >= 0 {
		return fmt.Errorf("solver: overflow in epoch %d: row %d of %d: the squares of its values, scaled, add up to more than single precision holds; "+
			"scale values to about 1, or leave the row out", epoch, row+1, max(len(p.Positive), len(p.Target)))
	}
	what := "values"
	if len(p.Target) > 0 {
		what = "values and targets"
	}
	return fmt.Errorf("solver: overflow in epoch %d, and no single row causes it; costs are up to %v and the bias is %v: "+
		"lower them (C, weights of classes and documents), or scale %s down",
		epoch, max(p.Costs.Positive, p.Costs.Negative), bias, what)
}

// tooLong reports whether the squares of a row add up to more than single precision holds, or to NaN.
func tooLong(squares float64) bool { return !(squares <= math.MaxFloat32) }
