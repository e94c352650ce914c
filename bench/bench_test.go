package bench

import (
	"io"
	"testing"
)

func BenchmarkCorpus(b *testing.B) {
	c := defaultCorpus()
	size := len(generate(b, c, 1))
	b.SetBytes(int64(size))
	for b.Loop() {
		if err := c.WriteTSV(b.Context(), io.Discard, 1); err != nil {
			b.Fatal(err)
		}
	}
}
