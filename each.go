package nbsvm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// checkOutputs refuses outputs that lack a part.
func (o *ScoreOptions) checkOutputs(render Render, w io.Writer) error {
	for _, output := range append([]ScoreOutput{{render, w}}, o.Also...) {
		switch {
		case output.Render == nil:
			return errors.New("nbsvm: Render is nil: give a function that appends what to write of a document")
		case output.W == nil:
			return errors.New("nbsvm: there is nothing to write to: give a writer beside Render, such as io.Discard")
		}
	}
	return nil
}

func (s *ScoreStats) add(t ScoreStats) {
	s.Documents += t.Documents
	s.Bad += t.Bad
	s.Reasons = s.Reasons.Add(t.Reasons)
	s.Written += t.Written
	s.Bytes += t.Bytes
	for k, documents := range t.Labels {
		s.Labels[k] += documents
	}
}

// count counts a document by what it is predicted to be, unless it is bad.
func (s *ScoreStats) count(p *Prediction) {
	if p == nil {
		return
	}
	for _, k := range p.Labels {
		if missing := k + 1 - len(s.Labels); missing > 0 {
			s.Labels = append(s.Labels, make([]int64, missing)...)
		}
		s.Labels[k]++
	}
}

// scored holds the results of one chunk.
type scored struct {
	chunk  *corpus.Chunk
	path   string
	header []byte // of the file, if nothing else
	stats  ScoreStats
	out    []byte
	also   [][]byte // of further outputs
	docs   []corpus.Document
	kept   []Judgement // of every document that has a prediction
	scores []float64   // of these
}

// reset makes a scored fit for another chunk; its memory stays.
func (s *scored) reset() {
	for i := range s.also {
		s.also[i] = s.also[i][:0]
	}
	clear(s.stats.Labels)
	*s = scored{
		stats: ScoreStats{Labels: s.stats.Labels}, out: s.out[:0], also: s.also,
		docs: s.docs[:0], kept: s.kept[:0], scores: s.scores[:0],
	}
}

