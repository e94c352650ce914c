package nbsvm

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// judged are predictions beside what they should have been.
type judged struct {
	want, got   []int32   // single-label
	wants, gots [][]int32 // multi-label
	scores      []float64 // per document and label
}

func (j *judged) append(k judged) {
	j.want, j.got = append(j.want, k.want...), append(j.got, k.got...)
	j.wants, j.gots = append(j.wants, k.wants...), append(j.gots, k.gots...)
	j.scores = append(j.scores, k.scores...)
}

// emptied are none, with the memory of these.
func (j *judged) emptied() judged {
	return judged{j.want[:0], j.got[:0], j.wants[:0], j.gots[:0], j.scores[:0]}
}

func (j *judged) documents() int { return len(j.want) + len(j.wants) }

// add notes a prediction for a document that carries the labels want.
func (j *judged) add(multi bool, want []int32, p *Prediction) {
	j.scores = append(j.scores, p.Scores...)
	if !multi {
		first := int32(-1)
		if len(want) > 0 {
			first = want[0]
		}
		j.want, j.got = append(j.want, first), append(j.got, int32(p.Labels[0]))
		return
	}
	got := make([]int32, len(p.Labels))
	for i, k := range p.Labels {
		got[i] = int32(k)
	}
	j.wants, j.gots = append(j.wants, want), append(j.gots, got)
}

// report computes the metrics.
func (c *Classifier) report(j *judged) (*metrics.Report, error) {
	var probabilities []float64
	if c.Probabilities() {
		probabilities = j.scores
	}
	if c.MultiLabel() {
		return metrics.MultiLabel(c.Labels(), j.wants, j.gots, j.scores, probabilities)
	}
	return metrics.MultiClass(c.Labels(), j.want, j.got, j.scores, probabilities)
}

// Evaluate scores a labelled input and compares. A label that the model does not
// know counts as an error of the classifier. The input may be a packed corpus, of the
// model's text options and with all its n-grams.
func (c *Classifier) Evaluate(ctx context.Context, in Input, o ScoreOptions) (*metrics.Report, error) {
	if path, ok, err := packedInput(in); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return c.evaluatePacked(ctx, path)
	}
	own, _, err := c.judge(ctx, in, o, nil)
	if err != nil {
		return nil, err
	}
	return c.report(own)
}

// judge scores a labelled input, with a rival as well, if there is one, which must
// know the same features.
func (c *Classifier) judge(ctx context.Context, in Input, o ScoreOptions, rival *Classifier) (own, rivals *judged, err error) {
	number := make(map[string]int32, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = int32(k)
	}
	multi := c.MultiLabel()
	own, rivals = &judged{}, &judged{}
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
		s.judged.add(multi, want, p)
		if rival == nil {
			return
		}
		if s.rival == nil {
			s.rival = rival.decider()
		}
		s.rival.features.copy(&scorer.features)
		other := s.rival.predict()
		s.rivals.add(multi, want, &other)
	}, func(s *scored) error {
		own.append(s.judged)
		rivals.append(s.rivals)
		return nil
	})
	if err == nil && own.documents() == 0 {
		err = errors.New("nbsvm: no documents in " + describePaths(in.Paths) + " to evaluate on")
	}
	return own, rivals, err
}
