package bench

import (
	"io"
	"testing"
)

func BenchmarkCorpus(b *testing.B) {
	c := DefaultCorpus()
	size := len(generate(b, c))
	b.SetBytes(int64(size))
	for b.Loop() {
		if err := c.WriteTSV(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
