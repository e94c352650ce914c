package tag

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestOddSentences gives taggers of all kinds what readers do not, and wants an error or an answer with a tag for each
// word.
func TestOddSentences(t *testing.T) {
	words := func(w ...string) *Sentence {
		s := &Sentence{}
		for _, word := range w {
			s.Words = append(s.Words, []byte(word))
		}
		return s
	}
	for _, kind := range Kinds() {
		m := trained(t, "a/X b/Y\nb/Y a/X c/Z\n", func(o *Options) { *o = DefaultOptions(kind) })
		columns := trained(t, "a\tDT\tX\nb\tNN\tY\n", func(o *Options) { *o = DefaultOptions(kind) })
		for name, s := range map[string]*Sentence{
			"no words": {}, "an empty word": words(""), "not UTF-8": words("a", "\xff\x00"), "long": words(strings.Repeat("é", 1<<16)),
		} {
			tagger, n := m.NewTagger(), len(s.Words)
			if tags, err := tagger.Tag(s); err != nil || len(tags) != n {
				t.Errorf("%s, %s: tags %q, error %v", kind, name, tags, err)
			}
			for _, marginals := range []bool{false, kind == CRF} {
				d, err := tagger.describe(s, marginals)
				if err != nil || len(d.Words) != n || len(d.Tags) != n || marginals && len(d.Marginals) != n {
					t.Errorf("%s, %s: marginals %t gives %+v, error %v", kind, name, marginals, d, err)
					continue
				}
				for i, of := range d.Marginals {
					if sum := of["X"] + of["Y"] + of["Z"]; math.Abs(sum-1) > 1e-9 {
						t.Errorf("%s, %s: probabilities of word %d add up to %v", kind, name, i, sum)
					}
				}
			}
			if kind != CRF && m.Describe(t.Context(), nil, nil, 1, true) == nil {
				t.Errorf("%s: probabilities of a model without", kind)
			}
			if n == 0 {
				continue
			}
			if tags, err := columns.NewTagger().Tag(s); !errors.Is(err, errColumn) {
				t.Errorf("%s, %s: without a column that templates take: tags %q, error %v", kind, name, tags, err)
			}
		}
	}
}

// TestNothingToEvaluate: a report of no sentence is an error, not an accuracy of 0.
func TestNothingToEvaluate(t *testing.T) {
	m := trained(t, "a/X b/Y\n", func(*Options) {})
	for _, text := range []string{"", "\n\n"} {
		r, err := NewReader(Input{Stdin: strings.NewReader(text), Like: m.Input})
		must.OK(t, err)
		report, err := m.Evaluate(t.Context(), r, 1)
		if !errors.Is(err, ErrNoSentences) {
			t.Errorf("of %q: report %+v, error %v", text, report, err)
		}
		r.Close()
	}
}

// TestEmptyModel: a model that comes from nowhere is an error wherever it is used.
func TestEmptyModel(t *testing.T) {
	m := &Model{}
	r, err := NewReader(Input{Stdin: strings.NewReader("a/X\n")})
	must.OK(t, err)
	defer r.Close()
	_, words := m.NewTagger().TagWords("a")
	_, evaluated := m.Evaluate(t.Context(), r, 1)
	_, written := m.WriteTo(&bytes.Buffer{})
	for name, err := range map[string]error{"TagWords": words, "Evaluate": evaluated, "WriteTo": written} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
