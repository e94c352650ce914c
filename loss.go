package nbsvm

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Loss returns how wrong a prediction is; 0 if it is right, or the label is one that the model does not know. Of
// probabilities it is the negative logarithm of what the right decision had, of margins by how much it is behind; where
// documents have any number of labels, the sum over those that are missed or too many. Of numbers it is the absolute error.
func (c *Classifier) Loss(d *Judgement) float64 {
	if c.Numbers() {
		return math.Abs(d.Number - d.Scores[0])
	}
	exact := c.c.Exact(d.Scores)
	wrong := func(k int, has bool) float64 {
		switch {
		case d.Odds == nil && has:
			return -math.Log(max(exact[k], 0x1p-52))
		case d.Odds == nil:
			return -math.Log(max(1-exact[k], 0x1p-52))
		case has:
			return xmath.Log1pExp(-d.Odds[k])
		}
		return xmath.Log1pExp(d.Odds[k])
	}
	probabilities := c.Probabilities()
	if !c.MultiLabel() {
		want, got := d.Want[0], d.Labels[0]
		for _, k := range d.Want[1:] { // documents of a fastText model may have several: the likeliest one counts
			if want == metrics.Unknown || k != metrics.Unknown && d.Scores[k] > d.Scores[want] {
				want = k
			}
		}
		switch {
		case want == metrics.Unknown || slices.Contains(d.Want, got):
			return 0
		case probabilities:
			return wrong(want, true)
		}
		return d.Scores[got] - d.Scores[want]
	}
	var sum float64
	for k, p := range d.Scores {
		want, got := slices.Contains(d.Want, k), slices.Contains(d.Labels, k)
		switch {
		case want == got:
		case probabilities:
			sum += wrong(k, want)
		default:
			sum += math.Abs(p - c.c.Model().Threshold[k])
		}
	}
	return sum
}
