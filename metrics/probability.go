package metrics

import (
	"fmt"
	"math"
)

// minProbability keeps one confident mistake from making the log loss infinite:
// the spacing of float64 at 1, as scikit-learn clips.
const minProbability = 0x1p-52

// LogLoss is the mean of -ln P(wanted class), the cross-entropy in nats. probs
// holds a row of `classes` probabilities per document. Rows are clipped to
// [2⁻⁵², 1-2⁻⁵²] and divided by their sum, as scikit-learn does: classifiers of
// one class against the rest need not sum to 1. Documents of unknown labels are
// left out; NaN if none is left. Wrong lengths, classes out of range and values
// that are no probabilities are errors.
func LogLoss(want []int32, probs []float64, classes int) (float64, error) {
	if err := checkProbs(want, probs, classes); err != nil {
		return 0, err
	}
	var sum float64
	known := 0
	for i, w := range want {
		if w == Unknown {
			continue
		}
		known++
		var total float64
		row := probs[i*classes:][:classes]
		for _, p := range row {
			total += clip(p)
		}
		sum -= math.Log(clip(row[w]) / total)
	}
	return mean(sum, known), nil
}

func clip(p float64) float64 { return max(minProbability, min(p, 1-minProbability)) }

// Brier is the Brier score. For two classes it is the mean of (p₁-y₁)², with p₁
// the probability of class 1 and y₁ 1 if class 1 is wanted and else 0, from 0 to
// 1; for more it is Brier's sum over all classes, the mean of Σ_k (p_k-y_k)², from
// 0 to 2 (as in scikit-learn, scaled by half for two classes). Arguments are those
// of [LogLoss], but rows are taken as they are.
func Brier(want []int32, probs []float64, classes int) (float64, error) {
	if err := checkProbs(want, probs, classes); err != nil {
		return 0, err
	}
	first := 0
	if classes == 2 {
		first = 1
	}
	var sum float64
	known := 0
	for i, w := range want {
		if w == Unknown {
			continue
		}
		known++
		for k := first; k < classes; k++ {
			d := probs[i*classes+k]
			if int(w) == k {
				d--
			}
			sum += float64(d * d)
		}
	}
	return mean(sum, known), nil
}

// ECEBins is the number of equal-width bins of confidence in a report's expected
// calibration error.
const ECEBins = 15

// ECE is the expected calibration error (Guo, Pleiss, Sun and Weinberger, "On
// Calibration of Modern Neural Networks", ICML 2017, equation 3): predictions are
// put into bins (b/bins, (b+1)/bins] by confidence, and the distance between the
// share of correct ones and the mean confidence of a bin is averaged over the
// predictions. NaN for no predictions. Different lengths, bins below 1 and values
// that are no probabilities are errors.
func ECE(correct []bool, confidence []float64, bins int) (float64, error) {
	if len(correct) != len(confidence) {
		return 0, fmt.Errorf("metrics: %d outcomes but %d confidences: the lengths must agree", len(correct), len(confidence))
	}
	if bins < 1 {
		return 0, fmt.Errorf("metrics: calibration error over %d bins: at least 1 is needed", bins)
	}
	// Σ_b |B_b|/n · |acc - conf| is Σ_b |Σ_{i in b} (correct_i - conf_i)| / n.
	surplus := make([]float64, bins)
	for i, c := range confidence {
		if !(c >= 0 && c <= 1) {
			return 0, fmt.Errorf("metrics: prediction %d: confidence %v is not within 0 and 1", i, c)
		}
		b := max(0, int(math.Ceil(float64(c*float64(bins))))-1)
		surplus[b] -= c
		if correct[i] {
			surplus[b]++
		}
	}
	var sum float64
	for _, s := range surplus {
		sum += math.Abs(s)
	}
	return mean(sum, len(correct)), nil
}

// MeanSD returns the arithmetic mean and the sample standard deviation (with n-1
// in the denominator). The mean of nothing is NaN, the deviation of fewer than
// two values too.
func MeanSD(values []float64) (avg, sd float64) {
	var sum float64
	for _, v := range values {
		sum += v
	}
	avg = mean(sum, len(values))
	if len(values) < 2 {
		return avg, math.NaN()
	}
	var squares float64
	for _, v := range values {
		squares += float64((v - avg) * (v - avg))
	}
	return avg, math.Sqrt(squares / float64(len(values)-1))
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// checkProbs checks lengths, wanted classes and that all of probs is within 0 and 1.
func checkProbs(want []int32, probs []float64, classes int) error {
	if err := checkMatrix("probabilities", probs, len(want), classes); err != nil {
		return err
	}
	for i, w := range want {
		if w < Unknown || int(w) >= classes {
			return fmt.Errorf("metrics: document %d: wanted class %d is not among the %d classes (-1 is an unknown label)", i, w, classes)
		}
	}
	return checkRange(probs, classes)
}

func checkRange(probs []float64, classes int) error {
	for i, p := range probs {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("metrics: document %d, class %d: probability %v is not within 0 and 1", i/classes, i%classes, p)
		}
	}
	return nil
}

// checkMatrix checks that m is n rows of `classes` values without NaN.
func checkMatrix(what string, m []float64, n, classes int) error {
	if classes < 1 || len(m)%classes != 0 || len(m)/classes != n {
		return fmt.Errorf("metrics: %d %s for %d documents and %d classes: there must be one for each pair", len(m), what, n, classes)
	}
	for i, v := range m {
		if math.IsNaN(v) {
			return fmt.Errorf("metrics: document %d, class %d: NaN among the %s", i/classes, i%classes, what)
		}
	}
	return nil
}
