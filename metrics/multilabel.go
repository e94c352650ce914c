package metrics

import (
	"fmt"
	"math"
	"slices"
)

// MultiLabel reports on documents that have any number of labels each, or none. want and got have a set for each
// document: indices into labels in any order, and [Unknown] in want, which makes the document wrong and lowers the
// micro recall. scores and probs are nil, or have len(labels) values for each document, row by row.
//
// Accuracy is the share of documents whose set is exactly right. Micro averages are over all pairs of document and
// label. ROC AUC and average precision are means over the labels. Log loss, Brier score and calibration error take
// every pair as an event: they are the mean binary cross-entropy, the mean of (p-y)², and the calibration of p in 15
// bins. These and the Hamming loss leave unknown labels out.
func MultiLabel(labels []string, want, got [][]int32, scores, probs []float64) (*Report, error) {
	classes := len(labels)
	if err := checkReport(labels, len(want), len(got), scores, probs); err != nil {
		return nil, err
	}
	wanted, unknown, err := labelSets("wanted", want, classes)
	if err != nil {
		return nil, err
	}
	predicted, _, err := labelSets("predicted", got, classes)
	if err != nil {
		return nil, err
	}

	r, tp := newReport(len(want), labels), make([]int64, classes)
	var right, wrongDecisions int64
	for i, w := range wanted {
		g := predicted[i]
		for _, k := range w {
			r.PerClass[k].Support++
		}
		hits := 0
		for _, k := range g {
			r.PerClass[k].Predicted++
			if slices.Contains(w, k) {
				tp[k]++
				hits++
			}
		}
		r.Unknown += int64(unknown[i])
		wrongDecisions += int64(len(w) + len(g) - 2*hits)
		if hits == len(w) && hits == len(g) && unknown[i] == 0 {
			right++
		}
	}
	r.fill(tp)
	r.Accuracy = ratio(right, int64(r.N))
	hamming := ratio(wrongDecisions, int64(r.N)*int64(classes))
	r.HammingLoss = &hamming
	has := func(i, k int) bool { return slices.Contains(wanted[i], int32(k)) }
	if scores != nil {
		r.rank(scores, false, func(int) bool { return true }, has)
	}
	if probs != nil {
		r.calibratePairs(probs, has)
	}
	return r, nil
}

// labelSets returns the lists sorted and without repetitions, and how many -1 were in
// each; only wanted labels may be unknown.
func labelSets(what string, lists [][]int32, classes int) (sets [][]int32, unknown []int, err error) {
	sets, unknown = make([][]int32, len(lists)), make([]int, len(lists))
	for i, list := range lists {
		set := slices.Sorted(slices.Values(list))
		for what == "wanted" && len(set) > 0 && set[0] == Unknown {
			set = set[1:]
			unknown[i]++
		}
		for _, k := range set {
			if k < 0 || int(k) >= classes {
				return nil, nil, fmt.Errorf("metrics: document %d: a %s label must be from 0 to %d, got %d", i, what, classes-1, k)
			}
		}
		sets[i] = slices.Compact(set)
	}
	return sets, unknown, nil
}

func (r *Report) calibratePairs(probs []float64, has func(i, k int) bool) {
	classes := len(r.PerClass)
	y := make([]bool, len(probs))
	var logLoss, brier float64
	for n, p := range probs {
		y[n] = has(n/classes, n%classes)
		d := p
		if y[n] {
			d--
			logLoss -= math.Log(clip(p))
		} else {
			logLoss -= math.Log(1 - clip(p))
		}
		brier += float64(d * d)
	}
	r.LogLoss, r.Brier = defined(mean(logLoss, len(probs))), defined(mean(brier, len(probs)))
	r.ECE = defined(calibrationError(y, probs, calibrationBins))
}
