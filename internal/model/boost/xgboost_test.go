package boost

import (
	"math"
	"testing"
)

// TestXGBoost has the margins that XGBoost 1.7.4 gave to the first rows: with tree_method exact, max_depth, eta, lambda
// and min_child_weight as here, base margins as ours, and zeros given as values, so that it learned no direction for
// them. TestSplits and TestContributions compare with brute force.
func TestXGBoost(t *testing.T) {
	for _, c := range []struct {
		classes int
		valued  bool
		want    [][]float64
	}{
		{2, false, [][]float64{{0.31222081184387207}, {0.09988978505134583}, {0.25557267665863037}, {0.2786320447921753}}},
		{2, true, [][]float64{{-1.1034953594207764}, {-1.1034953594207764}, {-1.0516432523727417}, {-0.7984400391578674}}},
		{4, false, [][]float64{
			{-1.6937992572784424, -1.3058948516845703, -1.636965274810791, -1.318583369255066},
			{-1.465463399887085, -1.428752064704895, -1.636965274810791, -1.49281907081604},
		}},
		{4, true, [][]float64{
			{-1.2086013555526733, -1.2512367963790894, -1.7354985475540161, -2.215292453765869},
			{-0.34864342212677, -1.427450180053711, -1.7354985475540161, -2.215292453765869},
		}},
	} {
		x, p := sampled(31, 500, 30, c.classes, c.valued)
		o := options(5, 4)
		o.Lambda, o.MinChildWeight, o.Rate = 1.5, 2, 0.4
		r, full := train(t, p, o), dense(x)
		for i, want := range c.want {
			for k, got := range margins(r, full[i]) {
				if math.Abs(got-want[k]) > 1e-5 {
					t.Errorf("%d classes, values %v: row %d has the margin %v, want %v", c.classes, c.valued, i, got, want[k])
				}
			}
		}
	}
}
