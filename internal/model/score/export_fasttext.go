package score

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// ExportFastText writes a model in fastText's own format, for fastText to run. Models of fastText have the same labels
// and probabilities there. Of others, those of single words that count as often as they occur have the same labels, and
// other probabilities: fastText divides margins by the number of words. Where labels can't be the same, it writes
// nothing, and the error says why. The model has hashes of words, so that these are taken from the training documents,
// all of which the input must have; for models of fastText it is nil.
func (c *Classifier) ExportFastText(ctx context.Context, in *corpus.Input, o Options, w io.Writer) error {
	switch ft := c.FastText(); {
	case ft != nil && in != nil:
		return errors.New("nbsvm: a fastText model contains its words: leave out the documents")
	case ft != nil:
		return c.guard(func() error { return ft.Write(w) })
	}
	if err := cmp.Or(c.refuse(forFastText), c.refusePaths(forFastText), c.fastTextCan()); err != nil {
		return err
	}
	if in == nil {
		return errors.New("nbsvm: the model contains hashes, but fastText needs words: name the training documents after the model")
	}
	d, err := newLexicon(c.m)
	if err != nil {
		return err
	}
	err = c.each(ctx, *in, o, func(_ *scored, doc *corpus.Document, p *Prediction) {
		if p != nil {
			d.addText(doc.Text)
		}
	}, func(*scored) error { return nil })
	if err != nil {
		return err
	}
	return c.guard(func() error {
		if err := d.complete(); err != nil {
			return err
		}
		ft, err := c.forFastText(d.words)
		if err != nil {
			return err
		}
		return ft.Write(w)
	})
}

// fastTextCan refuses models for which fastText has other labels. It says with which flags to train another.
func (c *Classifier) fastTextCan() error {
	m, meta := c.m, &c.m.Meta
	if meta.Source != "text" {
		return fmt.Errorf("nbsvm: the model takes features of type %q, but fastText takes text", meta.Source)
	}
	_, bias := c.linearOutputs()
	biased := slices.ContainsFunc(bias, func(x float64) bool { return x != 0 })
	t := meta.Text
	var flags []string
	for _, o := range []struct {
		differs bool
		flag    string
	}{
		{len(t.Families()) > 1 || t.Tokenizer != hashing.Space, "--tokenizer space"},
		{t.NgramLo != 1 || t.NgramHi != 1, "--ngrams 1-1"},
		{t.Lowercase, "--no-lowercase"},
		{t.StripHTML, "--no-strip-html"},
		{meta.Values == binary, "--values count"},
		{meta.SublinearTF, "--no-sublinear-tf"},
		// The bias is not scaled, and each class has a unit length of its own if it has a ratio of its own.
		{meta.Prenormalize && biased, "--no-prenormalize"},
		{meta.Normalize && (biased || hasRatio(m) && m.Outputs > 1), "--no-normalize"},
	} {
		if o.differs {
			flags = append(flags, o.flag)
		}
	}
	if len(flags) > 0 {
		return fmt.Errorf("nbsvm: fastText would predict different labels, because it treats texts otherwise: train with %s", strings.Join(flags, " "))
	}
	return nil
}

// forFastText makes a model of fastText of a linear one that has these words.
func (c *Classifier) forFastText(words []wordRow) (*fasttext.Model, error) {
	m := c.m
	scale, bias := c.linearOutputs()
	l := fasttext.Linear{Labels: c.Labels(), Any: c.MultiLabel(), Bias: bias, Weights: func(i int, dst []float64) {
		row := words[i].row
		m.RowWeights(row, dst)
		for k := range dst {
			if dst[k] *= scale[k]; m.IDF != nil {
				dst[k] *= float64(m.IDF[row])
			}
		}
	}}
	for _, w := range words {
		l.Words = append(l.Words, w.word)
	}
	return fasttext.NewLinear(l)
}

// linearOutputs gives what margins are multiplied with, and the biases then, so that labels are those of the largest
// output, or of outputs above 0.
func (c *Classifier) linearOutputs() (scale, bias []float64) {
	m := c.m
	scale, bias = slices.Repeat([]float64{1}, m.Outputs), slices.Clone(m.Bias)
	for k := range bias {
		switch {
		case m.Meta.Task != "multiclass":
			bias[k] -= m.Threshold[k]
		case m.Meta.Link == "platt": // labels are those of probabilities, which rise with -(A·margin+B)
			scale[k] = -m.Platt[k].A
			bias[k] = float64(scale[k]*bias[k]) - m.Platt[k].B
		}
	}
	return scale, bias
}

// wordRow is a word and its row of the model.
type wordRow struct {
	row  int
	word string
}

// lexicon finds the words that a model has weights for.
type lexicon struct {
	m       *model.Model
	extract *hashing.Extractor
	lock    sync.Mutex
	known   map[string]bool // words that were looked up
	words   []wordRow
	weights []float64
	hashes  []uint64
}

func newLexicon(m *model.Model) (*lexicon, error) {
	extract, err := hashing.NewExtractor(m.Meta.Text)
	return &lexicon{m: m, extract: extract, known: map[string]bool{}, weights: make([]float64, m.Outputs)}, err
}

// weighs tells whether a row has weights.
func (d *lexicon) weighs(row int) bool {
	d.m.RowWeights(row, d.weights)
	return slices.ContainsFunc(d.weights, func(x float64) bool { return x != 0 })
}

// find gives the row of a word; none if it is not one word, or the model does not know it.
func (d *lexicon) find(word []byte) (row int, ok bool) {
	if d.hashes, _ = d.extract.AppendDistinct(d.hashes[:0], nil, word); len(d.hashes) != 1 {
		return 0, false
	}
	row, ok = d.m.IDs.Rank(hashing.Bucket(d.hashes[0], d.m.Meta.Text.Bits))
	return row, ok && tagged(d.m, row, hashing.Tag(d.hashes[0]))
}

// addText adds the words of a text.
func (d *lexicon) addText(text []byte) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for word := range bytes.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" \t\n\v\f\r", c) }) {
		if d.known[string(word)] {
			continue
		}
		d.known[string(word)] = true
		if row, ok := d.find(word); ok && d.weighs(row) {
			d.words = append(d.words, wordRow{row, string(word)})
		}
	}
}

// complete refuses a lexicon that lacks words of the model, and puts it into order.
func (d *lexicon) complete() error {
	found := make([]bool, d.m.IDs.Size)
	for _, w := range d.words {
		found[w.row] = true
	}
	lacking := 0
	for row := range found {
		if !found[row] && d.weighs(row) {
			lacking++
		}
	}
	if lacking > 0 {
		return fmt.Errorf("nbsvm: the documents have no words for %s of the %s with weights: give all documents that the model was trained on", wording.Count(int64(lacking)), wording.Some(lacking+len(d.words), "bucket"))
	}
	slices.SortFunc(d.words, func(a, b wordRow) int { return cmp.Or(a.row-b.row, strings.Compare(a.word, b.word)) })
	return nil
}
