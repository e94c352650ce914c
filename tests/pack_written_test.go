package tests

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// alike are documents that differ in one word: rows of few gaps, which take less than a byte an entry.
func alike(docs int) []byte {
	var words, b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&words, "w%d ", i)
	}
	for i := range docs {
		fmt.Fprintf(&b, "%c\t%sx%d\n", 'a'+i%2, words.String(), i*i%41)
	}
	return []byte(b.String())
}

// characters are options for n-grams of one character, of which texts have few.
func characters(o *nbsvm.Options) {
	o.Text.Tokenizer, o.Text.NgramLo, o.Text.NgramHi = hashing.Char, 1, 1
}

// TestWrittenIsRead: corpora whose entries take less than a byte can be trained on, verified, added to and
// merged, and give the models of their texts.
func TestWrittenIsRead(t *testing.T) {
	words := small.with(func(s *shape) { s.docs = 1000 })
	for name, c := range map[string]struct {
		data   []byte
		change func(*nbsvm.Options)
	}{
		"alike":             {alike(4000), func(*nbsvm.Options) {}},
		"alike, counts":     {alike(4000), func(o *nbsvm.Options) { o.Values = nbsvm.Count }},
		"characters":        {tsv(words.records()), characters},
		"characters, tfidf": {tsv(words.records()), func(o *nbsvm.Options) { characters(o); o.Values = nbsvm.TFIDF }},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(c.change)
			o.AutoNgrams, o.NamesLimit, o.MinDF = false, 0, 1
			want, report := mustTrain(t, input(c.data, corpus.TSV), o)
			whole := pack(t, input(c.data, corpus.TSV), o.Pack(), 0)
			part := func(lo, hi int) []byte {
				lines := bytes.SplitAfter(c.data, []byte("\n"))
				return bytes.Join(lines[len(lines)*lo/3:len(lines)*hi/3], nil)
			}
			a := pack(t, input(part(0, 2), corpus.TSV), o.Pack(), 0)
			b := pack(t, input(part(2, 3), corpus.TSV), o.Pack(), 0)
			var appended, merged bytes.Buffer
			if _, err := packed.Append(t.Context(), a, input(part(2, 3), corpus.TSV), o.Pack(), &appended); err != nil {
				t.Fatal(err)
			}
			if _, err := dataset.Merge(t.Context(), []string{a, b}, dataset.MergeOptions{MinDF: 1, Temp: t.TempDir()}, &merged); err != nil {
				t.Fatal(err)
			}
			paths := []string{whole, writeFile(t, "appended.nbc", appended.Bytes()), writeFile(t, "merged.nbc", merged.Bytes())}
			for _, path := range paths {
				must.OK(t, packed.Verify(t.Context(), path))
				if got, _ := mustTrain(t, packedFile(path), o); !bytes.Equal(encode(t, got), encode(t, want)) {
					t.Errorf("%s: another model than of the text", filepath.Base(path))
				}
			}
			_, far := trainFar(t, paths[2], o)
			if got, want := solutionOf(far).Primal, report.Solution.Primal; math.Abs(got-want) > 2*o.Tol*want {
				t.Errorf("with rows on disk: objective %v, in memory %v", got, want)
			}
		})
	}
}

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
	for _, bits := range []int{8, 18} {
		o := options(characters, func(o *nbsvm.Options) {
			o.AutoNgrams, o.NamesLimit, o.MinDF, o.Values, o.Text.Bits = false, 0, 1, nbsvm.Count, bits
		})
		want, _ := mustTrain(t, in(), o)
		path := pack(t, in(), o.Pack(), 0)
		must.OK(t, packed.Verify(t.Context(), path))
		if got, _ := mustTrain(t, packedFile(path), o); !bytes.Equal(encode(t, got), encode(t, want)) {
			t.Errorf("%d bits: another model than of the text", bits)
		}
		trainFar(t, path, o)
	}
}

// TestNamesOfAnyBytes: a corpus names n-grams as its text does, also those that are not UTF-8.
func TestNamesOfAnyBytes(t *testing.T) {
	text := corpus.Input{Paths: []string{writeFile(t, "text.tsv", []byte("a\tx \xff\xfe y\nb\tz \x80 y\na\t\xc3 y\n"))}}
	o := options(func(o *nbsvm.Options) { o.AutoNgrams, o.MinDF, o.Text.Tokenizer = false, 1, hashing.Space })
	po := o.Pack()
	po.Names = true
	path := pack(t, text, po, 0)
	must.OK(t, packed.Verify(t.Context(), path))
	want, _ := mustTrain(t, text, o)
	if got, _ := mustTrain(t, packedFile(path), o); !bytes.Equal(encode(t, got), encode(t, want)) {
		t.Error("another model than of the text")
	}
}
