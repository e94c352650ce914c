package metrics

import (
	"cmp"
	"maps"
	"slices"
)

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
