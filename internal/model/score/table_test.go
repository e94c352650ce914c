package score_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
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
	return trainOn(t, input(docs), change)
}

func trainOn(t *testing.T, in corpus.Input, change func(*nbsvm.Options)) *score.Classifier {
	t.Helper()
	model.KeepWeights = true // all weights, of 32 bits
	defer func() { model.KeepWeights = false }()
	o := nbsvm.DefaultOptions()
	o.Text.Bits, o.Threads = 18, 2
	change(&o)
	c, _, err := nbsvm.Train(context.Background(), in, o)
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

// TestMargins holds margins against the sums that the sections of a model give.
func TestMargins(t *testing.T) {
	must.SkipUnderRace(t)
	for kind, docs := range map[string][]string{
		"two classes": records(2, false), "five": records(5, false), "multi-label": records(4, true), "seventeen": records(17, false),
	} {
		for name, change := range map[string]func(*nbsvm.Options){
			"unit rows":         func(*nbsvm.Options) {},
			"rows as they are":  func(o *nbsvm.Options) { o.Normalize = false },
			"without ratio":     func(o *nbsvm.Options) { o.Kind = nbsvm.SVM },
			"shared buckets":    func(o *nbsvm.Options) { o.Text.Bits = 8 },
			"counts":            func(o *nbsvm.Options) { o.Values = nbsvm.Count },
			"logistic, biasing": func(o *nbsvm.Options) { o.Kind, o.Bias = nbsvm.Logistic, 3 },
			"naive Bayes":       func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial },
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				c := train(t, docs, change)
				checkMargins(t, c.Model(), docs)
				checkMargins(t, withRatio(c.Model()), docs)
				for _, m := range []*model.Model{withSparse(c.Model()), withRatio(c.Model()), c.Model()} {
					checkMargins(t, m, docs)
					q, err := m.Quantize()
					must.OK(t, err)
					checkMargins(t, q, docs)
				}
			})
		}
	}
}

// checkMargins scores some documents.
func checkMargins(t *testing.T, m *model.Model, docs []string) {
	t.Helper()
	s := newScorer(t, score.New(m))
	for i, d := range append(docs[:60:60], "label\tunknown words alone", "label\t") {
		got, want := predict(t, s, d), referenceMargins(t, m, d)
		for o, margin := range got.Margins {
			if math.IsInf(margin, -1) && m.Meta.Paths != nil {
				continue // the search has not come to it
			}
			same := margin == want[o]
			if m.Meta.Values == "by-word" { // words are added up in another order
				same = math.Abs(margin-want[o]) <= 1e-12*(1+math.Abs(margin))
			}
			if !same {
				t.Fatalf("document %d has margins %v, want %v", i, got.Margins, want)
			}
		}
	}
	_, text, _ := strings.Cut(docs[0], "\t")
	if n := testing.AllocsPerRun(10, func() { _, _ = s.Predict([]byte(text)) }); n > 1 { // the text itself
		t.Errorf("a prediction allocates memory %v times", n)
	}
}

// referenceMargins are those of a document, one weight after the other.
func referenceMargins(t *testing.T, m *model.Model, doc string) []float64 {
	t.Helper()
	_, text, _ := strings.Cut(doc, "\t")
	options := m.Meta.Text
	if !options.ByWord() {
		options.Bits = hashing.MaxBits
	}
	extract, err := hashing.NewExtractor(options)
	must.OK(t, err)
	byWord := m.Meta.Values == "by-word"
	appendTo := extract.AppendDistinct
	if byWord {
		appendTo = extract.AppendByWord
	}
	hashes, counts := appendTo(nil, []uint32{}, []byte(text))
	var rows []int
	values := map[int]float64{}
	for i, h := range hashes {
		row, ok := m.Keys.Rank(hashing.Key(h, m.Meta.Text.Bits))
		if !ok {
			continue
		}
		if _, again := values[row]; !again {
			rows = append(rows, row)
		}
		if values[row] += float64(counts[i]); m.Meta.Values == "binary" {
			values[row] = 1
		}
	}
	sums, total, square := make([]float64, m.Outputs), 0.0, 0.0
	for _, row := range rows {
		value := values[row]
		if m.Dense != nil {
			for o := range sums {
				sums[o] += value * float64(m.Dense.At(row*m.Outputs+o))
			}
		} else {
			for o, w := range m.Sparse.All(row) {
				sums[o] += value * float64(w)
			}
		}
		total += value
		ratio := 1.0
		if m.Ratio != nil {
			ratio = float64(m.Ratio.At(row))
		}
		if byWord {
			square += value * ratio * ratio
		} else {
			square += value * ratio * value * ratio
		}
	}
	unit := 1.0
	if m.Meta.Normalize {
		if unit = 0; square > 0 {
			unit = 1 / math.Sqrt(square)
		}
	}
	for o := range sums {
		sums[o] += m.Base[o] * total
		sums[o] = sums[o]*unit + m.Bias[o]
	}
	return sums
}

// TestGrownTree scores with a tree over the classes.
func TestGrownTree(t *testing.T) {
	must.SkipUnderRace(t)
	for name, test := range map[string]struct {
		classes int
		several bool
		change  func(*nbsvm.Options)
	}{
		"nbsvm":            {60, false, func(*nbsvm.Options) {}},
		"svm":              {60, false, func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }},
		"logistic":         {60, false, func(o *nbsvm.Options) { o.Kind, o.Bias = nbsvm.Logistic, 3 }},
		"rows as they are": {60, false, func(o *nbsvm.Options) { o.Normalize = false }},
		"counts":           {60, false, func(o *nbsvm.Options) { o.Values = nbsvm.Count }},
		"several labels":   {30, true, func(*nbsvm.Options) {}},
		"few":              {5, false, func(*nbsvm.Options) {}},
		"calibrated":       {50, false, func(o *nbsvm.Options) { o.Calibrate = true }},
	} {
		t.Run(name, func(t *testing.T) {
			docs := records(test.classes, test.several)
			c := train(t, docs, func(o *nbsvm.Options) {
				o.Tree = nbsvm.AlwaysTree
				test.change(o)
			})
			quantized, err := c.Quantize()
			must.OK(t, err)
			for _, m := range []*model.Model{c.Model(), quantized.Model(), withSparse(c.Model())} {
				checkMargins(t, m, docs)
				checkSearched(t, m, docs)
			}
		})
	}
}

// checkSearched has a model searched, and compares all that it says with that of a model that is not.
func checkSearched(t *testing.T, m *model.Model, docs []string) {
	t.Helper()
	whole := newScorer(t, score.New(m))
	defer score.Search(0)()
	checkMargins(t, m, docs)
	s := newScorer(t, score.New(m))
	for i, d := range docs[:60] {
		got, want := predict(t, s, d), predict(t, whole, d)
		if !slices.Equal(got.Margins, want.Margins) || !slices.Equal(got.Scores, want.Scores) || !slices.Equal(got.Labels, want.Labels) {
			t.Fatalf("document %d has margins %v, want %v", i, got.Margins, want.Margins)
		}
		_, text, _ := strings.Cut(d, "\t")
		e, err := s.ExplainText([]byte(text))
		must.OK(t, err)
		if f, err := whole.ExplainText([]byte(text)); err != nil || !reflect.DeepEqual(e, f) {
			t.Fatalf("document %d is explained as %+v, want %+v (%v)", i, e, f, err)
		}
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
