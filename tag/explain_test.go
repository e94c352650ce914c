package tag

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestExplain: what is said of a word adds up to how much the score of the sentence falls with the other tag, and no
// third tag does better.
func TestExplain(t *testing.T) {
	for _, kind := range Kinds() {
		m := trained(t, testkit.Chunked(200, 1), func(o *Options) { *o = DefaultOptions(kind) })
		r, err := NewReader(Input{Stdin: strings.NewReader(testkit.Chunked(40, 2) + "zz Q O\n"), Like: m.Input, Untagged: true})
		must.OK(t, err)
		defer r.Close()
		tagger := m.NewTagger()
		for {
			s, err := r.Next()
			if err == io.EOF {
				break
			}
			must.OK(t, err)
			e, err := tagger.Explain(s, math.MaxInt)
			must.OK(t, err)
			few, err := tagger.Explain(s, 2)
			must.OK(t, err)
			tags, err := tagger.decode(s)
			must.OK(t, err)
			tags = slices.Clone(tags)
			score := func(tags []int) float64 { return m.chain.score(tagger.scores, m.pitch, tags) }
			best := score(tags)
			for i, w := range e.Words {
				if w.Word != string(s.Words[i]) || w.Tag != m.Tags[tags[i]] || w.Instead == w.Tag {
					t.Errorf("%s: word %d is %s, %s, not %s", kind, i, w.Word, w.Tag, w.Instead)
				}
				sum := w.Chain
				for _, c := range w.Contributions {
					sum += c.Margin
				}
				least, short := math.Inf(1), few.Words[i]
				for y := range m.Tags {
					other := slices.Clone(tags)
					if other[i] = y; y != tags[i] {
						least = min(least, best-score(other))
					}
					if m.Tags[y] == w.Instead && math.Abs(best-score(other)-w.Margin) > 1e-9*(1+math.Abs(best)) {
						t.Errorf("%s: the margin of %+v is not %v", kind, short, best-score(other))
					}
				}
				if w.Instead == "" && math.IsInf(least, 1) {
					least = w.Margin // of the tag itself
				}
				if math.Abs(least-w.Margin) > 1e-9*(1+math.Abs(best)) || math.Abs(sum-w.Margin) > 1e-9*(1+math.Abs(best)) {
					t.Errorf("%s: %+v adds up to %v, and the least margin is %v", kind, short, sum, least)
				}
				left := short.Chain + short.OthersMargin
				for _, c := range short.Contributions {
					left += c.Margin
				}
				all := len(short.Contributions) + short.Others
				if all != len(w.Contributions) || math.Abs(left-w.Margin) > 1e-9*(1+math.Abs(best)) {
					t.Errorf("%s: cut short it is %+v", kind, short)
				}
			}
		}
	}
}

// TestNames: features are named after what they are made of, each by its own key.
func TestNames(t *testing.T) {
	templates, err := parseTemplates("bias w[0] l[-1]|w[0] p3[0] s2[1] shape[0] shape[1] c2[0] l[2]")
	must.OK(t, err)
	r, err := NewReader(Input{Stdin: strings.NewReader("Ab D X\nÉcole-12 N Y\n\n"), Untagged: true})
	must.OK(t, err)
	defer r.Close()
	s, err := r.Next()
	must.OK(t, err)
	x := newExtractor(templates)
	x.sentence(s)
	for i, want := range []string{
		"bias w[0]=Ab l[-1]|w[0]=(outside)|Ab s2[1]=12 shape[0]=Xx shape[1]=Xx-d c2[0]=D l[2]=(outside)",
		"bias w[0]=École-12 l[-1]|w[0]=ab|École-12 p3[0]=Éco s2[1]=(outside) shape[0]=Xx-d shape[1]=(outside) c2[0]=N " +
			"l[2]=(outside)",
	} {
		names := x.names(s, i)
		if got := strings.Join(names, " "); got != want || len(names) != len(x.word(i, len(s.Words))) {
			t.Errorf("word %d has %s of %d keys, want %s", i, got, len(x.keys), want)
		}
	}
}

// TestExplainOnly: a model of a single tag has nothing to say instead.
func TestExplainOnly(t *testing.T) {
	m := trained(t, "a/X b/X\n", func(o *Options) { *o = DefaultOptions(CRF) })
	r, err := NewReader(Input{Stdin: strings.NewReader("a/X c/X\n"), Untagged: true})
	must.OK(t, err)
	defer r.Close()
	words := 0
	err = m.Explain(t.Context(), r, 3, 2, func(e *Explained) error {
		words += len(e.Words)
		for _, w := range e.Words {
			if w.Tag != "X" || w.Instead != "" {
				t.Errorf("%+v", w)
			}
		}
		return nil
	})
	if err != nil || words != 2 {
		t.Errorf("%d words, %v", words, err)
	}
}
