package tag

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
)

// batch is how many sentences are tagged at a time.
const batch = 256

// next reads a batch of sentences that have the columns which the model needs.
func (m *Model) next(r *Reader) ([]*Sentence, error) {
	var list []*Sentence
	for len(list) < batch {
		s, err := r.Next()
		if err == io.EOF && len(list) > 0 {
			break
		}
		if err == nil {
			err = m.templates.check(s)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// each tags all sentences on several threads, makes of each batch a result, and hands these on in order.
func each[R any](ctx context.Context, m *Model, r *Reader, threads int, work func(t *Tagger, s []*Sentence) (R, error), collect func(R) error) error {
	stop := context.AfterFunc(ctx, r.Interrupt)
	defer stop()
	threads = ordered.Threads(threads)
	taggers := make([]*Tagger, threads)
	for i := range taggers {
		taggers[i] = m.NewTagger()
	}
	return ordered.Run(ctx, threads,
		func(context.Context) ([]*Sentence, error) { return m.next(r) },
		func(worker int, list []*Sentence) (out R, err error) {
			err = m.guard(func() (err error) {
				out, err = work(taggers[worker], list)
				return err
			})
			return out, err
		}, collect)
}

// TagWords returns the best tags of a sentence of words in memory, which are valid until the next call. Models whose
// templates take columns beside the word (ErrColumn) need sentences of a [Reader].
func (t *Tagger) TagWords(words ...string) (tags []string, err error) {
	s := &Sentence{Words: make([][]byte, len(words)), width: 1}
	for i, word := range words {
		s.Words[i] = []byte(word)
	}
	if most := t.m.templates.columns; most > 1 || most == 1 && t.m.Input.WordColumn > 1 {
		return nil, fmt.Errorf("tag: the model takes column %d of its files, which words alone don't have: %w; give it sentences of a file, or train with other templates", most, ErrColumn)
	}
	s.fields = s.Words
	err = t.m.protect(func() error {
		tags = t.Tag(s)
		return nil
	})
	return tags, err
}

// Score writes the sentences of a reader with their tags, in the format that they have.
func (m *Model) Score(ctx context.Context, r *Reader, w io.Writer, threads int) error {
	return each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) (out []byte, err error) {
		size := 0
		for _, s := range list {
			size += len(s.text) + 8*len(s.slots) // tags may be longer than those that were there
		}
		out = make([]byte, 0, size)
		for _, s := range list {
			out = s.AppendText(out, t.Tag(s))
		}
		return out, nil
	}, func(out []byte) error {
		_, err := w.Write(out)
		return err
	})
}

// Describe writes what is asked of the sentences of a reader: an object of JSON a line.
func (m *Model) Describe(ctx context.Context, r *Reader, w io.Writer, threads int, asked Asked) error {
	if asked.Marginals && m.Kind != CRF {
		return fmt.Errorf("tag: model %s has no probabilities; train with --model crf", m.Kind)
	}
	return each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) ([]byte, error) {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		for _, s := range list {
			if len(s.Words) == 0 {
				continue
			}
			d, err := t.Describe(s, asked)
			if err == nil {
				err = e.Encode(d)
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", s.Path, s.Line, err)
			}
		}
		return out.Bytes(), nil
	}, func(out []byte) error {
		_, err := w.Write(out)
		return err
	})
}

// Evaluate compares tags with those of a reader's sentences.
func (m *Model) Evaluate(ctx context.Context, r *Reader, threads int) (*Report, error) {
	type tagged struct {
		s    *Sentence
		tags []string
	}
	report := NewReport()
	err := each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) (out []tagged, err error) {
		for _, s := range list {
			if len(s.Words) > 0 {
				out = append(out, tagged{s, append([]string(nil), t.Tag(s)...)})
			}
		}
		return out, nil
	}, func(out []tagged) error {
		for _, s := range out {
			report.Add(s.s, s.tags)
		}
		return nil
	})
	report.Finish()
	return report, err
}
