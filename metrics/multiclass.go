package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// MultiClass reports on documents that have one label each. want and got have an element for each document: an index
// into labels, or [Unknown] in want. scores and probs are nil, or have len(labels) values for each document, row by
// row, also for two labels.
//
// Scores give ROC AUC and average precision: those of label 1 for two labels, else each label against the rest, and the
// mean. Probabilities give log loss, Brier score and the expected calibration error, which takes the confidence in the
// most probable label in 15 bins. The predicted label need not be the most probable one.
func MultiClass(labels []string, want, got []int32, scores, probs []float64) (*Report, error) {
	classes := len(labels)
	if err := checkReport(labels, len(want), len(got), scores, probs); err != nil {
		return nil, err
	}
	for i, w := range want {
		if w < Unknown || int(w) >= classes {
			return nil, fmt.Errorf("metrics: document %d: the wanted class must be from 0 to %d, or Unknown, got %d",
				i, classes-1, w)
		}
		if g := got[i]; g < 0 || int(g) >= classes {
			return nil, fmt.Errorf("metrics: document %d: the predicted class must be from 0 to %d, got %d", i, classes-1, g)
		}
	}
	r := newReport(len(want), labels)
	if classes <= maxConfusion {
		r.Confusion = make([][]int64, classes)
		for k := range r.Confusion {
			r.Confusion[k] = make([]int64, classes)
		}
	}
	tp := make([]int64, classes)
	var right int64
	var wrong []uint64
	for i, w := range want {
		g := got[i]
		r.PerClass[g].Predicted++
		if w == Unknown {
			r.Unknown++
			continue
		}
		r.PerClass[w].Support++
		if r.Confusion != nil {
			r.Confusion[w][g]++
		}
		if w == g {
			tp[w]++
			right++
		} else {
			wrong = append(wrong, uint64(w)<<32|uint64(g))
		}
	}
	r.Accuracy = ratio(right, int64(r.N))
	r.fill(tp)
	r.confused = mostConfused(wrong)
	if scores != nil {
		r.rank(scores, classes == 2,
			func(i int) bool { return want[i] != Unknown },
			func(i, k int) bool { return int(want[i]) == k })
	}
	if probs != nil {
		r.calibrate(want, got, probs)
	}
	return r, nil
}

// calibrate measures the probabilities of the documents whose labels are known.
//
// The log loss is the mean of -ln P(wanted class). Rows are clipped to [2⁻⁵², 1-2⁻⁵²]
// and divided by their sum, as scikit-learn does: classifiers of one class against the
// rest need not sum to 1.
//
// The Brier score of two classes is the mean of (p₁-y₁)², with p₁ the probability of
// class 1 and y₁ 1 if class 1 is wanted and else 0, from 0 to 1; of more it is Brier's
// sum over all classes, the mean of Σ_k (p_k-y_k)², from 0 to 2 (as in scikit-learn,
// scaled by half for two classes).
func (r *Report) calibrate(want, got []int32, probs []float64) {
	classes := len(r.PerClass)
	first := 0
	if classes == 2 {
		first = 1
	}
	var logLoss, brier float64
	var correct []bool
	var confidence []float64
	for i, w := range want {
		if w == Unknown {
			continue
		}
		row := probs[i*classes:][:classes]
		var total float64
		top := int32(0)
		for k, p := range row {
			total += clip(p)
			if p > row[top] || p == row[top] && int32(k) == got[i] { // among equals, the predicted one
				top = int32(k)
			}
		}
		logLoss -= math.Log(clip(row[w]) / total)
		for k, p := range row[first:] {
			if int(w) == first+k {
				p--
			}
			brier += float64(p * p)
		}
		correct = append(correct, top == w)
		confidence = append(confidence, row[top])
	}
	r.LogLoss, r.Brier = defined(mean(logLoss, len(correct))), defined(mean(brier, len(correct)))
	r.ECE = defined(calibrationError(correct, confidence, calibrationBins))
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
