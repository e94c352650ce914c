// Package tagtest makes sentences with tags, for tests.
package testkit

import (
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Chunked returns n sentences in columns: words, parts of speech, and chunks, which words before and behind tell apart.
func Chunked(n int, seed uint64) string {
	var b strings.Builder
	r := xmath.SplitMix(seed)
	for range n {
		for range 1 + r.IntN(4) {
			switch r.IntN(3) {
			case 0:
				fmt.Fprintf(&b, "the D B-NP\nword%d N I-NP\n", r.IntN(20))
			case 1:
				fmt.Fprintf(&b, "word%d V B-VP\n", r.IntN(20))
			default:
				fmt.Fprintf(&b, "in P O\nNew N B-NP\nTown%d N I-NP\n", r.IntN(9))
			}
		}
		b.WriteString(". . O\n\n")
	}
	return b.String()
}
