package choices

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestChoicesApply: what is not chosen stays, and what is says what goes with it.
func TestChoicesApply(t *testing.T) {
	given := func(change func(*nbsvm.Options)) nbsvm.Options {
		o := nbsvm.DefaultOptions()
		change(&o)
		return o
	}
	char, word, svm, logistic, four := hashing.Char, hashing.Word, nbsvm.SVM, nbsvm.Logistic, 4.0
	yes := true
	wordAndChars := []hashing.Family{{Tokenizer: hashing.Word}, {Tokenizer: hashing.CharWB}}
	both, err := nbsvm.DefaultOptions().Text.WithFamilies(hashing.Family{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5})
	must.OK(t, err)
	for name, test := range map[string]struct {
		choices    Choices
		from, want nbsvm.Options
	}{
		"nothing":       {Choices{}, nbsvm.DefaultOptions(), nbsvm.DefaultOptions()},
		"characters":    {Choices{Text: Text{Tokens: Tokens{Tokenizer: &char}}}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Text.Tokenizer, o.Text.NgramHi, o.AutoNgrams = char, 5, false })},
		"orders":        {Choices{Ngrams: &Orders{Lo: 2, Hi: 3}}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 2, 3, false })},
		"features":      {Choices{Features: wordAndChars}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Text = both })},
		"one tokenizer": {Choices{Text: Text{Tokens: Tokens{Tokenizer: &word}}}, given(func(o *nbsvm.Options) { o.Text = both }), nbsvm.DefaultOptions()},
		"logistic":      {Choices{Model: &logistic}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Kind, o.C = nbsvm.Logistic, 16 })},
		"logistic, C":   {Choices{Model: &logistic, C: &four}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Kind, o.C = nbsvm.Logistic, 4 })},
		"another model": {Choices{Model: &svm}, given(func(o *nbsvm.Options) { o.Loss, o.C = "logistic", 12 }), given(func(o *nbsvm.Options) { o.Kind, o.C = nbsvm.SVM, 12 })},
		"the default":   {Choices{Normalize: &yes}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.AutoKind = false })},
		"beta":          {Choices{Beta: &Beta{Value: 0.5}}, nbsvm.DefaultOptions(), given(func(o *nbsvm.Options) { o.Beta, o.AutoBeta = 0.5, false })},
		"beta, auto":    {Choices{Beta: &Beta{Auto: true}}, given(func(o *nbsvm.Options) { o.Beta, o.AutoBeta = 0.5, false }), nbsvm.DefaultOptions()},
	} {
		if got, err := test.choices.Apply(test.from); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, test.want)
		}
	}
	contradiction := Choices{Features: wordAndChars, Text: Text{Tokens: Tokens{Tokenizer: &char}}}
	if _, err := contradiction.Apply(nbsvm.DefaultOptions()); err == nil {
		t.Error("features are taken beside a tokenizer")
	}
}

// TestAdvice warns of word n-grams alone where the default would take characters, and of nothing else.
func TestAdvice(t *testing.T) {
	orders, auto := &Orders{Lo: 1, Hi: 2}, &Orders{Auto: true}
	var words, characters hashing.Options
	words.NgramLo, words.NgramHi = 1, 2
	characters.Tokenizer = hashing.Char
	for _, test := range []struct {
		ngrams *Orders
		text   hashing.Options
		bytes  int64
		want   string
	}{
		{orders, words, 100_000, "--features word:1-2,char:2-5"},
		{orders, words, 9_999, ""},
		{orders, words, 4_000_000, ""},
		{auto, words, 100_000, ""},
		{nil, words, 100_000, ""},
		{orders, characters, 100_000, ""},
	} {
		c := Choices{Ngrams: test.ngrams}
		got := c.Advice(&nbsvm.Report{Options: nbsvm.Options{Text: test.text}, Bytes: test.bytes})
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%v, %d bytes: got %q, want %q", test.ngrams, test.bytes, got, test.want)
		}
	}
}
