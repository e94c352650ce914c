package display

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// FuzzAppend reads strings back with encoding/json, which must not see
// a difference to those that it writes itself.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c", "\x00\x1f\x7f", "\xff\xfe", "\u2028é情😀", "<&>", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := AppendJSON([]byte("x"), s)[1:]
		if strings.ContainsAny(string(text), "\n\r\t") {
			t.Fatalf("%q becomes more than one field: %q", s, text)
		}
		standard, err := json.Marshal(s)
		must.OK(t, err)
		var got, want string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q becomes %s: %v", s, text, err)
		}
		must.OK(t, json.Unmarshal(standard, &want))
		if got != want {
			t.Fatalf("%q comes back as %q, want %q", s, got, want)
		}
		if utf8.ValidString(s) && got != s {
			t.Fatalf("%q comes back as %q", s, got)
		}
	})
}
