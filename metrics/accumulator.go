package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Accumulator makes a [Report] of documents that are added one after the other. Of their scores it keeps what the areas
// under curves need, at most 512 MiB (see [Report.Sampled]). It must not be used by several goroutines at once.
type Accumulator struct {
	r      *Report
	multi  bool
	right  []int64 // predictions by class
	exact  int64   // documents whose labels are right
	misses int64   // wrong decisions of all pairs of document and label
	wrong  map[pair]int64
	probabilities
	ranks sample

	wanted, predicted []int32 // of the document, sorted
}

// NewAccumulator returns an Accumulator for documents that have one of these labels each, or, if multiLabel, any number
// of them.
func NewAccumulator(labels []string, multiLabel bool) *Accumulator {
	a := &Accumulator{
		r: &Report{PerClass: make([]ClassReport, len(labels))}, multi: multiLabel,
		right: make([]int64, len(labels)), wrong: map[pair]int64{}, ranks: sample{classes: len(labels), limit: mostScores},
	}
	for k, label := range labels {
		a.r.PerClass[k].Label = label
	}
	if !multiLabel && len(labels) <= maxConfusion {
		a.r.Confusion = make([][]int64, len(labels))
		for k := range a.r.Confusion {
			a.r.Confusion[k] = make([]int64, len(labels))
		}
	}
	return a
}

// Add adds a document: its labels and those that are predicted, as indices into the labels, one each unless the report
// is multi-label. want may hold [Unknown]. scores and probs are nil, or have a value for each label. Nothing of the
// arguments is kept.
func (a *Accumulator) Add(want, got []int32, scores, probs []float64) error {
	if err := a.check(want, got, scores, probs); err != nil {
		return err
	}
	a.r.N++
	known := a.count(want, got)
	if known && scores != nil {
		a.ranks.add(a.wanted, scores)
	}
	switch {
	case !known || probs == nil:
	case a.multi:
		a.addPairs(a.wanted, probs)
	default:
		a.addTop(want[0], got[0], probs)
	}
	return nil
}

// check refuses a document that can't be counted.
func (a *Accumulator) check(want, got []int32, scores, probs []float64) error {
	if a.r == nil || len(a.r.PerClass) == 0 {
		return errNoLabels
	}
	n, classes := a.r.N, len(a.r.PerClass)
	if !a.multi && (len(want) != 1 || len(got) != 1) {
		return fmt.Errorf("metrics: document %d: it must have one wanted and one predicted class, got %d and %d",
			n, len(want), len(got))
	}
	for _, k := range want {
		if k < Unknown || int(k) >= classes {
			return fmt.Errorf("metrics: document %d: a wanted class must be from 0 to %d, or Unknown, got %d", n, classes-1, k)
		}
	}
	for _, k := range got {
		if k < 0 || int(k) >= classes {
			return fmt.Errorf("metrics: document %d: a predicted class must be from 0 to %d, got %d", n, classes-1, k)
		}
	}
	if err := checkRow("scores", scores, n, classes); err != nil {
		return err
	}
	if err := checkRow("probs", probs, n, classes); err != nil {
		return err
	}
	for k, p := range probs {
		if p < 0 || p > 1 {
			return fmt.Errorf("metrics: document %d, class %d: the probability must be from 0 to 1, got %v", n, k, p)
		}
	}
	return nil
}

// checkRow checks that a document's values are nil, or one for each class and without NaN.
func checkRow(what string, row []float64, document, classes int) error {
	if row != nil && len(row) != classes {
		return fmt.Errorf("metrics: document %d: %s must have %d elements, one for each class, got %d",
			document, what, classes, len(row))
	}
	for k, v := range row {
		if math.IsNaN(v) {
			return fmt.Errorf("metrics: document %d, class %d: %s must not be NaN", document, k, what)
		}
	}
	return nil
}

// count counts a document, and says whether scores and probabilities can be measured by its labels.
func (a *Accumulator) count(want, got []int32) (known bool) {
	a.wanted, a.predicted = set(a.wanted[:0], want), set(a.predicted[:0], got)
	unknown := 0
	for _, k := range want {
		if k == Unknown {
			unknown++
		}
	}
	a.r.Unknown += int64(unknown)
	hits := 0
	for _, k := range a.wanted {
		a.r.PerClass[k].Support++
	}
	for _, k := range a.predicted {
		a.r.PerClass[k].Predicted++
		if slices.Contains(a.wanted, k) {
			a.right[k]++
			hits++
		}
	}
	if hits == len(a.wanted) && hits == len(a.predicted) && unknown == 0 {
		a.exact++
	}
	a.misses += int64(len(a.wanted) + len(a.predicted) - 2*hits)
	if a.multi || unknown > 0 {
		return a.multi
	}
	w, g := want[0], got[0]
	if a.r.Confusion != nil {
		a.r.Confusion[w][g]++
	}
	if w != g {
		a.wrong[pair{w, g}]++
	}
	return true
}

// set appends the classes of a list to dst, ascending, each once, without unknown ones.
func set(dst, list []int32) []int32 {
	dst = append(dst, list...)
	slices.Sort(dst)
	dst = slices.Compact(dst)
	if len(dst) > 0 && dst[0] == Unknown {
		dst = slices.Delete(dst, 0, 1)
	}
	return dst
}

// Report returns the report of the documents, which must not be added to any more.
func (a *Accumulator) Report() (*Report, error) {
	r := a.r
	switch {
	case r == nil || len(r.PerClass) == 0:
		return nil, errNoLabels
	case r.N == 0:
		return nil, errNoDocuments
	}
	r.fill(a.right)
	r.Accuracy = ratio(a.exact, int64(r.N))
	if a.multi {
		hamming := ratio(a.misses, int64(r.N)*int64(len(r.PerClass)))
		r.HammingLoss = &hamming
	} else {
		r.confuse(a.wrong)
	}
	r.rank(&a.ranks, !a.multi && len(r.PerClass) == 2)
	r.LogLoss, r.Brier, r.ECE = a.measured()
	return r, nil
}
