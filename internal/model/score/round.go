package score

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// RoundFastText gives a classifier of fastText with numbers of half precision, and measures by how much it changes
// probabilities: on the texts of an input, or without one on the words of the dictionary, each of which is a text then.
// The model's Meta.FastText.Rounded says what was measured. It shares memory with c, which must not be closed as long as
// it is in use.
func (c *Classifier) RoundFastText(ctx context.Context, in *corpus.Input, o Options) (*Classifier, error) {
	switch {
	case c.fastText == nil:
		return nil, errors.New("nbsvm: the model is not of fastText: Quantize rounds others")
	case c.fastText.Facts().Rounded != nil:
		return nil, errors.New("nbsvm: the numbers are rounded already: give the model that fastText has written")
	}
	r := &roundedPair{c: c}
	var rounded *Classifier
	err := c.guard(func() error {
		ft, rounding := c.fastText.Round()
		r.ft, r.rounding = ft, rounding
		m := *c.m
		m.FastText = nil
		rounded = New(&m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if in == nil {
		err = r.onWords()
	} else {
		err = r.onTexts(ctx, *in, o)
	}
	if err != nil {
		return nil, err
	}
	rounded.takeFastText(r.ft)
	return rounded, nil
}

// roundedPair is a classifier and what it is when it is rounded.
type roundedPair struct {
	c        *Classifier
	ft       *fasttext.Model
	rounding *fasttext.Rounding
	lock     sync.Mutex // of rounding
	scorers  sync.Pool  // of *roundedScorer
}

type roundedScorer struct {
	*fasttext.Scorer
	scores []float64
}

// compare notes how the probabilities of a text differ.
func (r *roundedPair) compare(text []byte, scores []float64) error {
	s, ok := r.scorers.Get().(*roundedScorer)
	if !ok {
		s = &roundedScorer{r.ft.NewScorer(), make([]float64, len(scores))}
	}
	defer r.scorers.Put(s)
	if _, err := s.Score(text, s.scores, false); err != nil {
		return err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.rounding.Texts++
	for k, p := range scores {
		r.rounding.MaxError = max(r.rounding.MaxError, math.Abs(p-s.scores[k]))
	}
	return nil
}

func (r *roundedPair) onWords() error {
	r.rounding.OwnWords = true
	s, scores := r.c.fastText.NewScorer(), make([]float64, len(r.c.Labels()))
	err := r.c.guard(func() error {
		return r.c.fastText.Words(func(word []byte) error {
			if _, err := s.Score(word, scores, false); err != nil {
				return err
			}
			return r.compare(word, scores)
		})
	})
	if err == nil && r.rounding.Texts == 0 {
		err = errors.New("nbsvm: the model knows no words to measure on: give texts (--valid)")
	}
	return err
}

func (r *roundedPair) onTexts(ctx context.Context, in corpus.Input, o Options) error {
	in.Unlabelled, o.OnlyBest = true, false
	err := r.c.each(ctx, in, o, func(_ *scored, _ *Scorer, d *corpus.Document, p *Prediction) {
		if p != nil {
			d.Err = r.compare(d.Text, p.Scores)
		}
	}, func(*scored) error { return nil })
	if err == nil && r.rounding.Texts == 0 {
		err = errors.New("nbsvm: no documents in " + in.Describe() + " to measure on: is that the right input, and is it complete?")
	}
	return err
}
