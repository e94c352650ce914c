package nbsvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Prediction is the result of classifying a document. Classes are numbered by their place in [Classifier.Labels].
type Prediction struct {
	// Labels are the numbers of the predicted classes: exactly one, except that there may be any number if
	// [Classifier.MultiLabel], and none if a fastText model knows nothing of the text.
	Labels []int
	// Scores has a score for each class: a probability from 0 to 1 if [Classifier.Probabilities], and otherwise a
	// margin. The two margins of two classes are m and −m. If labels are paths, the score is the probability of the
	// path or anything below it.
	Scores []float64
	// Margins has the decision value of each output of the model: a single one for two classes, and otherwise one per
	// class. If labels are paths or a tree was grown over them (see [Options].Tree), those of the inner nodes follow. A
	// grown tree is searched from the top: outputs that the search did not come to have −Inf.
	Margins []float64
	// Unknown is the share of the document's features that the model does not know, from 0 to 1: of its distinct n-grams
	// or ready-made features or, for models of fastText, of its words, each as often as it occurs, those that are not in
	// the dictionary. It is 1 if the document has none, and 0 unless [ScoreOptions].Unknown asks for it.
	Unknown float64
	// Parts is what [Parts].Render has appended for the parts of the text. It is nil if the text has none, and without
	// [ScoreOptions].Parts.
	Parts []byte
}

// Levels returns the levels of an ordinal model with probabilities, ascending; nil of other models.
func (c *Classifier) Levels() []float64 {
	meta := &c.c.Model().Meta
	if meta.Link != "levels" || len(meta.Levels.Numbers) == 2 { // the two of soft labels are ends of a range
		return nil
	}
	return slices.Clone(meta.Levels.Numbers)
}

// AppendLevels appends the probability of each of [Classifier.Levels] that p makes of a document.
func (c *Classifier) AppendLevels(dst []float64, p *Prediction) []float64 {
	return c.c.Model().Meta.Levels.Probabilities(dst, p.Margins[0])
}

// LabelScore is a label with its score, see [Prediction].
type LabelScore struct {
	Label string
	Score float64
}

// Scored is a document that [Classifier.Each] has classified.
type Scored struct {
	// LabelScore is what [Classifier.Classify] returns for the text.
	LabelScore
	// ID is that of the document: Document.ID, or the field that Input.ID names.
	ID string
	// Prediction is what [Classifier.Predict] returns. It and Document are valid until the next document.
	Prediction Prediction
	Document   *corpus.Document
}

// Scorer classifies one text after the other without allocating memory. It is for one goroutine at a time; give each
// goroutine its own. Get one from [Classifier.NewScorer]; the zero value is not usable.
type Scorer struct{ s *score.Scorer }

// NewScorer returns a new Scorer.
func (c *Classifier) NewScorer() (*Scorer, error) {
	s, err := c.c.NewScorer()
	if err != nil {
		return nil, err
	}
	return &Scorer{s}, nil
}

// Predict classifies a text. The slices of the prediction are valid until the next call of a method of the scorer.
func (s *Scorer) Predict(text []byte) (Prediction, error) {
	p, err := s.s.Predict(text)
	return Prediction(p), err
}

// PredictFeatures classifies features in the form "index:value index:value …", for models that take features instead
// of text. The slices of the prediction are valid until the next call of a method of the scorer.
func (s *Scorer) PredictFeatures(text []byte) (Prediction, error) {
	p, err := s.s.PredictFeatures(text)
	return Prediction(p), err
}

// ExplainText returns what each feature of a text adds to the margin of the predicted class, the largest contributions
// first. If a document may have any number of labels, it explains the class with the highest score.
func (s *Scorer) ExplainText(text []byte) (*explain.Text, error) { return s.s.ExplainText(text) }

// InvalidBytes returns the number of bytes that were not valid UTF-8 in all texts that were classified or explained.
func (s *Scorer) InvalidBytes() int64 { return s.s.InvalidBytes() }

// ExplainTop is like ExplainText with the n largest contributions only. It needs far less memory for long texts. A
// negative n stands for 0.
func (s *Scorer) ExplainTop(text []byte, n int) (*explain.Text, error) {
	return s.s.ExplainTop(text, max(n, 0))
}

// Highlight returns, for each byte of a text, what the n-grams that lie over it add to the margin that x explains, for
// showing the text in colours. x is what ExplainText returned for this text. At each of its places, an n-gram counts
// with all that it adds, divided by its tokens.
func (s *Scorer) Highlight(text []byte, x *explain.Text) ([]float64, error) {
	if x == nil {
		return nil, errors.New("nbsvm: there is no explanation to show: give what ExplainText returned for the text")
	}
	return s.s.Highlight(text, x.Contributions)
}

