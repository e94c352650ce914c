package solver

import "testing"

// A gap that falls fast is expected to be further below its estimate than one that
// falls slowly, but only where two estimates in a row are of all rows.
func TestTrend(t *testing.T) {
	var f trend
	for k, e := range []struct {
		estimate, want float64
		full           bool
	}{
		{1, 0.5, true},
		{0.5, 0.25, true},
		{0.05, 0.015, true},
		{0.01, 0.005, false},
		{0.001, 0.0005, true},
		{0, 0, true},
		{0, 0, true},
	} {
		if got := f.gap(e.estimate/2, e.estimate, e.full); got < 0.999*e.want || got > 1.001*e.want {
			t.Errorf("epoch %d: %v expected, want %v", k+1, got, e.want)
		}
	}
}
