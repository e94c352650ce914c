package hashing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestFamilyText(t *testing.T) {
	for text, want := range map[string]Family{
		"word:1-2": {Word, 1, 2}, "char:3": {Char, 3, 3}, "char-wb": {CharWB, 0, 0}, "space:8-8": {Space, 8, 8},
	} {
		var f Family
		if err := f.UnmarshalText([]byte(text)); err != nil || f != want {
			t.Errorf("%s is read as %+v, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		"words:1-2": `unknown tokenizer "words"`, "word:": "no orders", "char:a-b": "no orders", "char:2-": "no orders",
		"": `unknown tokenizer ""`, "word:1-2-3": "no orders",
	} {
		f := Family{Word, 1, 2}
		if err := f.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || f != (Family{Word, 1, 2}) {
			t.Errorf("%q is read as %+v, error %v, want one with %q", text, f, err, want)
		}
	}
}

func TestFamilies(t *testing.T) {
	o := DefaultOptions()
	var err error
	o.Families, err = NewFamilies(Family{CharWB, 2, 5}, Family{Word, 1, 3})
	must.OK(t, err)
	if o.Families != (Families{{Word, 1, 3}, {CharWB, 2, 5}}) {
		t.Fatalf("options are %+v", o)
	}
	text, err := json.Marshal(o)
	if err != nil || !strings.Contains(string(text), `{"families":["word:1-3","char-wb:2-5"],"lowercase":true`) {
		t.Fatalf("as JSON %s, %v", text, err)
	}
	var back Options
	if err := json.Unmarshal(text, &back); err != nil || back != o {
		t.Fatalf("read back is %+v, %v", back, err)
	}
	if option, _, _ := o.Diff(DefaultOptions()); option != "n-grams" {
		t.Errorf("they differ in %q", option)
	}
	if s := o.String(); !strings.HasPrefix(s, "word tokens, 1-3-grams, char-wb tokens, 2-5-grams, lowercase") {
		t.Error(s)
	}
	if _, err := NewFamilies(Family{Char, 1, 2}, Family{Char, 4, 5}); err == nil || !strings.Contains(err.Error(), "the tokenizer char occurs twice") {
		t.Errorf("error is %v", err)
	}
	for _, bad := range []string{
		`{}`, `{"families":["word:1","nothing:1"]}`, `{"families":["word:1","word:2"]}`, `{"families":7}`,
		`{"families":["word:1","char:1","space:1","char-wb:1","word:2"]}`, `{"families":[7]}`, `[]`,
	} {
		read := Options{Bits: 40}
		if err := json.Unmarshal([]byte(bad), &read); err == nil && read.Validate() == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestFamiliesDoNotCollide: the same characters are other features in another family.
func TestFamiliesDoNotCollide(t *testing.T) {
	o := DefaultOptions()
	var err error
	o.Families, err = NewFamilies(Family{Word, 1, 1}, Family{Char, 1, 1}, Family{Space, 1, 1}, Family{CharWB, 1, 1})
	must.OK(t, err)
	names := map[string]bool{}
	hashes := map[uint64]bool{}
	for hash, name := range newExtractor(t, o).Ngrams([]byte("a")) {
		names[string(name)], hashes[hash] = true, true
	}
	if want := 1 + 2 + 1 + 2; len(hashes) != want || len(names) != want { // of characters, the space too
		t.Errorf("%d hashes and %d names, want %d: %v", len(hashes), len(names), want, names)
	}
}
