package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// shape is what a made-up corpus is like: Zipf's law over a vocabulary, and words
// that one class uses more often than the others.
type shape struct {
	docs, classes int
	vocabulary    int
	words         int     // of a document, on average
	signal        float64 // share of words that depend on the class
	weights       bool    // a third column, whole numbers from 1 to 3
	multi         bool    // several labels or none
	own           int     // words that no other document has, so that there are no near-duplicates
	seed          uint64
}

// record is a made-up document.
type record struct {
	label  string
	text   string
	weight int
}

// small is enough for most tests.
var small = shape{docs: 300, classes: 2, vocabulary: 400, words: 12, signal: 0.3, seed: 1}

func (s shape) with(change func(*shape)) shape {
	change(&s)
	return s
}

// records makes the documents; a seed makes the same ones everywhere.
func (s shape) records() []record {
	rng := rand.New(rand.NewPCG(s.seed, 7))
	zipf := rand.NewZipf(rng, 1.3, 4, uint64(s.vocabulary-1))
	docs := make([]record, s.docs)
	var text strings.Builder
	for i := range docs {
		class := rng.IntN(s.classes)
		if i < s.classes {
			class = i // none is missing
		}
		label := fmt.Sprintf("class%02d", class)
		if s.multi {
			switch rng.IntN(6) {
			case 0:
				label = ""
			case 1:
				label += fmt.Sprintf(",class%02d", rng.IntN(s.classes))
			}
		}
		text.Reset()
		for n := 1 + rng.IntN(2*s.words); n > 0; n-- {
			word := zipf.Uint64()
			if rng.Float64() < s.signal {
				fmt.Fprintf(&text, "k%dw%d ", class, word%97)
			} else {
				fmt.Fprintf(&text, "w%d ", word)
			}
			if rng.IntN(12) == 0 {
				text.WriteString("! ")
			}
		}
		for k := range s.own {
			fmt.Fprintf(&text, "own%dof%d ", k, i)
		}
		docs[i] = record{label, strings.TrimSpace(text.String()), 1}
		if s.weights {
			docs[i].weight = 1 + rng.IntN(3)
		}
	}
	return docs
}

// tsv renders records, label<TAB>text.
func tsv(docs []record) []byte {
	var b bytes.Buffer
	for _, d := range docs {
		fmt.Fprintf(&b, "%s\t%s\n", d.label, d.text)
	}
	return b.Bytes()
}

// csv renders records with a header and weights; the texts need no quotes.
func csv(docs []record) []byte {
	var b bytes.Buffer
	b.WriteString("label,weight,text\n")
	for _, d := range docs {
		fmt.Fprintf(&b, "%s,%d,%s\n", d.label, d.weight, d.text)
	}
	return b.Bytes()
}

// input reads data as if from standard input.
func input(data []byte, format corpus.Format) corpus.Input {
	return corpus.Input{Stdin: bytes.NewReader(data), Format: format}
}

// as is input of a text.
func as(format corpus.Format, text string) corpus.Input { return input([]byte(text), format) }

// classKinds are the kinds of model that predict classes.
func classKinds() []nbsvm.Kind { return slices.DeleteFunc(nbsvm.Kinds(), nbsvm.Kind.Numbers) }

func (s shape) input() corpus.Input {
	in := input(tsv(s.records()), corpus.TSV)
	if s.multi {
		in.LabelSep = ","
	}
	return in
}

// bigrams are n-grams of one and two words, however much text there is.
var bigrams = hashing.DefaultOptions().Families

// options are defaults, changed; words alone, however small the corpus, and two threads, so that order matters.
func options(changes ...func(*nbsvm.Options)) nbsvm.Options {
	o := nbsvm.DefaultOptions()
	o.Text.Bits, o.Text.Families, o.Threads = 18, bigrams, 2
	o.Values, o.C = nbsvm.Binary, 1 // whatever suits the kind
	for _, change := range changes {
		change(&o)
	}
	return o
}

// exactWeights has weights stay as the solver finds them until the test ends.
func exactWeights(t testing.TB) {
	model.KeepWeights = true
	t.Cleanup(func() { model.KeepWeights = false })
}

