package score

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/stage"
)

// Options say how a whole input is scored.
type Options struct {
	Threads  int // 0 for all processors
	Progress func(corpus.Progress)
	// Headers writes the input's header (CSV, TSV with named fields) in front of the
	// records, for a Render that writes records as they stand. All files must have
	// the same, and be of one format.
	Headers bool
	// EachRow writes every row by itself, as soon as it and those before it are there,
	// instead of the rows of a chunk of input together.
	EachRow bool
	// Also are further outputs of the same documents, which are predicted once.
	Also []Output

	// Judge is told by Evaluate, one document after the other in the input's order, what it was predicted to be. Nothing
	// of what it is given may be kept.
	Judge func(*Labelled)

	// OnlyBest says that of a prediction only the labels and their scores are needed: those of other classes may be 0.
	OnlyBest bool
}

// Output is what is made of every document, and where it goes.
type Output struct {
	Render Render
	W      io.Writer
}

// Stats count what was scored.
type Stats struct {
	Documents int64
	Bad       int64
	Reasons   corpus.Reasons // of the bad records
	Written   int64          // of which something was written
	Bytes     int64          // of text
	// Labels are the good documents by predicted label, one for each of the classifier's Labels. A document of which
	// several are predicted counts for each.
	Labels []int64
}

// Render appends a document's output to dst. For a bad record p is nil, and
// d.Err says what is wrong with it. It may itself find a record bad, and set d.Err:
// for further outputs p is nil then.
// Of the document and the prediction it may keep nothing: their memory is used again.
type Render func(dst []byte, d *corpus.Document, p *Prediction) []byte

// Score scores a whole input and writes what render makes of every record, in
// the input's order; labels are not needed. render is called from several goroutines at once.
func (c *Classifier) Score(ctx context.Context, in corpus.Input, o Options, render Render, w io.Writer) (Stats, error) {
	stats := Stats{Labels: make([]int64, len(c.Labels()))}
	if err := o.checkOutputs(render, w); err != nil {
		return stats, err
	}
	var header header
	in.Unlabelled, in.Headers = true, o.Headers
	err := c.each(ctx, in, o, func(s *scored, d *corpus.Document, p *Prediction) {
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
		stats.add(s.stats)
		if s.header != nil {
			head, err := header.of(s)
			if err != nil {
				return err
			}
			s.out = append(s.out, head...)
			for i := range s.also {
				s.also[i] = append(s.also[i], head...)
			}
		}
		return stage.Do(ctx, stage.Write, func(context.Context) error {
			_, err := w.Write(s.out)
			for i := range s.also {
				if err == nil {
					_, err = o.Also[i].W.Write(s.also[i])
				}
			}
			return err
		})
	})
	return stats, err
}

