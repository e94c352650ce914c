package train

import (
	"reflect"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestChoicesApply: what is not chosen stays, and what is says what goes with it.
func TestChoicesApply(t *testing.T) {
	given := func(change func(*Options)) Options {
		o := DefaultOptions()
		change(&o)
		return o
	}
	char, word, svm, logistic, four := hashing.Char, hashing.Word, SVM, Logistic, 4.0
	wordAndChars := []hashing.Family{{Tokenizer: hashing.Word}, {Tokenizer: hashing.CharWB}}
	both, err := DefaultOptions().Text.WithFamilies(hashing.Family{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		choices    Choices
		from, want Options
	}{
		"nothing":       {Choices{}, DefaultOptions(), DefaultOptions()},
		"characters":    {Choices{Tokenizer: &char}, DefaultOptions(), given(func(o *Options) { o.Text.Tokenizer, o.Text.NgramHi, o.AutoNgrams = char, 5, false })},
		"orders":        {Choices{Ngrams: &Orders{Lo: 2, Hi: 3}}, DefaultOptions(), given(func(o *Options) { o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 2, 3, false })},
		"features":      {Choices{Features: wordAndChars}, DefaultOptions(), given(func(o *Options) { o.Text = both })},
		"one tokenizer": {Choices{Tokenizer: &word}, given(func(o *Options) { o.Text = both }), DefaultOptions()},
		"logistic":      {Choices{Kind: &logistic}, DefaultOptions(), given(func(o *Options) { o.Kind, o.C = Logistic, 16 })},
		"logistic, C":   {Choices{Kind: &logistic, C: &four}, DefaultOptions(), given(func(o *Options) { o.Kind, o.C = Logistic, 4 })},
		"another model": {Choices{Kind: &svm}, given(func(o *Options) { o.Loss, o.C = "logistic", 12 }), given(func(o *Options) { o.Kind, o.C = SVM, 12 })},
		"beta":          {Choices{Beta: &Beta{Value: 0.5}}, DefaultOptions(), given(func(o *Options) { o.Beta, o.AutoBeta = 0.5, false })},
		"beta, auto":    {Choices{Beta: &Beta{Auto: true}}, given(func(o *Options) { o.Beta, o.AutoBeta = 0.5, false }), DefaultOptions()},
	} {
		if got, err := test.choices.Apply(test.from); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, test.want)
		}
	}
	contradiction := Choices{Features: wordAndChars, Tokenizer: &char}
	if _, err := contradiction.Apply(DefaultOptions()); err == nil {
		t.Error("features are taken beside a tokenizer")
	}
}
