package fasttext

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// TestSubwords holds the n-grams that vectors find against those of the plain loop, of which the order is fastText's.
func TestSubwords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "b", "Z", "<", ">", "é", "Ж", "中", "ế", "😀", "\x80", "\xbf\xbf", "\xff", "\xc3", "\xe4\xb8", "\xf0\x9f"}
	s, after := &speller{}, " of a text that goes on for more than thirty-two bytes"
	for k := range 40_000 {
		m := &Model{Settings: Settings{MinN: r.IntN(5), Bucket: int64(1 + r.IntN(5000))}, words: r.IntN(9)}
		m.MaxN = max(1, m.MinN) + r.IntN(4)
		m.spans = kernels.NewSpanBuckets(uint32(m.Bucket))
		if k%2 == 0 {
			var ngrams []keptNgram
			for bucket := range m.Bucket {
				if r.IntN(4) == 0 {
					ngrams = append(ngrams, keptNgram{Bucket: uint32(bucket)})
				}
			}
			m.kept = newBitmap(m.Bucket, ngrams)
		}
		var token []byte
		kinds := 1 + r.IntN(len(pieces))
		for range r.IntN(2 + k%60) {
			token = append(token, pieces[r.IntN(kinds)]...)
		}
		got, want := s.appendSubwords(m, []uint32{7}, append(append([]byte("b "), token...), after[:r.IntN(len(after))]...), 2, 2+len(token)), m.appendSubwords([]uint32{7}, pad(nil, token))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q, %d to %d characters: rows %v, want %v", token, m.MinN, m.MaxN, got, want)
		}
	}
}
