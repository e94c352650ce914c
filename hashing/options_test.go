package hashing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestDefaultOptions(t *testing.T) {
	o := DefaultOptions()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(o)
	must.OK(t, err)
	const want = `{"families":["word:1-2"],"lowercase":true,"punctuation":true,"strip_html":false,"bits":40,"seed":1}`
	if string(text) != want {
		t.Errorf("as JSON %s, want %s", text, want)
	}
	for _, tokenizer := range []Tokenizer{Word, Char, Space, CharWB} {
		o.Families[0].Tokenizer, o.Seed = tokenizer, 1<<64-1
		text, err := json.Marshal(o)
		must.OK(t, err)
		var back Options
		if err := json.Unmarshal(text, &back); err != nil || back != o {
			t.Errorf("%s read back is %+v, %v", text, back, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"char-wb, got 5": func(o *Options) { o.Families[0].Tokenizer = 5 },
		"shortest n-gram must be 1 to 8 tokens, got 0":               func(o *Options) { o.Families[0].NgramLo = 0 },
		"shortest n-gram must be 1 to 8 tokens, got 9":               func(o *Options) { o.Families[0].NgramLo, o.Families[0].NgramHi = 9, 9 },
		"longest n-gram must be 2 (the shortest) to 8 tokens, got 1": func(o *Options) { o.Families[0].NgramLo, o.Families[0].NgramHi = 2, 1 },
		"longest n-gram must be 1 (the shortest) to 8 tokens, got 9": func(o *Options) { o.Families[0].NgramHi = 9 },
		"Bits must be 8 to 64, got 7":                                func(o *Options) { o.Bits = 7 },
		"64, got 65":                                                 func(o *Options) { o.Bits = 65 },
		"got word:1-2 after char:2-3": func(o *Options) {
			o.Families[0].Tokenizer, o.Families[0].NgramLo, o.Families[0].NgramHi, o.Families[1] = Char, 2, 3, Family{Word, 1, 2}
		},
		"got word:3-3 after word:1-2":  func(o *Options) { o.Families[1] = Family{Word, 3, 3} },
		"char-wb, got 9":               func(o *Options) { o.Families[1] = Family{9, 1, 1} },
		"must be 1 to 8 tokens, got 0": func(o *Options) { o.Families[2] = Family{Char, 1, 1} },
		"to 8 tokens, got 12":          func(o *Options) { o.Families[1] = Family{Char, 1, 12} },
	} {
		o := DefaultOptions()
		change(&o)
		err := o.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), "hashing: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
		if _, err := NewExtractor(o); err == nil {
			t.Errorf("NewExtractor takes options with %s", want)
		}
	}
}

func TestTokenizerText(t *testing.T) {
	for tokenizer, name := range map[Tokenizer]string{Word: "word", Char: "char", Space: "space", CharWB: "char-wb"} {
		text, err := tokenizer.MarshalText()
		if err != nil || string(text) != name || tokenizer.String() != name {
			t.Errorf("%d is %q and %q, %v, want %q", tokenizer, text, tokenizer, err, name)
		}
		back := Tokenizer(77)
		if err := back.UnmarshalText([]byte(name)); err != nil || back != tokenizer {
			t.Errorf("%q is %v, %v", name, back, err)
		}
	}
	if _, err := Tokenizer(9).MarshalText(); err == nil {
		t.Error("9 is a tokenizer")
	}
	if s := Tokenizer(9).String(); s != "Tokenizer(9)" {
		t.Errorf("String is %q", s)
	}
	var k Tokenizer
	for _, bad := range []string{"", "Word", "words", strings.Repeat("x", 1<<20)} {
		err := k.UnmarshalText([]byte(bad))
		if err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), "word, char, space, char-wb") {
			t.Errorf("error of a bad name is %.300v", err)
		}
	}
}