func mustTrain(t testing.TB, in corpus.Input, o nbsvm.Options) (*nbsvm.Classifier, *nbsvm.Report) {
	t.Helper()
	c, report, err := nbsvm.Train(context.Background(), in, o)
	must.OK(t, err)
	return c, report
}

// encode is the model as its file has it.
func encode(t testing.TB, c *nbsvm.Classifier) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newScorer(t testing.TB, c *nbsvm.Classifier) *nbsvm.Scorer {
	t.Helper()
	s, err := c.NewScorer()
	must.OK(t, err)
	return s
}

// predict clones, as predictions belong to the scorer.
func predict(t testing.TB, s *nbsvm.Scorer, text string) nbsvm.Prediction {
	t.Helper()
	p, err := s.Predict([]byte(text))
	must.OK(t, err)
	p.Labels = append([]int(nil), p.Labels...)
	p.Scores = append([]float64(nil), p.Scores...)
	p.Margins = append([]float64(nil), p.Margins...)
	return p
}

// dataset reads an input as Train does.
func readAll(t testing.TB, in corpus.Input, o *nbsvm.Options) *dataset.Dataset {
	t.Helper()
	ds, err := inside.Prepare(context.Background(), in, o, true)
	must.OK(t, err)
	t.Cleanup(func() { ds.Close() })
	must.OK(t, ds.Classes.List(t.Context()))
	return ds
}

// fitAll trains on a matrix.
func fitAll(t testing.TB, ds *dataset.Dataset, d *dataset.Matrix, o *nbsvm.Options) (*model.Model, *learn.Fitted) {
	t.Helper()
	f, err := inside.Fit(context.Background(), ds, d, o)
	must.OK(t, err)
	m, err := f.Model()
	must.OK(t, err)
	return m, f
}

// trainRows trains on some documents.
func trainRows(t testing.TB, ds *dataset.Dataset, documents *roaring.Bitmap, o *nbsvm.Options) *nbsvm.Classifier {
	t.Helper()
	d, err := inside.LayOut(context.Background(), ds, documents, o)
	must.OK(t, err)
	defer d.Close()
	m, _ := fitAll(t, ds, d, o)
	return classifier(t, m)
}

// solved says whether the solver trains models of a kind.
func solved(kind nbsvm.Kind) bool {
	return slices.Contains([]nbsvm.Kind{nbsvm.AutoKind, nbsvm.NBSVM, nbsvm.SVM, nbsvm.Logistic}, kind)
}

// counted says whether margins of a kind of model are log-likelihoods.
func counted(kind nbsvm.Kind) bool {
	return kind == nbsvm.Multinomial || kind == nbsvm.Bernoulli || kind == nbsvm.Complement
}

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, data, 0o600))
	return path
}

// dataFile is a file of the corpora that NBSVM_DATA names.
func dataFile(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("NBSVM_DATA")
	if root == "" {
		t.Skip("NBSVM_DATA is not set: it names the folder of corpora that this test reads")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NBSVM_DATA lacks a corpus: %v", err)
	}
	return path
}

// near says whether two numbers agree, relative to the larger or, below 1, to 1.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// strongest is Explain.
func strongest(t testing.TB, c *nbsvm.Classifier, n int) []explain.Class {
	t.Helper()
	explanations, err := c.Explain(n)
	must.OK(t, err)
	return explanations
}

// best lists the classes of a prediction with the highest scores.
func best(c *nbsvm.Classifier, p *nbsvm.Prediction, n int) []int {
	return inside.Classifier(c).Best((*score.Prediction)(p), n, math.Inf(-1))
}

// documentsOf is an input of texts, in the memory of one, with their numbers as ids.
func documentsOf(texts [][]byte) corpus.Input {
	return corpus.Input{Documents: func(yield func(corpus.Document, error) bool) {
		var memory []byte
		for n, text := range texts {
			memory = append(memory[:0], text...)
			if !yield(corpus.Document{ID: fmt.Sprint(n), Text: memory}, nil) {
				return
			}
		}
	}}
}

// lineStart is the first start of a line at or after an offset.
func lineStart(data []byte, offset int) int {
	if offset == 0 {
		return 0
	}
	if end := bytes.IndexByte(data[offset-1:], '\n'); end >= 0 {
		return offset + end
	}
	return len(data)
}
