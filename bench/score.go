package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// ScoreConfig measures scoring from file to file.
type ScoreConfig struct {
	Source  Source        `json:"Corpus"`
	Model   string        // path; empty to train one on the corpus
	Options nbsvm.Options // of that training
	Threads []int
	Runs    int
}

// DefaultScoreConfig scores 100,000 generated documents with a model trained on them,
// with one thread and all.
func DefaultScoreConfig() ScoreConfig {
	generated := DefaultCorpus()
	generated.Documents, generated.Words, generated.Lengths = 100_000, 200, logNormal
	return ScoreConfig{Source: Source{Generated: generated}, Options: nbsvm.DefaultOptions(), Threads: oneAndAll(), Runs: 5}
}

// validate reports the first setting out of its range.
func (c ScoreConfig) validate() error {
	if err := errors.Join(validRuns(c.Runs), validThreads(c.Threads)); err != nil {
		return err
	}
	return c.Options.Validate()
}

// Run measures. MB/s are of the files' bytes, compressed where they are; text MB/s of
// the text in them.
func (c ScoreConfig) Run(ctx context.Context, progress func(done, total int)) (*Report, error) {
	output, err := os.CreateTemp("", "nbsvm-bench-*.scores")
	if err != nil {
		return nil, fmt.Errorf("bench: a file for scores: %w", err)
	}
	output.Close()
	defer os.Remove(output.Name())
	var classifier *nbsvm.Classifier
	defer func() {
		if classifier != nil {
			classifier.Close()
		}
	}()
	return c.Source.measure(ctx, "score", c, c.Runs, progress, func(in nbsvm.Input) (cases []Case, err error) {
		if c.Model != "" {
			classifier, err = nbsvm.Open(c.Model)
		} else {
			classifier, _, err = nbsvm.Train(ctx, in, c.Options)
		}
		for _, threads := range c.Threads {
			cases = append(cases, Case{Labels("threads", threads), func(ctx context.Context) ([]Value, error) {
				return scoreFile(ctx, classifier, in, threads, output.Name())
			}})
		}
		return cases, err
	})
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
	size, err := fileSizes(in.Paths)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	var stats nbsvm.ScoreStats
	err = atomicfile.WriteFile(path, func(w io.Writer) error {
		stats, err = classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: threads}, render, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	return []Value{
		{"MB/s", Higher, size / 1e6 / seconds},
		{"text MB/s", Higher, float64(stats.Bytes) / 1e6 / seconds},
		{"documents/s", Higher, float64(stats.Documents) / seconds},
		{"s", Lower, seconds},
	}, nil
}

// fileSizes adds up the lengths of files.
func fileSizes(paths []string) (float64, error) {
	var size int64
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return float64(size), nil
}
