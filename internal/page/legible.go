package page

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Limits of what is shown, in characters.
const (
	longestName = 120  // a label, an n-gram, a flag's value
	longestText = 4000 // a document
)

// legible returns a text as it can be shown: valid UTF-8, at most so many characters, without control characters and
// marks of direction. An empty one is shown as such.
func legible(text string, most int) string {
	if text == "" {
		return "(empty)"
	}
	return cut(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && display.Steers(r) {
			return '␣'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")), most)
}

// cut returns the beginning of a text, with an ellipsis if there is more.
func cut(text string, most int) string {
	n := 0
	for at := range text {
		if n++; n > most {
			return text[:at] + "…"
		}
	}
	return text
}

// cutBytes returns the beginning of a text, at most so many characters.
func cutBytes(text []byte, most int) ([]byte, bool) {
	at := 0
	for n := 0; n < most && at < len(text); n++ {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return text[:at], at < len(text)
}
