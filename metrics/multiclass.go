package metrics

import (
	"cmp"
	"slices"
)

// MultiClass reports on documents that have one label each. want and got are
// indices into labels, K = len(labels) in number; a wanted label of -1 is one the
// model does not know and counts as wrong. scores and probs are nil or have K
// values for every document, row by row (for two classes as well).
//
// Scores give ROC AUC and average precision: of label 1 for two classes, else each
// label against the rest and their mean. Probabilities give log loss, Brier score
// and calibration error, the latter from the confidence in the most probable label
// in [ECEBins] bins. The predicted label need not be the most probable one.
func MultiClass(labels []string, want, got []int32, scores, probs []float64) (*Report, error) {
	classes := len(labels)
	if err := checkReport(labels, len(want), len(got), scores, probs); err != nil {
		return nil, err
	}
	if err := checkClasses(want, got, classes); err != nil {
		return nil, err
	}
	r := &Report{N: len(want), Accuracy: Accuracy(want, got)}
	t := newTally(classes)
	var wrong []uint64
	for i, w := range want {
		t.predicted[got[i]]++
		switch w {
		case Unknown:
			r.Unknown++
		case got[i]:
			t.tp[w]++
			t.support[w]++
		default:
			t.support[w]++
			wrong = append(wrong, uint64(w)<<32|uint64(got[i]))
		}
	}
	r.fill(labels, t)
	r.confused = mostConfused(wrong)
	if classes <= MaxConfusion {
		var err error
		if r.Confusion, err = Confusion(want, got, classes); err != nil {
			return nil, err
		}
	}
	if scores != nil {
		r.rank(scores, classes == 2,
			func(i int) bool { return want[i] != Unknown },
			func(i, k int) bool { return int(want[i]) == k })
	}
	if probs != nil {
		if err := r.calibrate(want, got, probs, classes); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Report) calibrate(want, got []int32, probs []float64, classes int) error {
	logLoss, err := LogLoss(want, probs, classes)
	if err != nil {
		return err
	}
	brier, err := Brier(want, probs, classes)
	if err != nil {
		return err
	}
	var correct []bool
	var confidence []float64
	for i, w := range want {
		if w == Unknown {
			continue
		}
		row := probs[i*classes:][:classes]
		top := int32(0)
		for k, p := range row {
			// Among equals, the predicted one.
			if p > row[top] || p == row[top] && int32(k) == got[i] {
				top = int32(k)
			}
		}
		correct = append(correct, top == w)
		confidence = append(confidence, row[top])
	}
	ece, err := ECE(correct, confidence, ECEBins)
	if err != nil {
		return err
	}
	r.LogLoss, r.Brier, r.ECE = defined(logLoss), defined(brier), defined(ece)
	return nil
}

// confusedPair is a wanted and a wrongly predicted class.
type confusedPair struct {
	want, got int32
	documents int64
}

// shownConfusions is how many of the most frequent confusions a text shows.
const shownConfusions = 12

// mostConfused counts pairs want<<32|got and returns the most frequent, ties in
// the order of classes. It sorts its argument.
func mostConfused(wrong []uint64) []confusedPair {
	slices.Sort(wrong)
	var pairs []confusedPair
	for lo := 0; lo < len(wrong); {
		hi := lo + 1
		for hi < len(wrong) && wrong[hi] == wrong[lo] {
			hi++
		}
		pairs = append(pairs, confusedPair{int32(wrong[lo] >> 32), int32(wrong[lo]), int64(hi - lo)})
		lo = hi
	}
	slices.SortStableFunc(pairs, func(a, b confusedPair) int { return cmp.Compare(b.documents, a.documents) })
	return slices.Clone(pairs[:min(len(pairs), shownConfusions)])
}
