package tag

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// next reads a batch of sentences that have the columns which the model needs.
func (m *Model) next(r *Reader) ([]*Sentence, error) {
	var list []*Sentence
	for len(list) < batchSize {
		s, err := r.Next()
		if err == io.EOF && len(list) > 0 {
			break
		}
		if err == nil {
			err = m.check(s)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// each calls work for batches of sentences on several threads, and collect for the results in order.
func each[R any](
	ctx context.Context, m *Model, r *Reader, threads int,
	work func(t *Tagger, s []*Sentence) (R, error), collect func(R) error,
) error {
	stop := context.AfterFunc(ctx, r.interrupt)
	defer stop()
	threads = par.Threads(threads)
	taggers := make([]*Tagger, threads)
	for i := range taggers {
		taggers[i] = m.NewTagger()
	}
	return par.Run(ctx, threads,
		func(context.Context) ([]*Sentence, error) { return m.next(r) },
		func(worker int, list []*Sentence) (out R, err error) {
			err = m.guard(func() (err error) {
				out, err = work(taggers[worker], list)
				return err
			})
			return out, err
		}, collect)
}

// TagWords returns the best tags for the words of a sentence, which are valid until the next call of the tagger. It
// returns an error if the model's templates take other columns than the word: such a model needs sentences of a
// [Reader].
func (t *Tagger) TagWords(words ...string) (tags []string, err error) {
	s := &Sentence{Words: make([][]byte, len(words)), width: 1}
	for i, word := range words {
		s.Words[i] = []byte(word)
	}
	if err := t.m.check(&Sentence{}); err != nil {
		return nil, err
	}
	if most := t.m.templates.columns; most > 1 || most == 1 && t.m.Input.WordColumn > 1 {
		return nil, fmt.Errorf("tag: the model takes column %d of its files, which words alone don't have: %w; give it "+
			"sentences of a file, or train with other templates", most, errColumn)
	}
	s.fields = s.Words
	err = t.m.protect(func() (err error) {
		tags, err = t.Tag(s)
		return err
	})
	return tags, err
}

// Score tags the sentences of a reader and writes them in the format of their files. 0 threads means all processors.
func (m *Model) Score(ctx context.Context, r *Reader, w io.Writer, threads int) error {
	return m.write(ctx, r, w, threads, func(dst []byte, t *Tagger, s *Sentence) ([]byte, error) {
		tags, err := t.Tag(s)
		if err != nil {
			return nil, err
		}
		return s.AppendText(dst, tags), nil
	})
}

// write writes what is appended of each sentence.
func (m *Model) write(
	ctx context.Context, r *Reader, w io.Writer, threads int,
	render func(dst []byte, t *Tagger, s *Sentence) ([]byte, error),
) error {
	return each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) (out []byte, err error) {
		size := 0
		for _, s := range list {
			size += len(s.text) + 8*len(s.slots) // tags may be longer than those that were there
		}
		out = make([]byte, 0, size)
		for _, s := range list {
			if out, err = render(out, t, s); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", s.Path, s.Line, err)
			}
		}
		return out, nil
	}, func(out []byte) error {
		_, err := w.Write(out)
		return err
	})
}

// Describe writes a line of JSON for each sentence of a reader: a [Tagged], with marginals, which only a CRF has, if they
// are asked for. 0 threads means all processors.
func (m *Model) Describe(ctx context.Context, r *Reader, w io.Writer, threads int, marginals bool) error {
	if marginals && m.Kind != CRF {
		return fmt.Errorf("tag: model %s has no probabilities; train with Options.Kind crf", m.Kind)
	}
	return m.write(ctx, r, w, threads, func(dst []byte, t *Tagger, s *Sentence) ([]byte, error) {
		if len(s.Words) == 0 {
			return dst, nil
		}
		d, err := t.describe(s, marginals)
		if err != nil {
			return nil, err
		}
		out := bytes.NewBuffer(dst)
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		err = e.Encode(d)
		return out.Bytes(), err
	})
}

// Evaluate tags the sentences of a reader, and compares the tags with those in its files. It returns [ErrNoSentences]
// if the reader has no more sentences. 0 threads means all processors.
func (m *Model) Evaluate(ctx context.Context, r *Reader, threads int) (*Report, error) {
	if !r.tagged {
		return nil, errUntagged
	}
	type tagged struct {
		s    *Sentence
		tags []string
	}
	report := newReport()
	err := each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) (out []tagged, err error) {
		for _, s := range list {
			if len(s.Words) == 0 {
				continue
			}
			tags, err := t.Tag(s)
			if err != nil {
				return nil, err
			}
			out = append(out, tagged{s, slices.Clone(tags)})
		}
		return out, nil
	}, func(out []tagged) error {
		for _, s := range out {
			report.add(s.s, s.tags)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return report, report.finish()
}

// ErrNoSentences is the error of an input that has nothing to evaluate on.
var ErrNoSentences = errors.New("the input has no sentences to compare: check its name and Input.Format")

// Tagged describes the tags of a sentence.
type Tagged struct {
	Words []string `json:"words"`
	Tags  []string `json:"tags"` // the best sequence
	// Marginals has the probability of each tag, for each word.
	Marginals []map[string]float64 `json:"marginals,omitempty"`
}

// describe describes the tags of a sentence. It returns an error if the sentence lacks a column of the model's
// templates, or if marginals are asked for and scores are too far apart for them.
func (t *Tagger) describe(s *Sentence, marginals bool) (*Tagged, error) {
	tags, err := t.Tag(s)
	if err != nil {
		return nil, err
	}
	d := &Tagged{Words: []string{}, Tags: append([]string{}, tags...)}
	for _, word := range s.Words {
		d.Words = append(d.Words, string(word))
	}
	if !marginals || len(s.Words) == 0 {
		return d, nil
	}
	t.marginals.chain(t.m.chain)
	if _, err = t.marginals.sentence(t.scores, t.m.pitch, len(s.Words)); err != nil {
		return nil, err
	}
	for i := range s.Words {
		of := map[string]float64{}
		for y, tag := range t.m.Tags {
			of[tag] = min(t.marginals.tag[i*len(t.m.Tags)+y], 1)
		}
		d.Marginals = append(d.Marginals, of)
	}
	return d, nil
}
