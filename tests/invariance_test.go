package tests

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// bulky takes several chunks of input.
var bulky = shape{docs: 30000, classes: 3, vocabulary: 20000, words: 15, signal: 0.2, seed: 3}

// everyVariant are options that take different ways through the code.
func everyVariant() map[string]func(*nbsvm.Options) {
	return map[string]func(*nbsvm.Options){
		"default":    func(*nbsvm.Options) {},
		"interp":     func(o *nbsvm.Options) { o.Beta, o.AutoBeta, o.Normalize, o.KeepRatio = 0.25, false, false, true },
		"tfidf":      func(o *nbsvm.Options) { o.Values, o.SublinearTF, o.Prenormalize = nbsvm.TFIDF, true, true },
		"min-df 1":   func(o *nbsvm.Options) { o.MinDF, o.Values = 1, nbsvm.Count },
		"calibrated": func(o *nbsvm.Options) { o.Calibrate = true },
		"pruned":     func(o *nbsvm.Options) { o.Prune = 0.05 },
		"logistic":   func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic },
		"perceptron": func(o *nbsvm.Options) { o.Kind, o.HoldOut = nbsvm.Perceptron, 0.2 },
		"pa":         func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.PassiveAggressive, nbsvm.TFIDF },
		"mnb":        func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Multinomial, nbsvm.Count },
		"cnb":        func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Complement, nbsvm.Count },
		"rocchio":    func(o *nbsvm.Options) { o.Kind, o.Values, o.Gamma = nbsvm.Rocchio, nbsvm.TFIDF, 0.25 },
		"gbdt": func(o *nbsvm.Options) {
			o.Kind, o.Trees.Rounds, o.Trees.Subsample, o.Trees.ColSample = nbsvm.GBDT, 10, 0.8, 0.5
		},
		"gbdt tfidf": func(o *nbsvm.Options) {
			o.Kind, o.Trees.Rounds, o.Values, o.Prenormalize = nbsvm.GBDT, 10, nbsvm.TFIDF, true
		},
		"knn": func(o *nbsvm.Options) { o.Kind, o.Values, o.SublinearTF = nbsvm.KNN, nbsvm.TFIDF, true },
		"knn bm25": func(o *nbsvm.Options) {
			o.Kind, o.Values, o.Similarity, o.Votes = nbsvm.KNN, nbsvm.Count, nbsvm.BM25, nbsvm.VoteByCount
		},
		"bnb": func(o *nbsvm.Options) { o.Kind = nbsvm.Bernoulli },
	}
}

// variants are all of them, or in a hurry one of each kind of solution: solved, with documents
// held out, counted.
func variants() map[string]func(*nbsvm.Options) {
	all := everyVariant()
	if hurry() {
		maps.DeleteFunc(all, func(name string, _ func(*nbsvm.Options)) bool {
			return name != "default" && name != "calibrated" && name != "mnb" && name != "gbdt"
		})
	}
	return all
}

// TestThreadsDoNotMatter holds the promise that a model depends on the input and
// the options alone.
func TestThreadsDoNotMatter(t *testing.T) {
	shapes := map[string]shape{
		"two classes": small,
		"four":        small.with(func(s *shape) { s.classes = 4 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	}
	for kind, s := range shapes {
		for name, change := range variants() {
			t.Run(kind+"/"+name, func(t *testing.T) {
				var first []byte
				for _, threads := range []int{1, 2, 5, 8} {
					c, _ := mustTrain(t, s.input(), options(change, func(o *nbsvm.Options) { o.Threads = threads }))
					got := encode(t, c)
					if first == nil {
						first = got
					}
					if !bytes.Equal(got, first) {
						t.Errorf("%d threads make another model than 1", threads)
					}
				}
			})
		}
	}
}

// TestWayOfInputDoesNotMatter feeds the same documents in many ways.
func TestWayOfInputDoesNotMatter(t *testing.T) {
	s := bulky
	if testing.Short() {
		s.docs /= 2
	}
	data := tsv(s.records())
	o := options(func(o *nbsvm.Options) { o.Threads = 3 })
	c, _ := mustTrain(t, input(data, corpus.TSV), o)
	want := encode(t, c)

	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, data, 0o600))
		return path
	}
	var parts []string
	for i := range 3 {
		lo, hi := lineStart(data, i*len(data)/3), lineStart(data, (i+1)*len(data)/3)
		parts = append(parts, file(fmt.Sprintf("part%d.tsv", i), data[lo:hi]))
	}
	half := lineStart(data, len(data)/2)
	for name, in := range map[string]corpus.Input{
		"file":              {Paths: []string{file("whole.tsv", data)}},
		"files":             {Paths: parts},
		"format by content": {Stdin: bytes.NewReader(data)},
		"dash":              {Paths: []string{"-"}, Stdin: bytes.NewReader(data)},
		"file and stdin":    {Paths: []string{file("half.tsv", data[:half]), "-"}, Stdin: bytes.NewReader(data[half:])},
		"gzip":              {Paths: []string{file("whole.tsv.gz", gzipped(t, data))}},
		"zstd":              {Paths: []string{file("whole.tsv.zst", zstandard(t, data))}},
		"zstd on stdin":     {Stdin: bytes.NewReader(zstandard(t, data))},
		"in pieces":         {Stdin: &dribble{data, rand.New(rand.NewPCG(1, 2))}},
		"CRLF":              input(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), corpus.TSV),
		"blank lines":       input(bytes.ReplaceAll(data, []byte("\n"), []byte("\n\n")), corpus.TSV),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mustTrain(t, in, o)
			if !bytes.Equal(encode(t, c), want) {
				t.Error("another model")
			}
		})
	}
}

// TestChunksDoNotMatter trains on many small files, each a chunk of its own, and
// on one.
func TestChunksDoNotMatter(t *testing.T) {
	for name, change := range variants() {
		t.Run(name, func(t *testing.T) {
			s := small.with(func(s *shape) { s.classes = 3 })
			data, o := tsv(s.records()), options(change)
			want, _ := mustTrain(t, input(data, corpus.TSV), o)
			dir := t.TempDir()
			var paths []string
			for i := range 7 {
				lo, hi := lineStart(data, i*len(data)/7), lineStart(data, (i+1)*len(data)/7)
				paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.tsv", i)))
				must.OK(t, os.WriteFile(paths[i], data[lo:hi], 0o600))
			}
			got, _ := mustTrain(t, corpus.Input{Paths: paths}, o)
			if !bytes.Equal(encode(t, got), encode(t, want)) {
				t.Error("7 files make another model than one")
			}
		})
	}
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

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	return compressed(t, &b, gzip.NewWriter(&b), data)
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	must.OK(t, err)
	return compressed(t, &b, w, data)
}

func compressed(t testing.TB, b *bytes.Buffer, w io.WriteCloser, data []byte) []byte {
	t.Helper()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	return b.Bytes()
}
