package tests

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// trainFar trains with mapped rows.
func trainFar(t *testing.T, path string, o nbsvm.Options) (*nbsvm.Classifier, *learn.Fitted) {
	t.Helper()
	ctx := context.Background()
	ds, o := prepare(t, packedFile(path), o)
	defer ds.Close()
	mo := dataset.MatrixOptions{
		MinDF: o.MinDF, MaxDF: o.MaxDF, Counts: o.Values != nbsvm.Binary, Sublinear: o.Values == nbsvm.LogTFIDF, IDF: o.Values == nbsvm.TFIDF || o.Values == nbsvm.LogTFIDF,
		Prenormalize: o.Prenormalize, Threads: o.Threads, Mapped: true,
	}
	if solved(o.Kind) {
		if mo.Outputs = len(ds.Classes.Labels); mo.Outputs == 2 && !ds.Classes.Multi {
			mo.Outputs = 1
		}
	}
	d, err := dataset.NewMatrix(ctx, ds, ds.All(), mo)
	must.OK(t, err)
	defer d.Close()
	m, f := fitAll(t, ds, d, &o)
	return classifier(t, m), f
}

// TestTrainFar compares models whose rows are mapped with those of rows in memory: where a solver is used by the
// objective, since rows of several classes are in another order, and else byte for byte.
func TestTrainFar(t *testing.T) {
	for kind, s := range packShapes() {
		for name, change := range variants() {
			o := options(change)
			o.Text.Families, o.NamesLimit = bigrams, 0
			if o.Calibrate || s.multi || s.docs > 1000 {
				continue // what is learned from held-out documents is another matter
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				path := pack(t, s.input(), o.Pack(), 0)
				want, report := mustTrain(t, packedFile(path), o)
				got, f := trainFar(t, path, o)
				if !solved(o.Kind) {
					if !bytes.Equal(encode(t, got), unmade(t, want)) {
						t.Fatal("another model")
					}
					return
				}
				sum := solutionOf(f)
				if !sum.Converged || math.Abs(sum.Primal-report.Solution.Primal) > 2*o.Tol*report.Solution.Primal {
					t.Fatalf("%+v, in memory %+v", sum, report.Solution)
				}
			})
		}
	}
}

// TestMemory: training says what it takes when it may not have it, and does with little.
func TestMemory(t *testing.T) {
	must.SkipUnderRace(t)
	s := small.with(func(s *shape) { s.docs = 20000; s.words = 60; s.vocabulary = 5000 })
	o := options(func(o *nbsvm.Options) { o.Text.Families, o.NamesLimit = bigrams, 0 })
	path := pack(t, s.input(), o.Pack(), 0)
	_, report := mustTrain(t, packedFile(path), o)
	o.Memory = 20 << 20
	if _, _, err := nbsvm.Train(context.Background(), packedFile(path), o); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("20 MiB: %v", err)
	}
	plan := ""
	o.Progress = func(p corpus.Progress) {
		if p.Stage == "plan" {
			plan = p.Detail
		}
	}
	o.Memory = 36 << 20
	_, far := mustTrain(t, packedFile(path), o)
	if !strings.Contains(plan, "; rows ") {
		t.Fatalf("the plan was %q", plan)
	}
	if math.Abs(far.Solution.Primal-report.Solution.Primal) > 2*o.Tol*report.Solution.Primal {
		t.Errorf("objective %v, in memory %v", far.Solution.Primal, report.Solution.Primal)
	}
	_, text := mustTrain(t, s.input(), o)
	if text.Solution.Primal != far.Solution.Primal || !strings.Contains(plan, "; rows ") {
		t.Errorf("of text: objective %v, of a corpus %v", text.Solution.Primal, far.Solution.Primal)
	}
}

// TestFewKeys trains with rows on disk that have most of the columns there are.
func TestFewKeys(t *testing.T) {
	s := small.with(func(s *shape) { s.docs, s.words, s.vocabulary = 2000, 200, 20000 })
	o := options(func(o *nbsvm.Options) { o.Text.Families, o.NamesLimit, o.Text.Bits = bigrams, 0, 8 })
	path := pack(t, s.input(), o.Pack(), 0)
	_, report := mustTrain(t, packedFile(path), o)
	_, far := trainFar(t, path, o)
	if got, want := solutionOf(far).Primal, report.Solution.Primal; math.Abs(got-want) > 2*o.Tol*want {
		t.Errorf("objective %v, in memory %v", got, want)
	}
}

// TestLargeCounts: a corpus gives the model of its text, also for counts that float32 does not hold
// exactly, and sums of them where n-grams share a key.
func TestLargeCounts(t *testing.T) {
	must.SkipUnderRace(t)
	var b bytes.Buffer
	b.WriteString("a\t")
	b.Write(bytes.Repeat([]byte("a"), 1<<24+5))
	for i := range 1000 {
		b.WriteString(strings.Repeat(string(rune('一'+i)), 1+i%3))
	}
	b.WriteString("\nb\tb b a c\na\tb a c c\n")
	in := func() corpus.Input {
		in := input(b.Bytes(), corpus.TSV)
		in.MaxRecord = 1 << 25
		return in
	}
	o := options(func(o *nbsvm.Options) {
		o.Text.Families[0].Tokenizer, o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = hashing.Char, 1, 1
		o.NamesLimit, o.MinDF, o.Values, o.Text.Bits = 0, 1, nbsvm.Count, 8
	})
	want, _ := mustTrain(t, in(), o)
	path := pack(t, in(), o.Pack(), 0)
	must.OK(t, packed.Verify(t.Context(), path))
	if got, _ := mustTrain(t, packedFile(path), o); !bytes.Equal(encode(t, got), encode(t, want)) {
		t.Error("another model than of the text")
	}
	trainFar(t, path, o)
}
