package bench

import (
	"io"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func BenchmarkCorpus(b *testing.B) {
	c := defaultCorpus()
	size := len(generate(b, c, 1))
	b.SetBytes(int64(size))
	for b.Loop() {
		must.OK(b, c.WriteTSV(b.Context(), io.Discard, 1))
	}
}
