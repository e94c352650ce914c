package tests

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// TestFewKeys trains with rows on disk that have most of the columns there are.
func TestFewKeys(t *testing.T) {
	s := small.with(func(s *shape) { s.docs, s.words, s.vocabulary = 2000, 200, 20000 })
	o := options(func(o *nbsvm.Options) { o.AutoNgrams, o.NamesLimit, o.Text.Bits = false, 0, 8 })
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
	ofNumbers(t)
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
		o.Text.Tokenizer, o.Text.NgramLo, o.Text.NgramHi = hashing.Char, 1, 1
		o.AutoNgrams, o.NamesLimit, o.MinDF, o.Values, o.Text.Bits = false, 0, 1, nbsvm.Count, 8
	})
	want, _ := mustTrain(t, in(), o)
	path := pack(t, in(), o.Pack(), 0)
	must.OK(t, packed.Verify(t.Context(), path))
	if got, _ := mustTrain(t, packedFile(path), o); !bytes.Equal(encode(t, got), encode(t, want)) {
		t.Error("another model than of the text")
	}
	trainFar(t, path, o)
}
