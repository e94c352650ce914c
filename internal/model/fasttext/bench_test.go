package fasttext

import (
	"bytes"
	"os"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// BenchmarkLanguages scores real texts with fastText's identifier of languages.
func BenchmarkLanguages(b *testing.B) {
	data, err := os.ReadFile(realData(b, "fasttext/lid.176.ftz"))
	must.OK(b, err)
	m, err := Read(data)
	must.OK(b, err)
	for _, name := range []string{"bible-langid/test.tsv.zst", "imdb/test.tsv.zst"} {
		b.Run(name, func(b *testing.B) {
			texts := bytes.SplitAfter(realTexts(b, name), []byte{'\n'})
			size := 0
			for i, text := range texts {
				if size += len(text); size > 10<<20 {
					texts = texts[:i]
					break
				}
			}
			s, scores := m.NewScorer(), make([]float64, len(m.labels))
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, text := range texts {
					if _, err := s.Score(text, scores, []int{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
