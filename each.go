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
	for _, output := range append([]ScoreOutput{{Render: render, W: w}}, o.Also...) {
		switch {
		case output.Render == nil:
			return errors.New("nbsvm: Render is nil: give a function that appends what to write of a document")
		case output.W == nil:
			return errors.New("nbsvm: there is nothing to write to: give a writer beside Render, such as io.Discard")
		}
	}
	return nil
}

// Add adds the counts of another input that the same classifiers have scored.
func (s *ScoreStats) Add(t ScoreStats) {
	s.Documents += t.Documents
	s.Bad += t.Bad
	s.Reasons = s.Reasons.Add(t.Reasons)
	s.Written += t.Written
	s.Bytes += t.Bytes
	s.Labels = addCounts(s.Labels, t.Labels)
	for i, labels := range t.With {
		if i == len(s.With) {
			s.With = append(s.With, nil)
		}
		s.With[i] = addCounts(s.With[i], labels)
	}
}

// addCounts adds counts by label to others, of which there may be fewer.
func addCounts(to, counts []int64) []int64 {
	if missing := len(counts) - len(to); missing > 0 {
		to = append(to, make([]int64, missing)...)
	}
	for k, documents := range counts {
		to[k] += documents
	}
	return to
}

// count counts a document by what it is predicted to be, unless it is bad.
func (s *ScoreStats) count(p []Prediction) {
	if s.With == nil && len(p) > 1 {
		s.With = make([][]int64, len(p)-1)
	}
	for i := range p {
		counts := &s.Labels
		if i > 0 {
			counts = &s.With[i-1]
		}
		for _, k := range p[i].Labels {
			if missing := k + 1 - len(*counts); missing > 0 {
				*counts = append(*counts, make([]int64, missing)...)
			}
			(*counts)[k]++
		}
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
	scores []float64   // of these, and of predictions
	labels []int       // of the same

	predictions [][]Prediction // of each document
	asked       []int          // the documents that the next classifier is asked of
}

// reset makes a scored fit for another chunk; its memory stays.
func (s *scored) reset() {
	for i := range s.also {
		s.also[i] = s.also[i][:0]
	}
	clear(s.stats.Labels)
	for _, labels := range s.stats.With {
		clear(labels)
	}
	*s = scored{
		stats: ScoreStats{Labels: s.stats.Labels, With: s.stats.With}, out: s.out[:0], also: s.also,
		docs: s.docs[:0], kept: s.kept[:0], scores: s.scores[:0], labels: s.labels[:0],
		predictions: s.predictions[:0], asked: s.asked[:0],
	}
}

// visit predicts the documents of an input and visits those that are not bad, in order. visit must not keep its
// argument.
func (c *Classifier) visit(ctx context.Context, in corpus.Input, visit func(*Judgement) error) error {
	in.Unlabelled = true
	return c.each(ctx, in, ScoreOptions{}, func(s *scored, d *corpus.Document, p []Prediction) {
		if p != nil {
			s.kept = append(s.kept, Judgement{Document: d, Prediction: s.keep(&p[0])})
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

// each predicts every record of an input by the classifier and those of o.With: visit is called for each, from several
// goroutines; collect for every chunk, in order.
func (c *Classifier) each(
	ctx context.Context, in corpus.Input, o ScoreOptions,
	visit func(*scored, *corpus.Document, []Prediction), collect func(*scored) error,
) (err error) {
	all := append([]*Classifier{c}, o.With...)
	in.ChunkRecords = c.c.Batch()
	for _, other := range o.With {
		if other.TakesFeatures() != c.TakesFeatures() {
			return fmt.Errorf("nbsvm: one model was trained on %s, another on %s: they can't classify the same documents",
				whatHas(c.Format()), whatHas(other.Format()))
		}
		in.ChunkRecords = min(in.ChunkRecords, other.c.Batch())
	}
	for name, n := range map[string]int{"Only": len(o.Only), "Unknown": len(o.Unknown)} {
		if n > 0 && n != len(all) {
			return fmt.Errorf("nbsvm: ScoreOptions.%s has %d elements for %d classifiers: give one for each", name, n, len(all))
		}
	}
	if err := o.Parts.check(all); err != nil {
		return err
	}
	in.Like.Format = cmp.Or(in.Like.Format, c.Format())
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	threads := par.Threads(o.Threads)
	scorers := make([][]*score.Scorer, threads) // one for each classifier
	for i := range scorers {
		for k, c := range all {
			s, err := c.c.NewScorer()
			if err != nil {
				return err
			}
			if len(o.Unknown) > 0 && o.Unknown[k] {
				s.AskUnknown()
			}
			scorers[i] = append(scorers[i], s)
		}
	}
	defer func() {
		n := int64(0)
		for _, s := range scorers {
			n += s[0].InvalidBytes() // others read the same text
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
		return s, s.predict(ctx, all, scorers[w], &o, visit)
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

// predict predicts the documents of the chunk by one classifier after the other, and visits them with the last.
func (s *scored) predict(
	ctx context.Context, all []*Classifier, by []*score.Scorer, o *ScoreOptions,
	visit func(*scored, *corpus.Document, []Prediction),
) error {
	ctx, end := par.WithStage(ctx, par.StageScore)
	defer end()
	s.predictions = slices.Grow(s.predictions, len(s.docs))[:len(s.docs)]
	for k := range s.docs {
		if s.predictions[k] = s.predictions[k][:0]; s.docs[k].Err == nil {
			s.asked = append(s.asked, k)
		}
	}
	visited := 0
	visitUpTo := func(end int) {
		for ; visited < end; visited++ {
			d, predictions := &s.docs[visited], s.predictions[visited]
			if d.Err != nil {
				predictions = nil
			}
			s.stats.Documents++
			s.stats.Bytes += int64(len(d.Text))
			visit(s, d, predictions)
			s.check(d)
		}
	}
	for i, c := range all {
		last := i == len(all)-1
		if i > 0 {
			s.asked = slices.DeleteFunc(s.asked, func(k int) bool {
				return s.docs[k].Err != nil || o.Settled != nil && o.Settled(s.predictions[k])
			})
		}
		var only []int
		if len(o.Only) > 0 {
			only = o.Only[i]
		}
		text := func(at int) []byte { return s.docs[s.asked[at]].Text }
		each := func(at int, p *score.Prediction, err error) error {
			k := s.asked[at]
			switch d := &s.docs[k]; {
			case err != nil && c.TakesFeatures():
				d.Err = dataset.FeatureError(s.path, d, err)
			case err != nil:
				d.Err = err
			case last:
				s.predictions[k] = append(s.predictions[k], Prediction(*p))
			default:
				s.predictions[k] = append(s.predictions[k], s.keep((*Prediction)(p)))
			}
			if last {
				visitUpTo(k + 1)
			}
			return nil
		}
		err := c.c.Guard(func() error {
			if o.Parts != nil {
				return by[i].PredictParts(ctx, len(s.asked), text, o.Parts.of(i), only, each)
			}
			return by[i].PredictAll(ctx, len(s.asked), text, only, each)
		})
		if err != nil {
			return err
		}
	}
	visitUpTo(len(s.docs))
	return nil
}

// keep copies the labels and scores of a prediction into memory that is used again.
func (s *scored) keep(p *Prediction) Prediction {
	return Prediction{
		Labels: kept(&s.labels, p.Labels), Scores: kept(&s.scores, p.Scores), Margins: kept(&s.scores, p.Margins),
		Unknown: p.Unknown, Parts: slices.Clone(p.Parts),
	}
}

// kept appends a copy to what there is. If that has to move, copies before keep the old place.
func kept[T any](all *[]T, of []T) []T {
	first := len(*all)
	*all = append(*all, of...)
	return (*all)[first:len(*all):len(*all)]
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
	in.Numbers = c.Numbers()
	return c.each(ctx, in, o, func(s *scored, d *corpus.Document, p []Prediction) {
		if p != nil {
			s.out, d.Err = row(s.out, d)
		}
	}, func(s *scored) error {
		_, err := w.Write(s.out)
		return err
	})
}
