package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// Quantize gives the classifier with weights and ratios of 8 bits, and what
// rounding has done to them. It shares all else with c, which must not be closed as
// long as it is in use.
func (c *Classifier) Quantize() (q *Classifier, roundings []model.Rounding, err error) {
	if err := c.refuse(quantizing); err != nil {
		return nil, nil, err
	}
	err = c.guard(func() error {
		var m *model.Model
		if m, roundings, err = c.m.Quantize(); err == nil {
			q, err = newClassifier(m, c.file)
		}
		return err
	})
	return q, roundings, err
}

// RoundFastText gives a classifier of fastText with numbers of half precision, and measures by how much it changes
// probabilities: on the texts of an input, or without one on the words of the dictionary, each of which is a text then.
// The model's Meta.FastText.Rounded says what was measured. It shares memory with c, which must not be closed as long
// as it is in use.
func (c *Classifier) RoundFastText(ctx context.Context, in *corpus.Input, o Options) (*Classifier, error) {
	ft := c.FastText()
	switch {
	case ft == nil:
		return nil, errors.New("nbsvm: the model is not a fastText model: quantize it instead")
	case ft.Facts().Rounded != nil:
		return nil, errors.New("nbsvm: the model's numbers are already rounded: give the original file that fastText wrote")
	}
	var rounding *fasttext.Rounding
	var rounded *Classifier
	err := c.guard(func() error {
		m := *c.m
		m.FastText = nil
		ft, rounding = ft.Round()
		rounded = newFastText(ft, &m, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var lock sync.Mutex // of rounding
	measure := func(text []byte, before []float64) error {
		after, err := rounded.Predict(text)
		if err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		rounding.Texts++
		for k, p := range before {
			rounding.MaxError = max(rounding.MaxError, math.Abs(p-after.Scores[k]))
		}
		return nil
	}
	if in == nil {
		rounding.OwnWords = true
		err = c.guard(func() error {
			return ft.Words(func(word []byte) error {
				p, err := c.Predict(word)
				if err != nil {
					return err
				}
				return measure(word, p.Scores)
			})
		})
		if err == nil && rounding.Texts == 0 {
			err = errors.New("nbsvm: the model has no words to measure the error on: give texts to measure it on")
		}
	} else {
		texts := *in
		texts.Unlabelled, o.OnlyBest = true, false
		err = c.each(ctx, texts, o, func(_ *scored, d *corpus.Document, p *Prediction) {
			if p != nil {
				d.Err = measure(d.Text, p.Scores)
			}
		}, func(*scored) error { return nil })
		if err == nil && rounding.Texts == 0 {
			err = fmt.Errorf("nbsvm: %w in %s to measure on: is that the right input, and is it complete?", corpus.ErrNoDocuments, in.Describe())
		}
	}
	if err != nil {
		return nil, err
	}
	return rounded, nil
}
