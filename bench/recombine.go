package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
)

// pool is what documents are recombined of.
type pool struct {
	labels    [][]byte
	sentences [][][]byte // per label
	models    []sized    // of the real documents
}

// sized is a real document's label and number of sentences.
type sized struct{ label, sentences int32 }

// recombine streams the corpus that is made of real documents.
func (c Corpus) recombine(ctx context.Context, w io.Writer, threads int) error {
	p, err := c.readFrom(ctx)
	if err != nil {
		return err
	}
	return stream(ctx, w, c.Documents, c.Seed, threads, func(dst []byte, _ int, random *splitmix.Source) []byte {
		model := p.models[random.IntN(len(p.models))]
		dst = append(append(dst, p.labels[model.label]...), '\t')
		for k := range model.sentences {
			if k > 0 {
				dst = append(dst, ' ')
			}
			all := p.sentences[model.label]
			dst = append(dst, all[random.IntN(len(all))]...)
		}
		return append(dst, '\n')
	})
}

// readFrom takes the real documents apart into sentences.
func (c Corpus) readFrom(ctx context.Context) (*pool, error) {
	in := c.From
	in.Unlabelled = false
	reader, err := corpus.Open(in)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	defer context.AfterFunc(ctx, reader.Interrupt)()
	p, numbers := &pool{}, map[string]int32{}
	for d, err := range reader.Documents() {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
		case d.Err == nil:
			p.add(numbers, d)
		case in.Bad == nil:
			err = d.Err
		default:
			err = in.Bad.Report(d)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.models) == 0 {
		return nil, errors.New("bench: no document has both a label and a sentence")
	}
	return p, nil
}

func (p *pool) add(numbers map[string]int32, d corpus.Document) {
	sentences := splitSentences(d.Text)
	if len(d.Labels) == 0 || len(sentences) == 0 {
		return
	}
	name := bytes.Join(d.Labels, []byte{','})
	label, ok := numbers[string(name)]
	if !ok {
		label = int32(len(p.labels))
		numbers[string(name)] = label
		p.labels, p.sentences = append(p.labels, oneField(name)), append(p.sentences, nil)
	}
	p.sentences[label] = append(p.sentences[label], sentences...)
	p.models = append(p.models, sized{label, int32(len(sentences))})
}

// sentence is text up to . ! ? and a blank, or to one of their full-width forms.
var sentence = regexp.MustCompile(`.+?(?:[.!?] |[。！？]|$)`)

// splitSentences cuts text into sentences. Tabs and line breaks become blanks.
func splitSentences(text []byte) (sentences [][]byte) {
	for _, one := range sentence.FindAll(oneField(text), -1) {
		if one = bytes.TrimSpace(one); len(one) > 0 {
			sentences = append(sentences, one)
		}
	}
	return sentences
}

// oneField is a copy of text that can stand in a field of TSV.
func oneField(text []byte) []byte {
	copied := bytes.Clone(text)
	for i, c := range copied {
		if c == '\t' || c == '\n' || c == '\r' {
			copied[i] = ' '
		}
	}
	return copied
}
