package metrics

import (
	"cmp"
	"maps"
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
	return report(NewAccumulator(labels, false), len(want), len(got), scores, probs,
		func(i int) (_, _ []int32) { return want[i : i+1], got[i : i+1] })
}

// pair is a wanted and a wrongly predicted class.
type pair struct{ want, got int32 }

// Confused counts how often one label is predicted for another.
type Confused struct {
	Label     string  `json:"label"` // wanted
	Predicted string  `json:"predicted"`
	Documents int64   `json:"documents"`
	Share     float64 `json:"share"` // of the documents that have the label
}

// keptConfused is the number of most frequent confusions in a report.
const keptConfused = 100

// confuse sets the most frequent confusions, ties in the order of classes.
func (r *Report) confuse(wrong map[pair]int64) {
	pairs := slices.SortedFunc(maps.Keys(wrong), func(p, q pair) int {
		return cmp.Or(cmp.Compare(wrong[q], wrong[p]), cmp.Compare(p.want, q.want), cmp.Compare(p.got, q.got))
	})
	for i, p := range pairs {
		n := wrong[p]
		r.confusedPairs++
		r.confusedDocuments += n
		if i < keptConfused {
			of := &r.PerClass[p.want]
			r.confused = append(r.confused, Confused{of.Label, r.PerClass[p.got].Label, n, ratio(n, of.Support)})
		}
	}
	if r.Confusion == nil {
		r.MostConfused = r.confused
	}
}
