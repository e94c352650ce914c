package tests

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// documents has records as documents in memory, one after the other in the same.
func documents(docs []record) corpus.Input {
	var in corpus.Input
	in.Documents = func(yield func(corpus.Document, error) bool) {
		var memory []byte
		for _, d := range docs {
			memory = append(append(memory[:0], d.text...), d.label...)
			doc := corpus.Document{Text: memory[:len(d.text)], Weight: float32(d.weight)}
			for label := range bytes.SplitSeq(memory[len(d.text):], []byte(",")) {
				if len(label) > 0 {
					doc.Labels = append(doc.Labels, label)
				}
			}
			if !yield(doc, nil) {
				return
			}
			for i := range memory {
				memory[i] = '#'
			}
		}
	}
	return in
}

// values are documents without an error.
func values(docs ...corpus.Document) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestDocumentsOnce: a loop that can run only once is enough, and its error ends training and scoring.
func TestDocumentsOnce(t *testing.T) {
	for name, change := range map[string]func(*nbsvm.Options){
		"defaults": func(*nbsvm.Options) {}, "calibrated": func(o *nbsvm.Options) { o.Calibrate = true },
		"reviewed": func(o *nbsvm.Options) { o.Review = new(nbsvm.Review) },
	} {
		in, ranged := documents(small.records()), 0
		all := in.Documents
		in.Documents = func(yield func(corpus.Document, error) bool) {
			ranged++
			all(yield)
		}
		mustTrain(t, in, options(change))
		if ranged != 1 {
			t.Errorf("%s: documents were ranged over %d times", name, ranged)
		}
	}
	lost := errors.New("the connection is lost")
	in := documents(small.records())
	all := in.Documents
	in.Documents = func(yield func(corpus.Document, error) bool) {
		all(yield)
		yield(corpus.Document{}, lost)
	}
	if _, _, err := nbsvm.Train(t.Context(), in, options()); !errors.Is(err, lost) {
		t.Errorf("training says %v", err)
	}
	c, _ := mustTrain(t, small.input(), options())
	var last error
	for _, err := range c.Each(t.Context(), in) {
		last = err
	}
	if !errors.Is(last, lost) {
		t.Errorf("scoring says %v", last)
	}
	n := 0
	for _, err := range c.Each(t.Context(), documents(small.records())) {
		must.OK(t, err)
		if n++; n == 3 {
			break
		}
	}
}

// TestDocumentsInMemory: they give what files of them give, byte for byte; TestKinds has other shapes.
func TestDocumentsInMemory(t *testing.T) {
	s := small.with(func(s *shape) { s.docs, s.words, s.weights = 3000, 150, true }) // several chunks
	docs := s.records()
	for _, memory := range []int64{0, 64 << 20} {
		c, _ := mustTrain(t, documents(docs), options(func(o *nbsvm.Options) { o.Memory = memory }))
		want, _ := mustTrain(t, weighted(docs), options(func(o *nbsvm.Options) { o.Memory = memory }))
		if !bytes.Equal(encode(t, c), encode(t, want)) {
			t.Errorf("%d bytes of memory: documents in memory give another model than a file of them", memory)
		}
	}
}

// TestBadDocumentsInMemory: each is told by its number.
func TestBadDocumentsInMemory(t *testing.T) {
	good := []corpus.Document{{Labels: [][]byte{[]byte("a")}, Text: []byte("x y")}, {Labels: [][]byte{[]byte("b")}, Text: []byte("y z")}}
	for want, bad := range map[string]corpus.Document{
		"document 3 in memory: no label":   {Text: []byte("x")},
		"memory: a label is empty":         {Labels: [][]byte{{}}, Text: []byte("x")},
		"memory: a label is not valid UTF": {Labels: [][]byte{{0xff}}, Text: []byte("x")},
		"memory: the weight is -1":         {Labels: [][]byte{[]byte("a")}, Weight: -1},
	} {
		var in corpus.Input
		in.Documents = values(append(slices.Clone(good), bad)...)
		if _, _, err := nbsvm.Train(context.Background(), in, options()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	in := documents(small.records())
	in.Paths = []string{"reviews.tsv"}
	if _, _, err := nbsvm.Train(context.Background(), in, options()); err == nil || !strings.Contains(err.Error(), "leave these out") {
		t.Errorf("documents in memory and files: %v", err)
	}
	in = corpus.Input{}
	in.Documents = values()
	if _, _, err := nbsvm.Train(context.Background(), in, options()); err == nil || !strings.Contains(err.Error(), "no documents in memory") {
		t.Errorf("no documents: %v", err)
	}
	c, _ := mustTrain(t, small.input(), options())
	if _, err := c.Evaluate(context.Background(), in, nbsvm.ScoreOptions{}); !errors.Is(err, corpus.ErrNoDocuments) {
		t.Errorf("no documents to evaluate on: %v", err)
	}
}

// TestPredictFeatures: ready-made features are texts of SVMlight, of which unknown ones are left out, and the first that
// can't be read is named; a model of one kind refuses the other.
func TestPredictFeatures(t *testing.T) {
	c, report := mustTrain(t, as(corpus.SVMLight, "a 1:1 2:1\nb 2:1 3:1\na 1:2\nb 3:1\n"), options())
	text, _ := mustTrain(t, small.input(), options())
	if !c.TakesFeatures() || text.TakesFeatures() || report.Options.Values != nbsvm.Count || strongest(t, c, 1)[1].Features[0].Name != "feature 3" {
		t.Error("kinds are mixed up")
	}
	p, err := c.Predict([]byte("3:1 77:5"))
	if err != nil || c.Labels()[p.Labels[0]] != "b" {
		t.Errorf("%v, %v", p, err)
	}
	s := newScorer(t, c)
	_, ofText := s.Predict([]byte("text"))
	_, nonsense := s.PredictFeatures([]byte("3:1 x"))
	_, features := newScorer(t, text).PredictFeatures([]byte("3:1"))
	if ofText == nil || nonsense == nil || features == nil {
		t.Errorf("text for a model of features: %v; nonsense: %v; features for a model of text: %v", ofText, nonsense, features)
	}
	err = inside.Classifier(c).PredictAll(context.Background(), [][]byte{[]byte("1:1"), []byte("words")}, 0, nil, func(int, *score.Prediction) {})
	if err == nil || !strings.Contains(err.Error(), "text 2: ") {
		t.Errorf("words for features: %v", err)
	}
	if err := inside.Classifier(c).PredictAll(context.Background(), nil, 0, nil, func(int, *score.Prediction) {}); err != nil {
		t.Errorf("no texts: %v", err)
	}
}

func TestOpenFS(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	files := fstest.MapFS{"models/a.nbm": {Data: encode(t, c)}, "models/b.nbm": {Data: []byte("no model")}}
	opened, err := nbsvm.OpenFS(files, "models/a.nbm")
	if err != nil || !bytes.Equal(encode(t, opened), encode(t, c)) {
		t.Errorf("another model, or none: %v", err)
	}
	if _, err := nbsvm.OpenFS(files, "models/b.nbm"); !errors.Is(err, nbsvm.ErrNotModel) || !strings.Contains(err.Error(), "models/b.nbm") {
		t.Errorf("what is no model: %v", err)
	}
	if _, err := nbsvm.OpenFS(files, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}