// Each predicts the documents of an input and visits those that are not bad, in order. Nothing of what is visited may
// be kept: its memory is used again.
func (c *Classifier) Each(ctx context.Context, in corpus.Input, visit func(*Labelled) error) error {
	in.Unlabelled = true
	return c.each(ctx, in, Options{}, func(s *scored, d *corpus.Document, p *Prediction) {
		if p != nil {
			s.kept = append(s.kept, Labelled{Document: d, Prediction: s.keep(p)})
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

// checkOutputs refuses outputs that lack a part.
func (o *Options) checkOutputs(render Render, w io.Writer) error {
	for _, output := range append([]Output{{render, w}}, o.Also...) {
		switch {
		case output.Render == nil:
			return errors.New("nbsvm: Render is nil: give a function that appends what to write of a document")
		case output.W == nil:
			return errors.New("nbsvm: there is nothing to write to: give a writer beside Render, such as io.Discard")
		}
	}
	return nil
}

func (s *Stats) add(t Stats) {
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
func (s *Stats) count(p *Prediction) {
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

// scored is what came of one chunk.
type scored struct {
	chunk  *corpus.Chunk
	path   string
	header []byte // of the file, if nothing else
	begins bool   // the file, in the shard
	stats  Stats
	out    []byte
	also   [][]byte // of further outputs
	docs   []corpus.Document
	kept   []Labelled // of every document that has a prediction
	scores []float64  // of these
}

// reset makes a scored fit for another chunk; its memory stays.
func (s *scored) reset() {
	for i := range s.also {
		s.also[i] = s.also[i][:0]
	}
	clear(s.stats.Labels)
	*s = scored{
		stats: Stats{Labels: s.stats.Labels}, out: s.out[:0], also: s.also,
		docs: s.docs[:0], kept: s.kept[:0], scores: s.scores[:0],
	}
}

// mostKept bounds the scores, or what is written of them, that wait for those of the documents before them, for each
// chunk of an input.
const mostKept = 1 << 20

// keeps is the number of documents whose scores may wait at a time.
func (c *Classifier) keeps() int { return max(1, mostKept/len(c.Labels())) }

// each predicts every record of an input: visit is called for each, from several goroutines; collect for every chunk,
// in order.
func (c *Classifier) each(ctx context.Context, in corpus.Input, o Options, visit func(*scored, *corpus.Document, *Prediction), collect func(*scored) error) (err error) {
	if in.ChunkRecords = c.keeps(); o.EachRow {
		in.ChunkRecords = 1
	}
	in.Like.Format = cmp.Or(in.Like.Format, c.Format())
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	threads := par.Threads(o.Threads)
	scorers := make([]*Scorer, threads)
	for i := range scorers {
		if scorers[i], err = c.NewScorer(); err != nil {
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
		if f := chunk.Format(); f != corpus.Auto && ((f == corpus.SVMLight) != c.TakesFeatures() || (f == corpus.VW) != (c.Format() == corpus.VW)) {
			return nil, fmt.Errorf("nbsvm: %s has format %s, but the model was trained on %s: give %[3]s, or use a model that was trained on %[4]s",
				chunk.Path(), f, whatHas(c.Format()), whatHas(f))
		}
		s, ok := done.Get().(*scored)
		if !ok {
			s = &scored{also: make([][]byte, len(o.Also))}
		}
		s.chunk, s.path, s.docs = chunk, chunk.Path(), chunk.Append(s.docs)
		s.header, s.begins = chunk.Header()
		return s, stage.Do(ctx, stage.Score, func(ctx context.Context) error {
			return c.guard(func() error {
				return s.predict(ctx, scorers[w], o.OnlyBest, visit)
			})
		})
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
			o.Progress(corpus.Progress{Stage: "score", Done: done, Total: total, Unit: "bytes", Documents: documents, Text: text, Bad: in.Bad.Reasons()})
		}
		return nil
	})
}

// predict predicts the documents of the chunk.
func (s *scored) predict(ctx context.Context, by *Scorer, onlyBest bool, visit func(*scored, *corpus.Document, *Prediction)) error {
	var p Prediction
	for docs, n := s.docs, 0; len(docs) > 0; docs = docs[n:] {
		by.reset()
		for n = 0; n < len(docs) && !by.full(); n++ {
			d := &docs[n]
			if d.Err != nil {
				_ = by.add(ctx, nil) // so that it has a place
			} else if d.Err = by.add(ctx, d.Text); d.Err != nil && by.c.TakesFeatures() {
				d.Err = dataset.FeatureError(s.path, d, d.Err)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		by.find()
		for k := range docs[:n] {
			d := &docs[k]
			s.stats.Documents++
			s.stats.Bytes += int64(len(d.Text))
			if d.Err == nil {
				p, d.Err = by.predict(k, onlyBest)
			}
			if d.Err == nil {
				visit(s, d, &p)
			} else {
				visit(s, d, nil)
			}
			s.check(d)
		}
	}
	return nil
}

// check counts a bad record, and places what the visitor found wrong with it.
func (s *scored) check(d *corpus.Document) {
	if d.Err == nil {
		return
	}
	s.stats.Bad++
	s.stats.Reasons = s.stats.Reasons.Add(corpus.Reasons{corpus.ReasonOf(d.Err): 1})
	if _, placed := errors.AsType[*corpus.RecordError](d.Err); !placed {
		d.Err = &corpus.RecordError{Path: s.chunk.PathOf(d), Line: d.Line, Offset: d.Offset, Reason: corpus.Other, Err: d.Err}
	}
}

// whatHas is what documents of a format have for a model, in words.
func whatHas(f corpus.Format) string {
	switch f {
	case corpus.SVMLight:
		return "ready-made features (svmlight)"
	case corpus.VW:
		return "features of Vowpal Wabbit (vw)"
	}
	return "text"
}

// header is the one that the files of an input share.
type header struct {
	first []byte
	path  string // whose it is
}

// of is what to write of a file's header: the first as it stands, unless another
// shard has it, and nothing of those that are the same.
func (h *header) of(s *scored) ([]byte, error) {
	switch {
	case h.path == "":
		h.first, h.path = s.header, s.path
		if s.begins {
			return s.header, nil
		}
	case !bytes.Equal(bytes.TrimRight(s.header, "\r\n"), bytes.TrimRight(h.first, "\r\n")):
		return nil, fmt.Errorf("nbsvm: the header of %s differs from that of %s, so their records can't share one: score the files one by one", s.path, h.path)
	}
	return nil, nil
}
