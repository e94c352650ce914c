package bench

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

func input(data []byte) nbsvm.Input {
	in := nbsvm.Input{Stdin: bytes.NewReader(data), Options: corpus.DefaultOptions()}
	in.Format = corpus.TSV
	return in
}

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

// BenchmarkTrain is text to model in memory.
func BenchmarkTrain(b *testing.B) {
	data := generate(b, DefaultCorpus())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := nbsvm.Train(context.Background(), input(data), nbsvm.DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScore is text to rows of labels and margins.
func BenchmarkScore(b *testing.B) {
	data := generate(b, DefaultCorpus())
	classifier, _, err := nbsvm.Train(context.Background(), input(data), nbsvm.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	render := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
		return append(append(dst, classifier.Labels()[p.Labels[0]]...), '\n')
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		in := input(data)
		in.Unlabelled = true
		if _, err := classifier.Score(context.Background(), in, nbsvm.ScoreOptions{}, render, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
