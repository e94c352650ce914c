package metrics

import (
	"fmt"
	"math"
)

// Unknown, as a wanted class, stands for a label that the model does not know.
const Unknown = -1

// Accuracy is the share of documents whose predicted class is the wanted one; NaN
// for no documents. It panics if lengths differ.
func Accuracy(want, got []int32) float64 {
	if len(want) != len(got) {
		panic(fmt.Sprintf("metrics: Accuracy of %d wanted and %d predicted classes: the lengths must agree", len(want), len(got)))
	}
	if len(want) == 0 {
		return math.NaN()
	}
	right := 0
	for i, w := range want {
		if w == got[i] && w >= 0 {
			right++
		}
	}
	return float64(right) / float64(len(want))
}

// Confusion counts documents by wanted class (first index) and predicted class
// (second index). Documents of unknown labels are in no cell. Wanted classes are
// -1 (Unknown) to classes-1, predicted ones 0 to classes-1; others are an error.
func Confusion(want, got []int32, classes int) ([][]int64, error) {
	if err := checkClasses(want, got, classes); err != nil {
		return nil, err
	}
	cells := make([]int64, classes*classes)
	m := make([][]int64, classes)
	for k := range m {
		m[k] = cells[k*classes : (k+1)*classes : (k+1)*classes]
	}
	for i, w := range want {
		if w != Unknown {
			m[w][got[i]]++
		}
	}
	return m, nil
}

func checkClasses(want, got []int32, classes int) error {
	if len(want) != len(got) {
		return fmt.Errorf("metrics: %d wanted but %d predicted classes: the lengths must agree", len(want), len(got))
	}
	for i, w := range want {
		if w < Unknown || int(w) >= classes {
			return fmt.Errorf("metrics: document %d: wanted class %d is not among the %d classes (-1 is an unknown label)", i, w, classes)
		}
		if g := got[i]; g < 0 || int(g) >= classes {
			return fmt.Errorf("metrics: document %d: predicted class %d is not among the %d classes", i, g, classes)
		}
	}
	return nil
}

// PrecisionRecallF1 returns the precision tp/(tp+fp), the recall tp/(tp+fn) and
// their harmonic mean 2tp/(2tp+fp+fn), from the numbers of true positives, false
// positives and false negatives. A ratio of nothing is 0.
func PrecisionRecallF1(tp, fp, fn int64) (precision, recall, f1 float64) {
	return ratio(tp, tp+fp), ratio(tp, tp+fn), ratio(2*tp, 2*tp+fp+fn)
}

func ratio(num, den int64) float64 {
	if den == 0 {
		return 0
	}
	return float64(num) / float64(den)
}
