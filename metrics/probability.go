package metrics

import "math"

// minProbability keeps one confident mistake from making the log loss infinite:
// the spacing of float64 at 1, as scikit-learn clips.
const minProbability = 0x1p-52

func clip(p float64) float64 { return max(minProbability, min(p, 1-minProbability)) }

// calibrationBins is the number of equal-width bins of confidence in a report's expected
// calibration error.
const calibrationBins = 15

// calibrationError is the expected calibration error (Guo, Pleiss, Sun and Weinberger, "On
// Calibration of Modern Neural Networks", ICML 2017, equation 3): predictions are put into
// bins (b/bins, (b+1)/bins] by confidence, and the distance between the share of correct
// ones and the mean confidence of a bin is averaged over the predictions. It is NaN for no
// predictions.
func calibrationError(correct []bool, confidence []float64, bins int) float64 {
	// Σ_b |B_b|/n · |acc - conf| is Σ_b |Σ_{i in b} (correct_i - conf_i)| / n.
	surplus := make([]float64, bins)
	for i, c := range confidence {
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
	return mean(sum, len(correct))
}

// MeanSD returns the arithmetic mean and the sample standard deviation, which has n-1 in the denominator. The mean is
// NaN for no values, the deviation for fewer than two.
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

// StandardError returns the estimated standard error of the mean of independent values: their sample standard deviation
// divided by the square root of their number. It is NaN for fewer than two values. The folds of a cross-validation are
// not independent, because their training sets overlap: for their metrics, the result is too small (Bengio and
// Grandvalet, "No unbiased estimator of the variance of k-fold cross-validation", JMLR 2004).
func StandardError(values []float64) float64 {
	_, sd := MeanSD(values)
	return sd / math.Sqrt(float64(len(values)))
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}