// visit predicts the documents of an input and visits those that are not bad, in order. visit must not keep its
// argument.
func (c *Classifier) visit(ctx context.Context, in corpus.Input, visit func(*Judgement) error) error {
	in.Unlabelled = true
	return c.each(ctx, in, ScoreOptions{}, func(s *scored, d *corpus.Document, p *Prediction) {
		if p != nil {
			s.kept = append(s.kept, Judgement{Document: d, Prediction: s.keep(p)})
		}
	}, func(s *scored) error {
		for i := range s.kept {
			if err := visit(&s.kept[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// each predicts every record of an input: visit is called for each, from several goroutines; collect for every chunk,
// in order.
func (c *Classifier) each(
	ctx context.Context, in corpus.Input, o ScoreOptions,
	visit func(*scored, *corpus.Document, *Prediction), collect func(*scored) error,
) (err error) {
	in.ChunkRecords = c.c.Batch()
	in.Like.Format = cmp.Or(in.Like.Format, c.Format())
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	threads := par.Threads(o.Threads)
	scorers := make([]*score.Scorer, threads)
	for i := range scorers {
		if scorers[i], err = c.c.NewScorer(); err != nil {
			return err
		}
	}
	defer func() {
		n := int64(0)
		for _, s := range scorers {
			if s != nil {
				n += s.InvalidBytes()
			}
		}
		if err == nil && n > 0 && in.Note != nil {
			in.Note(in.Describe(), doubt.InvalidNote(n))
		}
	}()
	var documents, text int64
	var done sync.Pool // of *scored: growing their slices anew for every chunk took time
	return par.Run(ctx, threads, dataset.NextChunk(reader), func(w int, chunk *corpus.Chunk) (*scored, error) {
		if f := chunk.Format(); f != corpus.Auto && (f == corpus.SVMLight) != c.TakesFeatures() {
			return nil, fmt.Errorf("nbsvm: %s has format %s, but the model was trained on %s: give %[3]s, or use a model that was trained on %[4]s",
				chunk.Path(), f, whatHas(c.Format()), whatHas(f))
		}
		s, ok := done.Get().(*scored)
		if !ok {
			s = &scored{also: make([][]byte, len(o.Also))}
		}
		s.chunk, s.path, s.docs = chunk, chunk.Path(), chunk.Append(s.docs)
		s.header = chunk.Header()
		return s, c.c.Guard(func() error { return s.predict(ctx, scorers[w], c.TakesFeatures(), o.OnlyBest, visit) })
	}, func(s *scored) error {
		for i := range s.docs {
			if d := &s.docs[i]; d.Err != nil {
				if err := in.Bad.Report(*d); err != nil {
					return err
				}
			}
		}
		if err := collect(s); err != nil {
			return err
		}
		documents, text = documents+s.stats.Documents, text+s.stats.Bytes
		s.chunk.Release()
		s.reset()
		done.Put(s)
		if o.Progress != nil {
			done, total := reader.Progress()
			o.Progress(corpus.Progress{
				Stage: "score", Done: done, Total: total, Unit: "bytes", Documents: documents,
				Text: text, Bad: in.Bad.Reasons(),
			})
		}
		return nil
	})
}

// predict predicts the documents of the chunk.
func (s *scored) predict(
	ctx context.Context, by *score.Scorer, features, onlyBest bool, visit func(*scored, *corpus.Document, *Prediction),
) error {
	ctx, end := par.WithStage(ctx, par.StageScore)
	defer end()
	text := func(k int) []byte {
		if d := &s.docs[k]; d.Err == nil {
			return d.Text
		}
		return nil
	}
	return by.PredictAll(ctx, len(s.docs), text, onlyBest, func(k int, p *score.Prediction, err error) error {
		d := &s.docs[k]
		s.stats.Documents++
		s.stats.Bytes += int64(len(d.Text))
		if d.Err == nil && err != nil {
			if d.Err = err; features {
				d.Err = dataset.FeatureError(s.path, d, err)
			}
		}
		if d.Err != nil {
			p = nil
		}
		visit(s, d, (*Prediction)(p))
		s.check(d)
		return nil
	})
}

// keep copies the labels and scores of a prediction into memory that is used again.
func (s *scored) keep(p *Prediction) Prediction {
	kept := func(scores []float64) []float64 {
		first := len(s.scores)
		s.scores = append(s.scores, scores...) // of what had to move, predictions before keep the old place
		return s.scores[first:len(s.scores):len(s.scores)]
	}
	return Prediction{Labels: slices.Clone(p.Labels), Scores: kept(p.Scores), Margins: kept(p.Margins)}
}

// check counts a bad record, and places what the visitor found wrong with it.
func (s *scored) check(d *corpus.Document) {
	if d.Err == nil {
		return
	}
	s.stats.Bad++
	s.stats.Reasons = s.stats.Reasons.Add(corpus.Reasons{corpus.ReasonOf(d.Err): 1})
	if _, placed := errors.AsType[*corpus.RecordError](d.Err); !placed {
		d.Err = &corpus.RecordError{
			Path: s.path, Line: d.Line, Offset: d.Offset,
			Reason: corpus.ReasonOf(d.Err), Err: d.Err,
		}
	}
}

// whatHas names, for messages, what documents of a format give to a model.
func whatHas(f corpus.Format) string {
	if f == corpus.SVMLight {
		return "ready-made features (svmlight)"
	}
	return "text"
}

// header is the header that all files of an input share.
type header struct {
	first []byte
	path  string // whose it is
}

// of returns what to write for a file's header: the header for the first file, and nothing for the files after it, whose
// headers must be the same.
func (h *header) of(s *scored) ([]byte, error) {
	switch {
	case h.path == "":
		h.first, h.path = s.header, s.path
		return s.header, nil
	case !bytes.Equal(bytes.TrimRight(s.header, "\r\n"), bytes.TrimRight(h.first, "\r\n")):
		return nil, fmt.Errorf("nbsvm: the header of %s differs from that of %s, so their records can't share one: score the files one by one", s.path, h.path)
	}
	return nil, nil
}

// exportMatrix writes the documents of a labelled input as [score.Classifier.MatrixRow] gives them.
func (c *Classifier) exportMatrix(
	ctx context.Context, in corpus.Input, o ScoreOptions, class string, w io.Writer,
) error {
	row, err := c.c.MatrixRow(class)
	if err != nil {
		return err
	}
	return c.each(ctx, in, o, func(s *scored, d *corpus.Document, p *Prediction) {
		if p != nil {
			s.out, d.Err = row(s.out, d)
		}
	}, func(s *scored) error {
		_, err := w.Write(s.out)
		return err
	})
}
