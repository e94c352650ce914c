package scoring

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FuzzTSVLabel reads labels back.
func FuzzTSVLabel(f *testing.F) {
	for _, s := range []string{"", "plain", "a\tb\nc\rd", `back\slash`, `\t`, `\`, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, label string) {
		text := TSVLabel(label)
		if strings.ContainsAny(text, "\t\n\r") {
			t.Fatalf("%q becomes more than one field: %q", label, text)
		}
		if back := strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(text); back != label {
			t.Fatalf("%q comes back as %q", label, back)
		}
	})
}

func TestFastTextLabel(t *testing.T) {
	for label, want := range map[string]string{
		"pos": "__label__pos", "two words": "__label__two_words", "a\t\n\v\f\r\x00b": "__label__a______b", "": "__label__", "情感": "__label__情感",
	} {
		if got := fastTextLabel("__label__", label); got != want {
			t.Errorf("fastTextLabel(%q) = %s, want %s", label, got, want)
		}
	}
}

// TestAppendScore wants what JSON takes for a number, and reads back as the same one.
func TestAppendScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Float64Range(-1e300, 1e300).Draw(t, "score")
		text := string(appendScore(nil, score))
		if !json.Valid([]byte(text)) {
			t.Fatalf("%v becomes %s", score, text)
		}
		got, err := strconv.ParseFloat(text, 64)
		if err != nil || got != score {
			t.Fatalf("%v becomes %s", score, text)
		}
	})
}
