package score

import (
	"context"
	"fmt"
	"hash/crc32"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// openFastText reads a file of fastText's own format; ok is false if it is none.
func openFastText(path string) (c *Classifier, ok bool, err error) {
	ok, err = readFileOfFastText(path, func(mapping *osfile.Mapping) (stays bool, err error) {
		if c, err = readFastText(mapping.Bytes()); err != nil || !c.fastText.InPlace {
			return false, err
		}
		c.file = model.Mapped(c.m, mapping)
		return true, nil
	})
	return c, ok, err
}

// readFileOfFastText calls read for a file if it is of fastText's own format, and closes it unless it stays in use.
func readFileOfFastText(path string, read func(*osfile.Mapping) (stays bool, err error)) (ok bool, err error) {
	mapping, err := model.Map(path)
	if err != nil {
		return false, err
	}
	stays := false
	defer func() {
		if !stays || err != nil {
			mapping.Close()
		}
	}()
	err = osfile.Guard(mapping, func() error {
		if ok = fasttext.Is(mapping.Bytes()); !ok {
			return nil
		}
		stays, err = read(mapping)
		return err
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return ok, err
}

func readFastText(data []byte) (*Classifier, error) {
	ft, err := fasttext.Read(data)
	if err != nil {
		return nil, err
	}
	facts := ft.Facts()
	m := &model.Model{
		Meta: model.Meta{
			Labels: ft.Labels(), Task: "multiclass", Link: "softmax", Source: "fasttext", Values: count,
			Made: []byte(`{"options":{"model":"fasttext"}}`), Version: container.Version, FastText: &facts,
		},
		Universe: 1, Outputs: 1,
		Bias: make([]float64, 1), Base: make([]float64, 1), Threshold: make([]float64, 1), Dense: model.Float32s{},
	}
	return &Classifier{m: m, fastText: ft}, nil
}

// Verify checks a model file as Open does, and lists its header and sections with their checksums. These are returned
// also with an error, as far as they can be told. A file of fastText, which has no checksums, is one section.
func Verify(path string) (sections []model.Section, err error) {
	ok, err := readFileOfFastText(path, func(mapping *osfile.Mapping) (stays bool, err error) {
		data := mapping.Bytes()
		sum := crc32.Checksum(data, osfile.Castagnoli)
		sections = []model.Section{{Name: "FASTTEXT", Length: int64(len(data)), Stored: sum, Computed: sum, OK: true}}
		_, err = fasttext.Read(data)
		sections[0].OK = err == nil
		return false, err
	})
	if ok || err != nil {
		return sections, err
	}
	c, sections, err := openOwn(path)
	if err != nil {
		return sections, err
	}
	return sections, c.Close()
}

// strongestWords lists the words that speak most strongly for each label.
func (c *Classifier) strongestWords(n int) [][]explain.Feature {
	all := newStrongest(c.m, n)
	c.fastText.WordMargins(func(id int, margins []float64) {
		for k, margin := range margins {
			all.offer(k, explain.Feature{Key: uint64(id), Weight: margin})
		}
	})
	lists := all.features()
	for _, features := range lists {
		for i := range features {
			features[i].Name = string(c.fastText.Word(int(features[i].Key)))
		}
	}
	return lists
}

// fastTextPredictor predicts one text after the other.
type fastTextPredictor struct {
	c       *Classifier
	s       *fasttext.Scorer
	texts   [][]byte
	scores  []float64
	labels  []int
	invalid int64 // bytes that were not UTF-8
}

func newFastTextPredictor(c *Classifier) (predictor, error) {
	return &fastTextPredictor{c: c, s: c.fastText.NewScorer(), scores: make([]float64, len(c.Labels()))}, nil
}

func (p *fastTextPredictor) reset() { p.texts = p.texts[:0] }

func (p *fastTextPredictor) add(_ context.Context, text []byte) error {
	p.texts = append(p.texts, text)
	return nil
}

func (p *fastTextPredictor) full() bool { return len(p.texts) >= 64 }

func (p *fastTextPredictor) find() {}

// predict gives a text without any feature no label.
func (p *fastTextPredictor) predict(k int, only []int) (Prediction, error) {
	if !utf8.Valid(p.texts[k]) {
		p.invalid += invalidBytes(p.texts[k])
	}
	if p.c.among != nil {
		only = nil // their sum is
	}
	best, err := p.s.Score(p.texts[k], p.scores, only)
	if err != nil {
		return Prediction{}, err
	}
	if p.labels = p.labels[:0]; best >= 0 {
		p.labels = append(p.labels, best)
	}
	q := Prediction{Labels: p.labels, Scores: p.scores}
	if p.c.among != nil {
		p.c.restrict(&q)
	}
	return q, nil
}

// invalidBytes counts the bytes that are not UTF-8.
func invalidBytes(text []byte) (n int64) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		text = text[size:]
	}
	return n
}

// explain takes a prediction apart into what words and their n-grams add.
func (p *fastTextPredictor) explain(text []byte, n int) (*explain.Text, error) {
	p.texts = append(p.texts[:0], text)
	q, err := p.predict(0, nil)
	if err != nil {
		return nil, err
	}
	class := p.c.Fallback()
	if len(q.Labels) > 0 {
		class = q.Labels[0]
	}
	e := &explain.Text{Label: p.c.Labels()[class], Score: q.Scores[class]}
	e.Contributions, e.Unknown = p.s.Explain(text, class)
	for _, c := range e.Contributions {
		e.Margin += c.Margin
	}
	n = min(n, len(e.Contributions))
	for _, c := range e.Contributions[n:] {
		e.Others++
		e.OthersMargin += c.Margin
	}
	e.Contributions = e.Contributions[:n]
	return e, nil
}

func (p *fastTextPredictor) unknown(text []byte) (unknown, all int, err error) {
	unknown, all = p.s.Unknown(text)
	return unknown, all, nil
}

func (p *fastTextPredictor) spans(text []byte, visit func(name []byte, tokens []hashing.Span)) error {
	p.s.Spans(text, visit)
	return nil
}
