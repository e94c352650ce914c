package train

import (
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestMinDF: rare n-grams are left out of very many documents alone, and not where classes are small.
func TestMinDF(t *testing.T) {
	many := func(classes int, documents int64) (sizes []int64) {
		for range classes {
			sizes = append(sizes, documents/int64(classes))
		}
		return sizes
	}
	words, chars := hashing.DefaultOptions(), hashing.DefaultOptions()
	chars.Tokenizer = hashing.Char
	for _, test := range []struct {
		documents  int64
		classes    []int64
		want       int
		characters int
	}{
		{0, nil, 2, 2},
		{24_575, many(2, 24_575), 2, 2},
		{24_576, many(2, 24_576), 2, 3},
		{1 << 40, nil, 1 << 12, 128}, // of no classes
		{589_823, many(2, 589_823), 2, 71},
		{589_824, many(2, 589_824), 3, 72},
		{1 << 22, many(2, 1<<22), 8, 128},
		{1 << 20, many(1<<16, 1<<20), 2, 2}, // 16 documents each
		{1 << 20, many(1<<10, 1<<20), 4, 16},
		{1 << 22, many(1<<14, 1<<22), 4, 4}, // 256 documents each
		{1 << 20, []int64{1, 1<<20 - 1}, 2, 2},
		{1 << 20, append(many(19, 1<<20-1), 1), 4, 128},    // one mistaken label
		{1 << 20, append(many(9, 1<<20-128), 128), 4, 128}, // one of ten classes is small
		{1 << 20, append(many(8, 1<<20-256), 128, 128), 2, 2},
	} {
		for text, want := range map[*hashing.Options]int{&words: test.want, &chars: test.characters} {
			if got := MinDFFor(*text, test.documents, test.classes); got != want {
				t.Errorf("%s, %d documents, %d classes: %d, want %d", text.Tokenizer, test.documents, len(test.classes), got, want)
			}
		}
	}
}
