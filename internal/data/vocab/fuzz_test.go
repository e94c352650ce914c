package vocab

import (
	"slices"
	"testing"
)

// FuzzVocabulary counts and finds the n-grams of documents that a fuzzer writes, as a map does. A byte is an
// n-gram, spread over partitions and places in a table so that many have these in common, or ends a document.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte("one document\x00another one\x00"), uint8(0), uint8(1), false)
	f.Add([]byte("\x00\x00aaaa\x00abab\x00a"), uint8(3), uint8(2), true)
	f.Fuzz(func(t *testing.T, data []byte, bits, minDF uint8, bounded bool) {
		documents, document := [][]uint64{}, []uint64(nil)
		for i, b := range data {
			if b == 0 || i+1 == len(data) {
				slices.Sort(document)
				documents, document = append(documents, slices.Compact(document)), nil
				continue
			}
			h := uint64(b)
			document = append(document, cut(h<<(bits%57)|h<<57|h<<zeroBits>>(bits%8)))
		}
		c := counting{minDF: uint32(minDF%4) + 1, threads: 1 + int(bits%2), together: 1 + int(minDF%3), stored: minDF%2 > 0, valued: bits%2 > 0}
		if bounded {
			c.memory, c.folder = 64, t.TempDir()
		}
		c.check(t, documents)
	})
}
