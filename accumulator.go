package nbsvm

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// accumulator counts predictions beside what they should have been.
type accumulator struct {
	c         *Classifier
	counts    *metrics.Accumulator
	several   *metrics.Accumulator // counts documents of any number of labels; nil unless fastText trained the model
	mixed     bool                 // some document has several labels, so that several has the report
	numbers   *metrics.Regression  // counts documents with numbers in place of labels; nil of other models
	ratings   [][]float64          // of documents whose numbers are means of several
	want, got []int32              // of a document
	err       error

	bad     *corpus.BadRecords // of the input; nil if it has none
	earlier corpus.Reasons     // of those that were bad before

	paths metrics.PathCounts // where labels are paths
	// unknown counts the documents that want each label that the model does not know, as far as labels are told apart.
	unknown map[string]int64
}

func newAccumulator(c *Classifier, bad *corpus.BadRecords) *accumulator {
	a := &accumulator{
		c: c, bad: bad, earlier: bad.Reasons(),
		counts: metrics.NewAccumulator(c.Labels(), c.MultiLabel()), unknown: map[string]int64{},
	}
	if c.Numbers() {
		a.numbers = &metrics.Regression{}
	}
	if c.c.FastText() != nil { // its file does not say how many labels a document has
		a.several = metrics.NewAccumulator(c.Labels(), true)
	}
	return a
}

// add notes a document.
func (a *accumulator) add(l *Judgement) {
	if a.numbers != nil {
		if err := a.numbers.Add(l.Number, l.Scores[0]); a.err == nil {
			a.err = err
		}
		if l.Document != nil && l.Document.Ratings != nil {
			a.ratings = append(a.ratings, convert(l.Document.Ratings, numberOf))
		}
		return
	}
	if l.wanted > 0 {
		a.paths.Add(l.shared, l.wanted, l.predicted)
	}
	a.mixed = a.mixed || a.several != nil && len(l.Want) > 1
	if !a.mixed {
		a.count(a.counts, l, l.Labels)
	}
	if a.several != nil {
		a.count(a.several, l, l.decided)
	}
}

// count adds a document to one of the accumulators.
func (a *accumulator) count(counts *metrics.Accumulator, l *Judgement, got []int) {
	a.want, a.got = numbers(a.want[:0], l.Want), numbers(a.got[:0], got)
	unknown := l.unknown
	for i, k := range a.want {
		if k == metrics.Unknown && len(unknown) > 0 {
			if a.want[i] = counts.UnknownClass(unknown[0]); a.want[i] != metrics.Unknown &&
				(counts == a.counts) != a.mixed {
				a.unknown[unknown[0]]++
			}
			unknown = unknown[1:]
		}
	}
	ranks := l.Odds
	if ranks == nil {
		ranks = a.c.c.Exact(l.Scores)
	}
	if err := counts.Add(a.want, a.got, ranks, a.probabilities(l)); a.err == nil {
		a.err = err
	}
}

// probabilities returns the probabilities of the labels of a document; nil if the model has none.
func (a *accumulator) probabilities(l *Judgement) []float64 {
	if !a.c.Probabilities() {
		return nil
	}
	probabilities := a.c.c.Exact(l.Scores)
	if a.c.c.FastText() != nil { // it shows up to 1e-5 more than a probability may be
		probabilities = slices.Clone(probabilities)
		for k, p := range probabilities {
			probabilities[k] = min(p, 1)
		}
	}
	return probabilities
}

// numbers appends classes.
func numbers(dst []int32, classes []int) []int32 {
	for _, k := range classes {
		dst = append(dst, int32(k))
	}
	return dst
}

// report computes the metrics of the documents of an input, and of numbers what is kept at some cuts. It returns an
// error if the model knows none of their labels.
func (a *accumulator) report(input string, cuts []float64) (*metrics.Report, error) {
	if a.err != nil {
		return nil, a.err
	}
	if a.numbers != nil {
		of, err := a.numbers.Report(cuts...)
		if err != nil {
			return nil, err
		}
		if len(a.ratings) > 0 {
			if of.Ceiling, err = metrics.RaterCeiling(slices.Values(a.ratings)); err != nil {
				return nil, err
			}
		}
		r := &metrics.Report{N: of.N, Regression: of}
		a.addBad(r)
		of.Bad, of.BadReasons = r.Bad, r.BadReasons
		return r, nil
	}
	counts := a.counts
	if a.mixed {
		counts = a.several
	}
	r, err := counts.Report()
	if err != nil {
		return nil, err
	}
	a.addBad(r)
	r.UnknownLabels = a.unknown
	r.AddPaths(&a.paths)
	known := func(class metrics.ClassReport) bool { return class.Support > 0 }
	if r.Unknown > 0 && !slices.ContainsFunc(r.PerClass[:len(a.c.Labels())], known) {
		return nil, fmt.Errorf("nbsvm: %s: the model knows none of the labels: %s; its labels are %s; spell the documents' labels the same way, or name the right field with Input.LabelField",
			input, r.DescribeUnknown(), display.Excerpts(a.c.Labels()))
	}
	return r, nil
}

// addBad adds the records that were skipped.
func (a *accumulator) addBad(r *metrics.Report) {
	for reason, n := range a.bad.Reasons().Without(a.earlier) {
		if r.BadReasons == nil {
			r.BadReasons = map[string]int64{}
		}
		r.Bad, r.BadReasons[string(reason)] = r.Bad+n, n
	}
}
