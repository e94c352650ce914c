package vocab

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// MaxLabels is how many labels a corpus may have: as many as a model has outputs.
const MaxLabels = 1 << 24

// Documents may have so many labels in all, or else on average: far more than any that people give. A few bytes can say
// that every document has every label, which would take very long to look at.
const (
	manyLabels = 1 << 24
	meanOfMany = 1 << 10
)

// checkPairs refuses more labels than so many documents may have, counted once for every document that has them.
func checkPairs(pairs, documents uint64) error {
	if pairs <= manyLabels || pairs/meanOfMany <= documents {
		return nil
	}
	return fmt.Errorf("%d documents have %d labels, more than %d each: pack fewer labels", documents, pairs, meanOfMany)
}

// Head is what a corpus holds besides rows and the keys of their columns.
type Head struct {
	Meta    []byte            // JSON
	Labels  []string          // ascending
	Sets    []*roaring.Bitmap // documents of each label
	Weights []float32         // of documents; nil if all are 1
	Runs    []Run             // of columns
	// Distinct is the number of keys that documents had, those included that are too
	// rare for a column.
	Distinct uint64
}

// Run is a number of columns, side by side, that occur in as many documents.
type Run struct{ Frequency, Columns uint64 }

// check returns which section contradicts the others or itself, and how; it is for a corpus that is to be
// written as for one that was read.
func (h *Head) check(t *Totals) (section, detail string) {
	wrong := func(name, format string, args ...any) (string, string) { return name, fmt.Sprintf(format, args...) }
	if len(h.Labels) > MaxLabels {
		return wrong(labelsName, "there are %d labels, more than %d", len(h.Labels), MaxLabels)
	}
	for k := range h.Labels {
		if k > 0 && h.Labels[k-1] >= h.Labels[k] {
			return wrong(labelsName, "label %q follows %q", h.Labels[k], h.Labels[k-1])
		}
	}
	if len(h.Sets) != len(h.Labels) {
		return wrong(setsName, "there are %d sets of documents for %d labels", len(h.Sets), len(h.Labels))
	}
	pairs := uint64(0)
	for k, set := range h.Sets {
		pairs += set.GetCardinality()
		if !set.IsEmpty() && uint64(set.Maximum()) >= t.Documents {
			return wrong(setsName, "document %d has label %q, but there are %d documents",
				set.Maximum(), h.Labels[k], t.Documents)
		}
	}
	if err := checkPairs(pairs, t.Documents); err != nil {
		return wrong(setsName, "%v", err)
	}
	if h.Weights != nil && uint64(len(h.Weights)) != t.Documents {
		return wrong(weightsName, "there are %d weights for %d documents", len(h.Weights), t.Documents)
	}
	for i, w := range h.Weights {
		if !(w == 0 || w >= corpus.LeastWeight && w <= corpus.MostWeight) {
			return wrong(weightsName, "document %d has the weight %v, which is neither 0 nor from %g to %g", i, w,
				corpus.LeastWeight, corpus.MostWeight)
		}
	}
	return runsName, checkRuns(h.Runs, t)
}

// checkRuns returns how frequencies contradict the totals or themselves.
func checkRuns(runs []Run, t *Totals) string {
	column := uint64(0)
	for k, r := range runs {
		if r.Frequency == 0 || r.Frequency > t.Documents || k > 0 && runs[k-1].Frequency <= r.Frequency {
			return fmt.Sprintf("column %d is said to be in %d documents of %d", column, r.Frequency, t.Documents)
		}
		if r.Columns == 0 || r.Columns > t.Columns-column {
			return fmt.Sprintf("%d columns of %d follow column %d", r.Columns, t.Columns, column)
		}
		column += r.Columns
	}
	if column != t.Columns {
		return fmt.Sprintf("it ends with column %d of %d", column, t.Columns)
	}
	if sum, ok := sumRuns(runs); !ok || sum != t.Entries {
		return fmt.Sprintf("documents of all columns do not add up to %d entries", t.Entries)
	}
	return ""
}

// sumRuns adds up the frequencies of all columns, unless there are too many.
func sumRuns(runs []Run) (sum uint64, ok bool) {
	for _, r := range runs {
		high, n := bits.Mul64(r.Frequency, r.Columns)
		var carry uint64
		if sum, carry = bits.Add64(sum, n, 0); high+carry > 0 {
			return 0, false
		}
	}
	return sum, true
}

// checkSize refuses more documents or columns than a matrix may have.
func checkSize(documents uint64, columns int) error {
	switch {
	case documents > math.MaxInt32:
		return fmt.Errorf("packed: %d documents, more than %d: take fewer", documents, math.MaxInt32)
	case columns > math.MaxInt32:
		return fmt.Errorf("packed: %d columns, more than %d: leave out rare n-grams", columns, math.MaxInt32)
	}
	return nil
}