// ScoreOptions say how [Classifier.Score], [Classifier.Evaluate] and the like work through an input. The zero value is
// valid.
type ScoreOptions struct {
	// Threads is the number of threads; 0 stands for one per processor.
	Threads int
	// Progress, if not nil, is called as the work proceeds.
	Progress func(corpus.Progress)
	// Headers makes Score write the header of the input (CSV, or TSV with named columns) before the records, for a
	// [Render] that writes records unchanged. All files must then have the same format and header.
	Headers bool
	// Also has further outputs for the same predictions.
	Also []ScoreOutput
	// Cuts, where the model predicts numbers, has thresholds for Evaluate: numbers that the report tells how well the
	// documents from there on are found.
	Cuts []float64
	// Judge, if not nil, is called by Evaluate for each document, in the order of the input. It must not keep its
	// argument.
	Judge func(Judgement)
	// With has further classifiers for Score: the input is read once, and each of its documents is classified by all.
	With []*Classifier
	// Only saves time if not all scores are needed. If it is not nil, it has for each classifier the numbers of the
	// classes whose scores are needed beside those of the predicted ones, or nil for all. Scores of other classes may
	// be 0.
	Only [][]int
	// Unknown, if not nil, says for each classifier whether [Prediction].Unknown is asked for. Its documents then take
	// longer.
	Unknown []bool
	// Settled, if not nil, is called before a document is classified by each one of With, with the predictions so far. If
	// it returns true, there are no more.
	Settled func(p []Prediction) bool
	// Parts, if not nil, has Score classify parts of each text by themselves in place of the whole.
	Parts *Parts
}

// Parts says how [Classifier.Score] classifies texts part by part. The scores of a text, and its margins, are
// combinations of those of its parts, class by class, and its labels are those for which the combined scores speak.
// Parts of which a fastText model knows nothing do not count. A text of one part has the prediction of that, and a text
// without parts is classified as a whole.
//
// Score calls the functions from several goroutines at once.
type Parts struct {
	// Split yields the parts of a text: where each lies, in bytes, and the text to classify for it, which is usually just
	// what lies there. No part may be empty. It is called for every classifier.
	Split func(text []byte) iter.Seq2[hashing.Span, []byte]
	// Over is how scores are combined: "mean", weighted by the parts' length in characters, "min" or "max"; empty for
	// mean. With "none" they are not, which saves time if only parts are rendered: a text that has parts has no labels,
	// scores and margins, and ScoreOptions.Only may be set.
	Over string
	// Render, if not nil, appends to dst what [Prediction].Parts is to have of a part: of its prediction by the classifier
	// (0) or one of ScoreOptions.With (1, …), and of its place in the text, in characters (code points).
	Render func(dst []byte, model int, at hashing.Span, p *Prediction) []byte
}

// of returns the parts for one of several classifiers.
func (o *Parts) of(model int) *score.Parts {
	parts := &score.Parts{Split: o.Split, Over: cmp.Or(o.Over, score.MeanOver)}
	if o.Render != nil {
		parts.Render = func(dst []byte, at hashing.Span, p *score.Prediction) []byte {
			return o.Render(dst, model, at, (*Prediction)(p))
		}
	}
	return parts
}

// check refuses what can't be meant, with these classifiers.
func (o *Parts) check(all []*Classifier) error {
	switch {
	case o == nil:
	case o.Split == nil:
		return errors.New("nbsvm: Parts.Split is nil: give a function that yields the parts of a text")
	case !slices.Contains([]string{"", score.MeanOver, score.MinOver, score.MaxOver, score.NoneOver}, o.Over):
		return fmt.Errorf("nbsvm: Parts.Over must be mean, min, max or none, got %q", o.Over)
	case all[0].TakesFeatures():
		return errors.New("nbsvm: the model takes ready-made features (svmlight), not text, so that documents have no parts")
	}
	return nil
}

// Render appends the output for a document to dst and returns the extended slice; it may append nothing. p has the
// prediction of the classifier, and behind it those of ScoreOptions.With, as many as ScoreOptions.Settled asks for. For a
// bad record, p is nil and d.Err says what is wrong. Render may set d.Err itself, which makes the record a bad one. It
// must not keep d or p.
type Render func(dst []byte, d *corpus.Document, p []Prediction) []byte

