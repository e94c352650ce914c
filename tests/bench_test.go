package tests

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// sized is a corpus of a benchmark: about 100 bytes a document.
func sized(classes int) (docs int, data []byte) {
	s := shape{docs: 20000, classes: classes, vocabulary: 50000, words: 20, signal: 0.2, seed: 1}
	return s.docs, tsv(s.records())
}

func perSecond(b *testing.B, docs int) {
	b.ReportMetric(float64(docs)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkTrain(b *testing.B) {
	for _, classes := range []int{2, 20} {
		docs, data := sized(classes)
		for name, change := range map[string]func(*nbsvm.Options){
			"nbsvm":      func(*nbsvm.Options) {},
			"calibrated": func(o *nbsvm.Options) { o.Calibrate = true },
			"mnb":        func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial },
			"logistic":   func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic },
		} {
			b.Run(fmt.Sprint(name, "/", classes), func(b *testing.B) {
				o := nbsvm.DefaultOptions()
				change(&o)
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					mustTrain(b, input(data, corpus.TSV), o)
				}
				perSecond(b, docs)
			})
		}
	}
}

func BenchmarkScore(b *testing.B) {
	label := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
		return append(dst, byte('0'+p.Labels[0]), '\n')
	}
	for _, classes := range []int{2, 20} {
		docs, data := sized(classes)
		for _, normalize := range []bool{false, true} {
			o := nbsvm.DefaultOptions()
			o.Normalize = normalize
			c, _ := mustTrain(b, input(data, corpus.TSV), o)
			b.Run(fmt.Sprint(classes, "/normalize=", normalize), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					in := corpus.Input{Stdin: bytes.NewReader(data), Format: corpus.TSV}
					if _, err := c.Score(context.Background(), in, nbsvm.ScoreOptions{}, label, io.Discard); err != nil {
						b.Fatal(err)
					}
				}
				perSecond(b, docs)
			})
		}
	}
}

// BenchmarkPredict scores one document at a time.
func BenchmarkPredict(b *testing.B) {
	_, data := sized(2)
	c, _ := mustTrain(b, input(data, corpus.TSV), nbsvm.DefaultOptions())
	s := newScorer(b, c)
	text := data[:bytes.IndexByte(data, '\n')]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Predict(text); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 1)
}
