package solver

import (
	"math"
	"testing"
)

// TestDerivatives: they are the quotients of differences of Value, and the first is an alpha at which the duality gap
// of a row alone, loss + conjugate + alpha·margin, is 0.
func TestDerivatives(t *testing.T) {
	const h, cost = 1e-4, 0.7
	for _, loss := range []Loss{Hinge, SquaredHinge, Logistic} {
		for m := -5.05; m < 5; m += 0.1 { // none at the corner
			slope, curvature := loss.Derivatives(m, cost)
			lo, at, hi := loss.Value(m-h, cost), loss.Value(m, cost), loss.Value(m+h, cost)
			if want := (hi - lo) / (2 * h); math.Abs(slope-want) > 1e-7 {
				t.Errorf("%v at %v: slope %v, want %v", loss, m, slope, want)
			}
			if want := (hi - 2*at + lo) / (h * h); math.Abs(curvature-want) > 1e-5 {
				t.Errorf("%v at %v: curvature %v, want %v", loss, m, curvature, want)
			}
			if gap := at + loss.Conjugate(-slope, cost) - slope*m; math.Abs(gap) > 1e-12 {
				t.Errorf("%v at %v: a gap of %v", loss, m, gap)
			}
		}
		if slope, curvature := loss.Derivatives(1, cost); loss != Logistic && (slope != 0 || curvature != 0) {
			t.Errorf("%v at 1: %v, %v", loss, slope, curvature)
		}
	}
}
