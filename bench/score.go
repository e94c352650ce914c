package bench

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// scoreDefaults score 100,000 generated documents with a model trained on them.
func scoreDefaults(c *Config, quick bool) {
	c.Generated.Documents, c.Generated.Words, c.Generated.Lengths = 100_000, 200, logNormal
	if quick {
		c.Generated.Documents = 20_000
	}
}

// scoreCases measure scoring from file to file. MB/s are of the files' bytes, compressed
// where they are; text MB/s of the text in them.
func scoreCases(ctx context.Context, j *job) (cases []Case, err error) {
	var classifier *nbsvm.Classifier
	if j.Model != "" {
		classifier, err = nbsvm.Open(j.Model)
	} else {
		classifier, _, err = nbsvm.Train(ctx, j.in, j.Options)
	}
	for _, threads := range j.Threads {
		cases = append(cases, Case{Labels("threads", threads), func(ctx context.Context) ([]Value, error) {
			return scoreFile(ctx, classifier, j.in, threads, filepath.Join(j.folder, "scores"))
		}})
	}
	return cases, err
}

func scoreFile(ctx context.Context, classifier *nbsvm.Classifier, in nbsvm.Input, threads int, path string) ([]Value, error) {
	labels := classifier.Labels()
	render := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
		if p != nil && len(p.Labels) > 0 {
			dst = append(append(dst, labels[p.Labels[0]]...), '\t')
			dst = strconv.AppendFloat(dst, p.Scores[p.Labels[0]], 'g', 6, 32)
		}
		return append(dst, '\n')
	}
	var size int64
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		size += info.Size()
	}
	start := time.Now()
	var stats nbsvm.ScoreStats
	err := atomicfile.WriteFile(path, func(w io.Writer) (err error) {
		stats, err = classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: threads}, render, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	return []Value{
		{"MB/s", higher, float64(size) / 1e6 / seconds},
		{"text MB/s", higher, float64(stats.Bytes) / 1e6 / seconds},
		{"documents/s", higher, float64(stats.Documents) / seconds},
		{"s", lower, seconds},
	}, nil
}
