package score

import (
	"errors"
	"math"
	"sync"

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
	err = c.Guard(func() error {
		var m *model.Model
		if m, roundings, err = c.m.Quantize(); err == nil {
			q, err = newClassifier(m, c.file)
		}
		return err
	})
	return q, roundings, err
}

// RoundFastText returns a classifier of fastText with numbers of half precision, and a function that measures by how much
// they change the probabilities of a text, which are given. Any number of goroutines may call it. The model's
// Meta.FastText.Rounded says what was measured. The classifier shares memory with c, which must not be closed as long as
// it is in use.
func (c *Classifier) RoundFastText() (rounded *Classifier, measure func(text []byte, before []float64) error, err error) {
	ft := c.FastText()
	switch {
	case ft == nil:
		return nil, nil, errors.New("nbsvm: the model is not a fastText model: quantize it instead")
	case ft.Facts().Rounded != nil:
		return nil, nil, errors.New("nbsvm: the model's numbers are already rounded: give the original file that fastText wrote")
	}
	var rounding *fasttext.Rounding
	err = c.Guard(func() error {
		m := *c.m
		m.FastText = nil
		ft, rounding = ft.Round()
		rounded = newFastText(ft, &m, nil)
		return nil
	})
	var lock sync.Mutex // of rounding
	return rounded, func(text []byte, before []float64) error {
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
	}, err
}

// RoundOnWords is RoundFastText that measures on the words of the dictionary, each of which is a text then.
func (c *Classifier) RoundOnWords() (*Classifier, error) {
	rounded, measure, err := c.RoundFastText()
	if err != nil {
		return nil, err
	}
	facts := rounded.FastText().Facts()
	facts.Rounded.OwnWords = true
	err = c.Guard(func() error {
		return c.FastText().Words(func(word []byte) error {
			p, err := c.Predict(word)
			if err != nil {
				return err
			}
			return measure(word, p.Scores)
		})
	})
	if err == nil && facts.Rounded.Texts == 0 {
		err = errors.New("nbsvm: the model has no words to measure the error on: give texts to measure it on")
	}
	return rounded, err
}
