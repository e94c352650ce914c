package nbsvm

import (
	"context"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Prediction is what a classifier says of a document.
type Prediction struct {
	// Labels are the predicted classes by number: one, or any number for a multi-label model.
	Labels []int
	// Scores are those of all classes: probabilities if [Classifier.Probabilities], and otherwise margins (of two
	// classes, m for the second and −m for the first). The score of a label that is a path is the probability that the
	// document belongs there or below.
	Scores []float64
	// Margins are the decision values of the model's outputs: one for two classes, and otherwise one per class, followed
	// by more if labels are paths.
	Margins []float64
}

// Scorer classifies text after text in one goroutine, with memory of its own that it uses again.
type Scorer struct{ s *score.Scorer }

// NewScorer returns a scorer for one goroutine.
func (c *Classifier) NewScorer() (*Scorer, error) {
	s, err := c.c.NewScorer()
	if err != nil {
		return nil, err
	}
	return &Scorer{s}, nil
}

// Predict classifies a text. The prediction is valid until the scorer's next call.
func (s *Scorer) Predict(text []byte) (Prediction, error) {
	p, err := s.s.Predict(text)
	return Prediction(p), err
}

// PredictFeatures classifies ready-made features in SVMlight text, "index:value …". The prediction is valid until the
// scorer's next call.
func (s *Scorer) PredictFeatures(text []byte) (Prediction, error) {
	p, err := s.s.PredictFeatures(text)
	return Prediction(p), err
}

// ExplainText says what each feature of a text adds to the margin of the predicted class, the largest contributions
// first. In a multi-label model the class is the one with the highest score.
func (s *Scorer) ExplainText(text []byte) (*explain.Text, error) { return s.s.ExplainText(text) }

// ExplainTop returns the n largest contributions of ExplainText alone. For long texts it needs far less memory.
func (s *Scorer) ExplainTop(text []byte, n int) (*explain.Text, error) {
	return s.s.ExplainTop(text, n)
}

// ScoreOptions say how whole inputs are classified. The zero value uses all processors.
type ScoreOptions struct {
	// Threads is the number of threads; 0 stands for all processors.
	Threads int
	// Progress, if not nil, is told how far the work is.
	Progress func(corpus.Progress)
	// Headers writes the input's header (CSV, TSV with named fields) in front of the records, for a [Render] that writes
	// records as they stand. All files must have the same header and be of one format.
	Headers bool
	// EachRow writes every row as soon as it and those before it are ready, instead of many rows at once.
	EachRow bool
	// Also are further outputs of the same documents, which are predicted once.
	Also []ScoreOutput
	// Judge, if not nil, is told by Evaluate what it found of each document, in the input's order. It must not keep
	// what it is given.
	Judge func(Judgement)
	// OnlyBest says that only the labels and their scores are needed: scores of other classes may be 0.
	OnlyBest bool
}

// Render appends the output for a document to dst. For a bad record p is nil, and d.Err says what is wrong with it. Render
// may itself find a record bad, and set d.Err: for further outputs p is nil then. It must not keep the document or the
// prediction.
type Render func(dst []byte, d *corpus.Document, p *Prediction) []byte

// ScoreOutput is an output of [Classifier.Score]: what is rendered, and where it goes.
type ScoreOutput struct {
	Render Render
	W      io.Writer
}

// ScoreStats count what was scored.
type ScoreStats struct {
	// Documents is the number of documents, Bad that of bad records, Written that of documents for which something was
	// written, and Bytes that of the bytes of text.
	Documents int64
	Bad       int64
	Written   int64
	Bytes     int64
	// Labels counts the good documents by predicted label, one for each of the classifier's Labels. A document with
	// several labels counts for each.
	Labels []int64
}

// Judgement is a labelled document and what it was predicted to be.
type Judgement struct {
	// Document is the one that was read; nil for a packed corpus, which has no texts.
	Document *corpus.Document
	// Want are the document's labels by number, or metrics.Unknown for labels that the model does not know.
	Want []int32
	// Got are the predicted labels: one, or any number for a multi-label model.
	Got []int32
	// Scores are those of all classes.
	Scores []float64
}

func (o *ScoreOptions) internal() score.Options {
	in := score.Options{
		Threads: o.Threads, Progress: o.Progress, Headers: o.Headers, EachRow: o.EachRow, OnlyBest: o.OnlyBest,
		Also: convert(o.Also, func(out ScoreOutput) score.Output { return score.Output{Render: out.Render.internal(), W: out.W} }),
	}
	if o.Judge != nil {
		in.Judge = func(j score.Judgement) { o.Judge(Judgement(j)) }
	}
	return in
}

func (r Render) internal() score.Render {
	if r == nil {
		return nil
	}
	return func(dst []byte, d *corpus.Document, p *score.Prediction) []byte {
		return r(dst, d, (*Prediction)(p))
	}
}

// Score classifies a whole input and writes to w what render makes of every record, in the input's order. Labels are not
// needed. Score calls render from several goroutines at once.
func (c *Classifier) Score(
	ctx context.Context, in corpus.Input, o ScoreOptions, render Render, w io.Writer,
) (ScoreStats, error) {
	stats, err := c.c.Score(ctx, in, o.internal(), render.internal(), w)
	return ScoreStats(stats), err
}

// Evaluate classifies a labelled input and compares predictions with labels. A label that the model does not know counts
// as an error of the classifier. The input may be packed corpora with the model's text options and a MinDF of 1.
func (c *Classifier) Evaluate(ctx context.Context, in corpus.Input, o ScoreOptions) (*metrics.Report, error) {
	return c.c.Evaluate(ctx, in, o.internal())
}
