package score

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// accumulator collects predictions beside what they should have been.
type accumulator struct {
	want, got   []int32   // single-label
	wants, gots [][]int32 // multi-label
	scores      []float64 // per document and label
}

func (a *accumulator) append(b accumulator) {
	a.want, a.got = append(a.want, b.want...), append(a.got, b.got...)
	a.wants, a.gots = append(a.wants, b.wants...), append(a.gots, b.gots...)
	a.scores = append(a.scores, b.scores...)
}

// emptied is an empty accumulator with the memory of this one.
func (a *accumulator) emptied() accumulator {
	return accumulator{a.want[:0], a.got[:0], a.wants[:0], a.gots[:0], a.scores[:0]}
}

func (a *accumulator) documents() int { return len(a.want) + len(a.wants) }

// add notes a prediction for a document that carries the labels want.
func (a *accumulator) add(multi bool, want []int32, p *Prediction) {
	a.scores = append(a.scores, p.Scores...)
	if !multi {
		first := int32(-1)
		if len(want) > 0 {
			first = want[0]
		}
		a.want, a.got = append(a.want, first), append(a.got, int32(p.Labels[0]))
		return
	}
	got := make([]int32, len(p.Labels))
	for i, k := range p.Labels {
		got[i] = int32(k)
	}
	a.wants, a.gots = append(a.wants, want), append(a.gots, got)
}

// report computes the metrics.
func (c *Classifier) report(a *accumulator) (*metrics.Report, error) {
	var probabilities []float64
	if c.Probabilities() {
		probabilities = a.scores
	}
	if c.MultiLabel() {
		return metrics.MultiLabel(c.Labels(), a.wants, a.gots, a.scores, probabilities)
	}
	return metrics.MultiClass(c.Labels(), a.want, a.got, a.scores, probabilities)
}

// Evaluate scores a labelled input and compares. A label that the model does not
// know counts as an error of the classifier. The input may be a packed corpus, of the
// model's text options and with all its n-grams.
func (c *Classifier) Evaluate(ctx context.Context, in dataset.Input, o Options) (*metrics.Report, error) {
	if path, ok, err := in.PackedPath(); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return c.evaluatePacked(ctx, path)
	}
	own, _, err := c.accumulate(ctx, in, o, nil)
	if err != nil {
		return nil, err
	}
	return c.report(own)
}

// accumulate scores a labelled input, also with a baseline if there is one, which must know
// the same features.
func (c *Classifier) accumulate(ctx context.Context, in dataset.Input, o Options, baseline *Classifier) (own, ofBaseline *accumulator, err error) {
	number := make(map[string]int32, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = int32(k)
	}
	multi := c.MultiLabel()
	own, ofBaseline = &accumulator{}, &accumulator{}
	err = c.each(ctx, in, o, func(s *scored, scorer *Scorer, d *corpus.Document, p *Prediction) {
		if p == nil {
			return
		}
		want := make([]int32, 0, 1)
		for _, label := range d.Labels {
			k, ok := number[string(label)]
			if !ok {
				k = metrics.Unknown
			}
			want = append(want, k)
		}
		if !multi && len(d.Labels) > 1 {
			d.Err = &corpus.RecordError{Path: s.path, Line: d.Line, Offset: d.Offset, Err: fmt.Errorf("the record has %d labels, but the model gives one", len(d.Labels))}
			return
		}
		s.own.add(multi, want, p)
		if baseline == nil {
			return
		}
		if s.baseline == nil {
			s.baseline = baseline.decider()
		}
		s.baseline.batch.copy(&scorer.batch)
		other := s.baseline.decided()
		s.ofBaseline.add(multi, want, &other)
	}, func(s *scored) error {
		own.append(s.own)
		ofBaseline.append(s.ofBaseline)
		return nil
	})
	if err == nil && own.documents() == 0 {
		err = errors.New("nbsvm: no documents in " + dataset.DescribePaths(in.Paths) + " to evaluate on")
	}
	return own, ofBaseline, err
}
