package score

import (
	"context"
	"errors"
	"math"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// predictor predicts documents on one goroutine. It takes several at a time, so that the cache misses of short ones
// overlap.
type predictor interface {
	// reset forgets the documents that were added.
	reset()
	// add adds a document. An error makes this document bad, which counts among the documents nevertheless, unless it
	// is that of the context, which ends a long document.
	add(ctx context.Context, text []byte) error
	// full says that enough documents were added to be predicted.
	full() bool
	// find looks up the features of all documents that were added.
	find()
	// predict predicts the k-th document that was added. Unless only is nil, it has the classes whose scores are asked
	// for beside those of the predicted ones: others may be left 0. The prediction is valid until the next call.
	predict(k int, only []int) (Prediction, error)
	// unknown returns how many features of the text that was predicted last the model does not know, and how many it has:
	// distinct n-grams or ready-made features, or the words of fastText.
	unknown(text []byte) (unknown, all int, err error)
	// explain explains the prediction of a text by the n features that contribute most.
	explain(text []byte, n int) (*explain.Text, error)
	// spans visits where the tokens of features lie in a text, by the names that explain gives the features.
	spans(text []byte, visit func(name []byte, tokens []hashing.Span)) error
}

// Scorer scores documents one by one. It owns scratch memory: one per goroutine.
type Scorer struct {
	c *Classifier
	predictor
	errs  []error    // of the texts that are predicted together
	parts []textPart // memory for those of PredictParts
	asks  bool       // PredictAll and PredictParts tell the share of unknown features
	again int64      // bytes that were not UTF-8, and were read again to explain them
}

// NewScorer returns a scorer for one goroutine.
func (c *Classifier) NewScorer() (*Scorer, error) {
	newPredictor := newRuledPredictor
	if c.fastText != nil {
		newPredictor = newFastTextPredictor
	}
	p, err := newPredictor(c)
	if err != nil {
		return nil, err
	}
	return &Scorer{c: c, predictor: p}, nil
}

// Predict scores a text. If the model's file is truncated and something of it is needed, that is an error.
func (s *Scorer) Predict(text []byte) (Prediction, error) {
	if s.c.TakesFeatures() {
		return Prediction{}, errors.New("nbsvm: the model takes ready-made features (SVMlight), not text")
	}
	return s.predictOne(text, nil)
}

// PredictFeatures scores ready-made features in SVMlight text, "index:value …".
func (s *Scorer) PredictFeatures(text []byte) (Prediction, error) {
	if !s.c.TakesFeatures() {
		return Prediction{}, errors.New("nbsvm: the model takes text, not ready-made features (SVMlight)")
	}
	return s.predictOne(text, nil)
}

// predictOne predicts a text, or features.
func (s *Scorer) predictOne(text []byte, only []int) (p Prediction, err error) {
	err = s.c.protect(func() (err error) {
		s.reset()
		if err = s.add(context.Background(), text); err == nil {
			s.find()
			p, err = s.predict(0, only)
		}
		return err
	})
	if err != nil {
		return Prediction{}, err
	}
	return p, nil
}

// PredictAll predicts n texts, several at a time so that their cache misses overlap, and visits them in order, each
// with its prediction or an error. What it visits is valid until the visit returns. Unless only is nil, it has the
// classes whose scores are asked for beside those of the predicted ones: others may be 0. The context ends it, and so
// does an error of visit.
func (s *Scorer) PredictAll(
	ctx context.Context, n int,
	text func(k int) []byte, only []int, visit func(k int, p *Prediction, err error) error,
) error {
	var p Prediction
	for first, next := 0, 0; first < n; first = next {
		s.reset()
		s.errs = s.errs[:0]
		for ; next < n && !s.full(); next++ {
			s.errs = append(s.errs, s.add(ctx, text(next)))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.find()
		for k := first; k < next; k++ {
			q, err := &p, s.errs[k-first]
			if err == nil {
				p, err = s.predict(k-first, only)
			}
			if err == nil && s.asks {
				p.Unknown, err = s.shareUnknown(text(k))
			}
			if err != nil {
				q = nil
			}
			if err := visit(k, q, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// AskUnknown has PredictAll and PredictParts set Prediction.Unknown, which takes them longer.
func (s *Scorer) AskUnknown() { s.asks = true }

// shareUnknown returns the share of the features of the text predicted last that the model does not know; 1 if it has
// none.
func (s *Scorer) shareUnknown(text []byte) (float64, error) {
	unknown, all, err := s.unknown(text)
	if all == 0 {
		return 1, err
	}
	return float64(unknown) / float64(all), err
}

// InvalidBytes returns the number of bytes so far that were not UTF-8, in the texts that were scored or explained.
func (s *Scorer) InvalidBytes() int64 { return s.invalidRead() - s.again }

// invalidRead counts those that are read twice twice.
func (s *Scorer) invalidRead() int64 {
	switch p := s.predictor.(type) {
	case *fastTextPredictor:
		return p.invalid
	case *ruledPredictor:
		if n, ok := p.features.(*ngrams); ok {
			return n.extract.InvalidBytes()
		}
	}
	return 0
}

// ExplainText explains the margin of the predicted class of a text (where there
// are any number of classes: of the class with the highest score), largest
// contributions first.
func (s *Scorer) ExplainText(text []byte) (*explain.Text, error) {
	return s.ExplainTop(text, math.MaxInt)
}

// ExplainTop is like ExplainText with the n largest contributions alone. It takes far less memory for long texts: only
// features that are listed are named.
func (s *Scorer) ExplainTop(text []byte, n int) (e *explain.Text, err error) {
	before := s.invalidRead()
	err = s.c.Guard(func() (err error) {
		e, err = s.explain(text, n)
		if read := s.invalidRead() - before; read > 0 {
			s.again += read - invalidBytes(text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Spans visits the features of a text, by the names that explanations give them, with where their tokens lie. Several
// features that fall into one bucket, which explanations list as one, are visited each by its own name. The arguments
// are valid until visit returns.
func (s *Scorer) Spans(text []byte, visit func(name []byte, tokens []hashing.Span)) error {
	return s.c.Guard(func() error { return s.spans(text, visit) })
}
