package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func design1(t *testing.T, ds *dataset.Dataset, o *nbsvm.Options) *dataset.Matrix {
	t.Helper()
	d, err := inside.LayOut(context.Background(), ds, ds.All(), o)
	must.OK(t, err)
	return d
}

// TestTFIDFAgainstScikitLearn holds idf and rows against scikit-learn 1.2.1:
//
//	TfidfVectorizer(token_pattern=r"\S+", norm=None).fit(docs).idf_
//	TfidfVectorizer(token_pattern=r"\S+", sublinear_tf=True, max_df=0.7, min_df=2).fit_transform(docs)
func TestTFIDFAgainstScikitLearn(t *testing.T) {
	docs := []record{{label: "x", text: "a b c a"}, {label: "y", text: "b c d"}, {label: "x", text: "c d e e e"}, {label: "y", text: "a c"}, {label: "y", text: "f"}}
	base := func(o *nbsvm.Options) {
		o.Text.Families[0].Tokenizer, o.Text.Families[0].NgramHi, o.MinDF, o.Values = hashing.Space, 1, 1, nbsvm.TFIDF
	}
	name := func(o *nbsvm.Options) map[uint64]string {
		names := map[uint64]string{}
		extract, err := hashing.NewExtractor(o.Text)
		must.OK(t, err)
		for h, token := range extract.Ngrams([]byte("a b c d e f")) {
			names[hashing.Key(h, o.Text.Bits)] = string(token)
		}
		return names
	}

	o := options(base)
	d := design1(t, readAll(t, input(tsv(docs), corpus.TSV), &o), &o)
	want := map[string]float64{
		"a": 1.6931471805599454, "b": 1.6931471805599454, "c": 1.1823215567939547,
		"d": 1.6931471805599454, "e": 2.0986122886681096, "f": 2.0986122886681096,
	}
	if len(d.Keys) != len(want) {
		t.Fatalf("%d features, want %d", len(d.Keys), len(want))
	}
	for j, id := range d.Keys {
		if token := name(&o)[id]; float64(d.IDF[j]) != float64(float32(want[token])) {
			t.Errorf("idf of %q is %v, want %v", token, d.IDF[j], want[token])
		}
	}

	o = options(base, func(o *nbsvm.Options) { o.Values, o.Prenormalize, o.MaxDF, o.MinDF = nbsvm.LogTFIDF, true, 0.7, 2 })
	d = design1(t, readAll(t, input(tsv(docs), corpus.TSV), &o), &o)
	rows := []map[string]float64{
		{"a": 0.8610369959439765, "b": 0.5085423203783268},
		{"b": 0.7071067811865476, "d": 0.7071067811865476},
		{"d": 1},
		{"a": 1},
		{},
	}
	for i, want := range rows {
		cols, f := row(d, i)
		if len(cols) != len(want) {
			t.Errorf("document %d has %d features, want %d", i, len(cols), len(want))
		}
		for n, j := range cols {
			if token := name(&o)[d.Keys[j]]; !near(f[n], want[token], 1e-7) {
				t.Errorf("document %d: %q is %v, want %v", i, token, f[n], want[token])
			}
		}
	}
}

// TestAutoNgrams: trigrams come with much text a class, and hashing anew gives what
// hashing once would have.
func TestAutoNgrams(t *testing.T) {
	if testing.Short() {
		t.Skip("6 MB of text")
	}
	long := strings.Repeat("many words make a long text here ", 1<<14)
	var docs []record
	for i := range 12 {
		docs = append(docs, record{label: fmt.Sprint(i % 2), text: fmt.Sprintf("w%d %s v%d", i%3, long, i%2)})
	}
	data := tsv(docs)
	left := options(func(o *nbsvm.Options) { o.Text.Families, o.NamesLimit = hashing.Families{}, 0 })
	auto, report := mustTrain(t, input(data, corpus.TSV), left)
	if hi := report.Options.Text.Families[0].NgramHi; hi != 3 {
		t.Fatalf("%d bytes of text: n-grams to order %d", report.Bytes, hi)
	}
	set, _ := mustTrain(t, input(data, corpus.TSV), options(func(o *nbsvm.Options) { o.Text.Families[0].NgramHi, o.NamesLimit = 3, 0 }))
	a, b := modelOf(t, auto), modelOf(t, set)
	if fmt.Sprint(a.Dense, a.Keys, a.Bias) != fmt.Sprint(b.Dense, b.Keys, b.Bias) || a.Meta.Text != b.Meta.Text {
		t.Error("another model than with the orders given")
	}
	_, report = mustTrain(t, input(tsv(docs[:8]), corpus.TSV), left)
	if hi := report.Options.Text.Families[0].NgramHi; hi != 2 || len(report.Options.Text.Families.List()) != 1 {
		t.Errorf("%d bytes of text: n-grams %v", report.Bytes, report.Options.Text.Families.List())
	}
}

// TestAutoCharacters: little text has n-grams of characters beside those of words, the same as if they were asked for,
// from text and packed; very little text, and families that are given, have none.
func TestAutoCharacters(t *testing.T) {
	characters := hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}
	both := []hashing.Family{{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, characters}
	left := options(func(o *nbsvm.Options) { o.Text.Families, o.NamesLimit = hashing.Families{}, 0 })
	auto, report := mustTrain(t, small.input(), left)
	if got := report.Options.Text.Families.List(); report.Bytes < 10_000 || !slices.Equal(got, both) {
		t.Fatalf("%d bytes of text: n-grams %v", report.Bytes, got)
	}
	given := left
	var err error
	if given.Text.Families, err = hashing.NewFamilies(both...); err != nil {
		t.Fatal(err)
	}
	asked, _ := mustTrain(t, small.input(), given)
	a, b := modelOf(t, auto), modelOf(t, asked)
	if fmt.Sprint(a.Dense, a.Sparse, a.Keys, a.Bias) != fmt.Sprint(b.Dense, b.Sparse, b.Keys, b.Bias) || a.Meta.Text != b.Meta.Text {
		t.Error("another model than with the families given")
	}
	in := packedFile(pack(t, small.input(), left.Pack(), 0))
	packed, _ := mustTrain(t, in, left)
	if c := modelOf(t, packed); fmt.Sprint(a.Dense, a.Sparse, a.Keys, a.Bias) != fmt.Sprint(c.Dense, c.Sparse, c.Keys, c.Bias) {
		t.Error("another model from the packed corpus")
	}
	if _, _, err := nbsvm.Train(t.Context(), in, options()); err == nil || !strings.Contains(err.Error(), "word:1-2,char-wb:2-5") {
		t.Errorf("words alone of the packed corpus: %v", err)
	}
	tiny := small.with(func(s *shape) { s.docs = 40 })
	if _, report = mustTrain(t, tiny.input(), left); report.Bytes >= 10_000 || len(report.Options.Text.Families.List()) != 1 {
		t.Errorf("%d bytes of text: n-grams %v", report.Bytes, report.Options.Text.Families.List())
	}
	within := left
	within.Text.Families[1] = hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 3, NgramHi: 3}
	if _, report = mustTrain(t, small.input(), within); report.Options.Text.Families.String() != "word:1-2,char-wb:3-3" {
		t.Errorf("n-grams %v were asked for, taken were %v", within.Text.Families, report.Options.Text.Families)
	}
}