// ScoreOutput is a further output of [Classifier.Score]: what is written, and where.
type ScoreOutput struct {
	Render  Render
	W       io.Writer
	Headers bool // begin it as ScoreOptions.Headers says, if that is set
}

// ScoreStats counts what [Classifier.Score] has read and written.
type ScoreStats struct {
	// Documents is the number of documents, Bad the number of bad records, Written the number of documents for which
	// something was written, and Bytes the length of all texts in bytes.
	Documents int64
	Bad       int64
	Reasons   corpus.Reasons // how many bad records have each fault
	Written   int64
	Bytes     int64
	// Labels counts the documents for each predicted label, in the order of Classifier.Labels. A document with several
	// labels counts for each. Those of ScoreOptions.With are in With.
	Labels []int64
	With   [][]int64
}

// Judgement is a labelled document with its prediction.
type Judgement struct {
	// Path is the file of the document, or the packed corpus.
	Path string
	// Document is nil if the input is a packed corpus, which has no texts.
	Document *corpus.Document
	// Want has the numbers of the document's labels; [metrics.Unknown] stands for a label that the model does not
	// know.
	Want []int
	Prediction
	// Number is the number that the document has, where the model predicts numbers.
	Number float64
	// Odds has the log odds of each class if scores are probabilities that are made of margins. They tell classes and
	// documents apart where probabilities round to 1. Otherwise it is nil.
	Odds []float64

	// Parts of the wanted and of the predicted path, and of what they have in common; 0 unless labels are paths.
	shared, wanted, predicted int

	unknown []string // labels that the model does not know
	decided []int    // the labels that a fastText model decides for if documents have several
}

// Score classifies all documents of an input, which need no labels. It writes to w what render returns for each of
// them, in the order of the input. Score calls render from several goroutines at once.
func (c *Classifier) Score(
	ctx context.Context, in corpus.Input, o ScoreOptions, render Render, w io.Writer,
) (ScoreStats, error) {
	stats := ScoreStats{Labels: make([]int64, len(c.Labels()))}
	for _, other := range o.With {
		stats.With = append(stats.With, make([]int64, len(other.Labels())))
	}
	if err := o.checkOutputs(render, w); err != nil {
		return stats, err
	}
	var header header
	in.Unlabelled, in.Headers = true, o.Headers
	err := c.each(ctx, in, o, func(s *scored, d *corpus.Document, p []Prediction) {
		before := len(s.out)
		if s.out = render(s.out, d, p); len(s.out) > before {
			s.stats.Written++
		}
		if d.Err != nil {
			p = nil
		}
		s.stats.count(p)
		for i := range o.Also {
			s.also[i] = o.Also[i].Render(s.also[i], d, p)
		}
	}, func(s *scored) error {
		stats.Add(s.stats)
		if s.header != nil {
			head, err := header.of(s)
			if err != nil {
				return err
			}
			s.out = append(s.out, head...)
			for i := range s.also {
				if o.Also[i].Headers {
					s.also[i] = append(s.also[i], head...)
				}
			}
		}
		_, end := par.WithStage(ctx, par.StageWrite)
		defer end()
		_, err := w.Write(s.out)
		for i := range s.also {
			if err == nil {
				_, err = o.Also[i].W.Write(s.also[i])
			}
		}
		return err
	})
	return stats, err
}

// Each classifies the documents of an input, which need no labels, on all processors, and yields them in the order of
// the input. An error is the last pair. A bad record is one, unless the input says to skip it (see
// [corpus.NewBadRecords]).
func (c *Classifier) Each(ctx context.Context, in corpus.Input) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var err error
		var fault any
		documents, taken := make(chan *Judgement), make(chan struct{})
		go func() {
			defer close(documents)
			defer func() { fault = recover() }()
			err = c.visit(ctx, in, func(d *Judgement) error {
				select {
				case documents <- d:
					<-taken
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
		for d := range documents {
			one := Scored{ID: d.Document.ID, Prediction: d.Prediction, Document: d.Document}
			if one.ID == "" && in.ID != "" && len(d.Document.Kept) > 0 {
				one.ID = string(d.Document.Kept[0].AppendText(nil))
			}
			if class := c.c.First((*score.Prediction)(&d.Prediction)); class >= 0 {
				one.LabelScore = LabelScore{c.Labels()[class], d.Scores[class]}
			}
			more := yield(one, nil)
			if !more {
				cancel()
			}
			taken <- struct{}{}
			if !more {
				for range documents { // until reading has ended
					taken <- struct{}{}
				}
				return
			}
		}
		if fault != nil {
			panic(fault)
		}
		if err != nil {
			yield(Scored{}, err)
		}
	}
}
