package metrics

import (
	"math"
	"slices"
)

// minProbability keeps one confident mistake from making the log loss infinite:
// the spacing of float64 at 1, as scikit-learn clips.
const minProbability = 0x1p-52

func clip(p float64) float64 { return max(minProbability, min(p, 1-minProbability)) }

// calibrationBins is the number of equal-width bins of confidence in a report's expected
// calibration error.
const calibrationBins = 15

// probabilities measures probabilities of documents whose labels are known.
//
// The log loss is the mean of -ln P(wanted class). Rows are clipped to [2⁻⁵², 1-2⁻⁵²] and divided by their sum, as
// scikit-learn does: classifiers of one class against the rest need not sum to 1.
//
// The Brier score of two classes is the mean of (p₁-y₁)², with p₁ the probability of class 1 and y₁ 1 if class 1 is
// wanted and else 0, from 0 to 1; of more it is Brier's sum over all classes, the mean of Σ_k (p_k-y_k)², from 0 to 2
// (as in scikit-learn, scaled by half for two classes).
type probabilities struct {
	events         int
	logLoss, brier float64
	calibration    calibration
}

// addTop adds a document of one label, whose event is that the most probable class is the wanted one.
func (m *probabilities) addTop(want, got int32, row []float64) {
	first := 0
	if len(row) == 2 {
		first = 1
	}
	var total float64
	top := int32(0)
	for k, p := range row {
		total += clip(p)
		if p > row[top] || p == row[top] && int32(k) == got { // among equals, the predicted one
			top = int32(k)
		}
	}
	m.events++
	m.logLoss -= math.Log(clip(row[want]) / total)
	for k, p := range row[first:] {
		if int(want) == first+k {
			p--
		}
		m.brier += float64(p * p)
	}
	m.calibration.add(top == want, row[top])
}

// addPairs adds a document of any number of labels: an event of each.
func (m *probabilities) addPairs(wanted []int32, row []float64) {
	m.events += len(row)
	for k, p := range row {
		has, d := slices.Contains(wanted, int32(k)), p
		if has {
			d--
			m.logLoss -= math.Log(clip(p))
		} else {
			m.logLoss -= math.Log(1 - clip(p))
		}
		m.brier += float64(d * d)
		m.calibration.add(has, p)
	}
}

// measured returns the metrics; nil without events.
func (m *probabilities) measured() (logLoss, brier, ece *float64) {
	return defined(mean(m.logLoss, m.events)), defined(mean(m.brier, m.events)), defined(m.calibration.expected())
}

// calibration adds up the expected calibration error (Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural
// Networks", ICML 2017, equation 3): predictions are put into bins (b/bins, (b+1)/bins] by confidence, and the distance
// between the share of correct ones and the mean confidence of a bin is averaged over the predictions.
type calibration struct {
	predictions int
	// Σ_b |B_b|/n · |acc - conf| is Σ_b |Σ_{i in b} (correct_i - conf_i)| / n.
	surplus [calibrationBins]float64
}

func (c *calibration) add(correct bool, confidence float64) {
	c.predictions++
	b := max(0, int(math.Ceil(float64(confidence*calibrationBins)))-1)
	c.surplus[b] -= confidence
	if correct {
		c.surplus[b]++
	}
}

// expected returns the error; NaN for no predictions.
func (c *calibration) expected() float64 {
	var sum float64
	for _, s := range c.surplus {
		sum += math.Abs(s)
	}
	return mean(sum, c.predictions)
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}
