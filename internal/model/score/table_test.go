package score_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// records makes up documents, label<TAB>text, whose words tell the classes; with several labels, some have none.
func records(classes int, several bool) []string {
	rng := rand.New(rand.NewPCG(1, 7))
	zipf := rand.NewZipf(rng, 1.3, 4, 400)
	docs := make([]string, 300)
	for i := range docs {
		class := i % classes
		label := fmt.Sprint("class", class)
		if several {
			label = []string{"", label, label, fmt.Sprintf("%s,class%d", label, rng.IntN(classes))}[rng.IntN(4)]
		}
		var text strings.Builder
		for range 1 + rng.IntN(24) {
			fmt.Fprintf(&text, "w%d ", zipf.Uint64())
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&text, "k%dw%d ", class, zipf.Uint64()%97)
			}
		}
		docs[i] = label + "\t" + text.String()
	}
	return docs
}

func input(docs []string) corpus.Input {
	data := strings.Join(docs, "\n")
	return corpus.Input{Stdin: strings.NewReader(data), Format: corpus.TSV, LabelSep: ","}
}

func train(t *testing.T, docs []string, change func(*nbsvm.Options)) *score.Classifier {
	t.Helper()
	model.KeepWeights = true // all weights, of 32 bits
	defer func() { model.KeepWeights = false }()
	o := nbsvm.DefaultOptions()
	o.Text.Bits, o.Threads = 18, 2
	change(&o)
	c, _, err := nbsvm.Train(context.Background(), input(docs), o)
	must.OK(t, err)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	inner, err := score.OpenBytes(b.Bytes())
	must.OK(t, err)
	return inner
}

func newScorer(t *testing.T, c *score.Classifier) *score.Scorer {
	t.Helper()
	s, err := c.NewScorer()
	must.OK(t, err)
	return s
}

func predict(t *testing.T, s *score.Scorer, doc string) score.Prediction {
	t.Helper()
	_, text, _ := strings.Cut(doc, "\t")
	p, err := s.Predict([]byte(text))
	must.OK(t, err)
	return p
}

// TestScoreTable: a document has the same scores, bit for bit, from the table as from the
// model itself.
func TestScoreTable(t *testing.T) {
	for kind, docs := range map[string][]string{
		"two classes": records(2, false), "five": records(5, false), "multi-label": records(4, true), "seventeen": records(17, false),
	} {
		for name, change := range map[string]func(*nbsvm.Options){
			"unit rows":         func(*nbsvm.Options) {},
			"rows as they are":  func(o *nbsvm.Options) { o.Normalize = false },
			"without ratio":     func(o *nbsvm.Options) { o.Kind = nbsvm.SVM },
			"shared buckets":    func(o *nbsvm.Options) { o.Text.Bits = 8 },
			"counts, no table":  func(o *nbsvm.Options) { o.Values = nbsvm.Count },
			"logistic, biasing": func(o *nbsvm.Options) { o.Kind, o.Bias = nbsvm.Logistic, 3 },
			"naive Bayes":       func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial },
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				c := train(t, docs, change)
				if has := c.TableSize() > 0; has != (name != "counts, no table") {
					t.Errorf("a table of %d bytes", c.TableSize())
				}
				checkScoreTable(t, c.Model(), c.TableSize(), docs)
				if c.Model().Outputs == 1 {
					return
				}
				checkScoreTable(t, withRatio(c.Model()), c.TableSize(), docs)
				for _, size := range []int64{1, c.TableSize() / 2, c.TableSize() * 3 / 4, c.TableSize()} { // the smaller, the more rows are rare
					checkScoreTable(t, withSparse(c.Model()), min(c.TableSize(), size), docs)
					for _, m := range []*model.Model{withSparse(c.Model()), withRatio(c.Model()), c.Model()} {
						checkScoreTable(t, quantized(t, m), min(c.TableSize(), size), docs)
					}
				}
			})
		}
	}
}

// checkScoreTable scores with a table of at most so many bytes from the second document on,
// and without.
func checkScoreTable(t *testing.T, m *model.Model, size int64, docs []string) {
	t.Helper()
	c := score.WithTable(m, size)
	s, want := newScorer(t, c), newScorer(t, score.New(m))
	for i, d := range docs {
		got, want := predict(t, s, d), predict(t, want, d)
		if !slices.Equal(got.Margins, want.Margins) || !slices.Equal(got.Scores, want.Scores) || !slices.Equal(got.Labels, want.Labels) {
			t.Fatalf("document %d has margins %v, want %v", i, got.Margins, want.Margins)
		}
	}
	if made := c.HasTable(); made != (size > 0) {
		t.Errorf("a table was made: %v", made)
	}
}

// withSparse has some of a model's weights as sparse ones; some rows have none.
func withSparse(m *model.Model) *model.Model {
	other := *m
	row := make([]float64, m.Outputs)
	other.Dense, other.Sparse = nil, model.NewSparse(m.Keys.Size(), func(entry func(row uint32, output int, number float32)) {
		for r := range m.Keys.Size() {
			m.RowWeights(r, row)
			for i, w := range row {
				if r%5 > 0 && (r+i)%3 > 0 {
					entry(uint32(r), i, float32(w))
				}
			}
		}
	})
	return &other
}

// withRatio is withSparse, and has a ratio.
func withRatio(m *model.Model) *model.Model {
	other := withSparse(m)
	var ratio model.Float32s
	for r := range m.Keys.Size() {
		ratio = append(ratio, float32(r%7)/3)
	}
	other.Ratio, other.Meta.Normalize = ratio, true
	return other
}

// quantized has numbers of 8 bits, which are whole in its table.
func quantized(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	q, _, err := m.Quantize()
	must.OK(t, err)
	if _, whole := q.WholeUnit(); !whole {
		t.Fatal("weights of 8 bits of several outputs are not whole multiples of a unit")
	}
	return q
}
