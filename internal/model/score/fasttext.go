package score

import (
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/mmap"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// fastTextSource is the source of features of models that fastText has trained. They are no n-grams in a batch: a model
// of fastText finds features and scores by itself.
const fastTextSource = "fasttext"

// openFastText reads a file of fastText's own format; ok is false if it is none.
func openFastText(path string) (c *Classifier, ok bool, err error) {
	ok, err = eachFastText(path, func(data []byte) (err error) {
		c, err = readFastText(data)
		return err
	})
	return c, ok, err
}

// eachFastText calls fn for the bytes of a file of fastText's own format.
func eachFastText(path string, fn func(data []byte) error) (ok bool, err error) {
	mapping, err := mmap.Open(path)
	if err != nil {
		return false, nil // package model says what is wrong
	}
	defer mapping.Close()
	err = mmap.Guard(mapping, func() error {
		if ok = fasttext.Is(mapping.Bytes()); !ok {
			return nil
		}
		return fn(mapping.Bytes())
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
	meta := model.Meta{Labels: ft.Labels(), Version: build.Version, Made: []byte(`{"options":{"model":"fasttext"}}`)}
	c := New(model.NewFastText(nil, meta))
	c.takeFastText(ft)
	return c, nil
}

// takeFastText makes the classifier one of a model of fastText.
func (c *Classifier) takeFastText(ft *fasttext.Model) {
	c.fastText = ft
	facts := ft.Facts()
	c.m.Meta.FastText = &facts
}

// decodeFastText takes the model of fastText that the file holds, if it holds one.
func (c *Classifier) decodeFastText() error {
	if c.m.FastText == nil {
		return nil
	}
	ft, err := fasttext.Decode(c.m.FastText)
	if err != nil {
		return err
	}
	if !slices.Equal(ft.Labels(), c.m.Meta.Labels) {
		return fmt.Errorf("nbsvm: the labels are not those of the model of fastText: %w", model.ErrCorrupt)
	}
	c.takeFastText(ft)
	return nil
}

// FastText is the model of fastText that the classifier is, nil if it is none.
func (c *Classifier) FastText() *fasttext.Model { return c.fastText }

// LabelPrefix is what fastText puts in front of the labels: __label__, unless it was trained with another prefix, which
// its labels have kept.
func (c *Classifier) LabelPrefix() string {
	if c.fastText != nil {
		return c.fastText.LabelPrefix()
	}
	return fasttext.DefaultPrefix
}

// Least is the least score that passes a threshold. Of fastText's probabilities it is a little more than that, as
// fastText shows a little more than what it compares.
func (c *Classifier) Least(threshold float64) float64 {
	if c.fastText != nil {
		return fasttext.Least(threshold)
	}
	return threshold
}

// whole is the model as its file has it.
func (c *Classifier) whole() *model.Model {
	if c.fastText == nil || c.m.FastText != nil {
		return c.m
	}
	return model.NewFastText(c.fastText.Encode(), c.m.Meta)
}

// Verify checks a model file as Open does, and lists its header and sections with their checksums. These are returned
// also with an error, as far as they can be told. A file of fastText, which has no checksums, is one section.
func Verify(path string) (sections []model.Section, err error) {
	ok, err := eachFastText(path, func(data []byte) error {
		sum := crc32.Checksum(data, checksum.Castagnoli)
		sections = []model.Section{{Name: "FASTTEXT", Length: int64(len(data)), Stored: sum, Computed: sum, OK: true}}
		_, err := fasttext.Read(data)
		sections[0].OK = err == nil
		return err
	})
	if ok || err != nil {
		return sections, err
	}
	if sections, err = model.Verify(path); err != nil {
		return sections, err
	}
	c, err := Open(path)
	if err != nil {
		return sections, err
	}
	return sections, c.Close()
}

// refuseFastText is the error of what needs a model that is not fastText's.
func (c *Classifier) refuseFastText(what string) error {
	if c.fastText == nil {
		return nil
	}
	return fmt.Errorf("nbsvm: a model of fastText can't be %s; that is for models that nbsvm has trained%s", what, map[string]string{
		"quantized": "; nbsvm import fasttext --max-error X rounds it to 16 bits",
		"exported":  "; --output-format fasttext writes it for fastText",
	}[what])
}

// scoreFastText predicts a document by a model of fastText. A text without any feature has no label.
func (s *Scorer) scoreFastText(text []byte) (Prediction, error) {
	best, err := s.fastText.Score(text, s.scores, s.onlyBest)
	if err != nil {
		return Prediction{}, err
	}
	if s.labels = s.labels[:0]; best >= 0 {
		s.labels = append(s.labels, best)
	}
	return Prediction{Labels: s.labels, Scores: s.scores, Margins: s.margins[:0]}, nil
}

// recordFastText predicts a record by a model of fastText.
func (s *Scorer) recordFastText(out *scored, d *corpus.Document, visit func(*scored, *Scorer, *corpus.Document, *Prediction)) {
	if out.p, d.Err = s.scoreFastText(d.Text); d.Err != nil {
		visit(out, s, d, nil)
		return
	}
	visit(out, s, d, &out.p)
}

// needLabel gives a document without features, where it must have a label, the most frequent one.
func (c *Classifier) needLabel(p *Prediction) {
	if len(p.Labels) == 0 && c.fastText != nil {
		p.Labels = append(p.Labels, c.fastText.Frequent())
	}
}

// explainFastText lists the words that speak most strongly for each label.
func (c *Classifier) explainFastText(n int) (explanations []Explanation) {
	for k, strongest := range c.fastText.Strongest(n) {
		x := Explanation{Label: c.Labels()[k]}
		for _, w := range strongest {
			x.Features = append(x.Features, Feature{ID: uint32(w.ID), Name: w.Text, Weight: w.Weight})
		}
		explanations = append(explanations, x)
	}
	return explanations
}

// explainTextFastText takes a text's prediction apart into what its words and their n-grams add.
func (s *Scorer) explainTextFastText(text []byte, n int) (*TextExplanation, error) {
	p, err := s.scoreFastText(text)
	if err != nil {
		return nil, err
	}
	s.c.needLabel(&p)
	class := p.Labels[0]
	x := &TextExplanation{Label: s.c.Labels()[class], Score: p.Scores[class]}
	parts, unknown := s.fastText.Explain(text, class)
	x.Unknown = unknown
	for _, part := range parts {
		x.Margin += part.Margin
	}
	n = min(n, len(parts))
	for _, part := range parts[:n] {
		x.Contributions = append(x.Contributions, Contribution{Name: part.Text, Value: part.Value, Weight: part.Margin / part.Value, Margin: part.Margin})
	}
	x.Others = len(parts) - n
	for _, part := range parts[n:] {
		x.OthersMargin += part.Margin
	}
	return x, nil
}
