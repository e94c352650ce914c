package learn

import (
	"cmp"
	"slices"
)

// microF1Thresholds chooses the threshold of every output so that the micro-
// averaged F1 over all of them, 2·TP/(predicted+positives), is as large as it can
// be on the given margins. A ratio of sums is maximised by Dinkelbach's method
// (Management Science 1967): for a guess F, each output alone maximises
// 2·TP − F·predicted; the F1 of that choice is the next guess, until it no longer
// grows. Documents count by their weights. Besides those that margins are given for, positives of the weight missed are
// predicted by no threshold.
func microF1Thresholds(m *margins, missed float64) []float64 {
	curves := make([]curve, len(m.of))
	positives := missed
	for i := range m.of {
		curves[i] = newCurve(m.of[i], m.carries[i], m.weights)
		positives += curves[i].positives()
	}
	cuts := make([]int, len(curves))
	for f1 := 0.0; ; {
		hits, predicted := 0.0, 0.0
		for i, c := range curves {
			cuts[i] = c.best(f1)
			hits, predicted = hits+c.hits[cuts[i]], predicted+c.predicted[cuts[i]]
		}
		next := 0.0
		if predicted+positives > 0 {
			next = 2 * hits / (predicted + positives)
		}
		if next <= f1 {
			break
		}
		f1 = next
	}
	thresholds := make([]float64, len(curves))
	for i, c := range curves {
		thresholds[i] = c.threshold(cuts[i])
	}
	return thresholds
}

// curve is one output's margins in falling order, with the weight of the first n
// documents, and of those among them that carry the label.
type curve struct {
	margins         []float64
	predicted, hits []float64 // len(margins)+1
}

func newCurve(margins []float64, carries []bool, weights []float64) curve {
	order := make([]int, len(margins))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(margins[b], margins[a]) })
	c := curve{
		margins: make([]float64, len(margins)), predicted: make([]float64, len(margins)+1),
		hits: make([]float64, len(margins)+1),
	}
	for n, i := range order {
		c.margins[n], c.predicted[n+1], c.hits[n+1] = margins[i], c.predicted[n]+weights[i], c.hits[n]
		if carries[i] {
			c.hits[n+1] += weights[i]
		}
	}
	return c
}

func (c curve) positives() float64 { return c.hits[len(c.margins)] }

// best returns the number n of documents to predict that maximises 2·hits − f1·predicted; the
// smallest such, and never between equal margins.
func (c curve) best(f1 float64) int {
	best, most := 0, 0.0
	for n := 1; n <= len(c.margins); n++ {
		if n < len(c.margins) && c.margins[n] == c.margins[n-1] {
			continue
		}
		if gain := 2*c.hits[n] - float64(f1*c.predicted[n]); gain > most {
			best, most = n, gain
		}
	}
	return best
}

// threshold lies half way between the last margin predicted and the first that is
// not.
func (c curve) threshold(n int) float64 {
	switch {
	case len(c.margins) == 0:
		return 0
	case n == 0:
		return c.margins[0] + 1
	case n == len(c.margins):
		return c.margins[n-1] - 1
	}
	low, high := c.margins[n], c.margins[n-1]
	if half := low + float64((high-low)/2); half < high {
		return half
	}
	return low // neighbours; half way was rounded up
}
