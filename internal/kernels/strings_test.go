package kernels

import (
	"math/rand/v2"
	"testing"
)

// referencePlainPrefix is what the words of PlainPrefix's comment say.
func referencePlainPrefix(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < 0x20 {
			return i
		}
	}
	return len(text)
}

// TestPlainPrefix puts every byte at every place of texts of all lengths, with others
// behind it and before it that are all but what is looked for.
func TestPlainPrefix(t *testing.T) {
	neighbours := []byte("!#[] \x7f\x80\x9f\xa2\xdc\xff")
	r := rand.New(rand.NewPCG(51, 52))
	for n := range 200 {
		text := make([]byte, n)
		for i := range text {
			text[i] = neighbours[r.IntN(len(neighbours))]
		}
		if got := PlainPrefix(text); got != n {
			t.Fatalf("%q: %d", text, got)
		}
		for at := range text {
			before := text[at]
			for c := range 256 {
				if n%64 > 3 && c%16 > 2 {
					continue // it would take long
				}
				text[at] = byte(c)
				if got, want := PlainPrefix(text), referencePlainPrefix(text); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
			text[at] = before
		}
	}
}
