package xmath

import "math"

// Sum returns the sum of numbers, added in their order.
func Sum(numbers []float64) (sum float64) {
	for _, x := range numbers {
		sum += x
	}
	return sum
}

// Mean returns the arithmetic mean of one number or more.
func Mean(numbers []float64) float64 { return Sum(numbers) / float64(len(numbers)) }

// MeanSD returns the arithmetic mean and the sample standard deviation, which has n-1 in the denominator. The mean is
// NaN for no values, the deviation for fewer than two.
func MeanSD(values []float64) (avg, sd float64) {
	avg = Mean(values)
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
