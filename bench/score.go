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
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// scoreDefaults score 50,000 generated documents of 200 words.
func scoreDefaults(c *Config, quick bool) {
	c.Generated.Documents, c.Generated.Words, c.Generated.Lengths = 50_000, 200, logNormal
	if quick {
		c.Generated.Documents = 20_000
	}
}

// scoreCases measure scoring from file to file. Either the files or the model may be generated; a generated model is of
// the files that were named, or of a fifth as many generated documents, others than are scored.
func scoreCases(ctx context.Context, j *job) (cases []Case, err error) {
	var classifier *nbsvm.Classifier
	if j.Model != "" {
		if classifier, err = nbsvm.Open(j.Model); err == nil {
			j.ends = append(j.ends, classifier.Close)
		}
	} else {
		known := j.in
		if len(j.Input.Paths) == 0 {
			c := j.Generated
			c.Documents, c.Seed = max(c.Documents/5, 10*c.Classes), c.Seed+1
			if known, err = j.generate(ctx, c); err != nil {
				return nil, err
			}
		}
		classifier, _, err = nbsvm.Train(ctx, known, j.Options)
	}
	if err != nil {
		return nil, err
	}
	for _, threads := range j.Threads {
		cases = append(cases, Case{Labels("threads", threads), func(ctx context.Context) ([]Value, error) {
			return scoreFile(ctx, classifier, j.in, threads, filepath.Join(j.folder, "scores"))
		}})
	}
	return cases, nil
}

// scoreFile scores the files, and writes the labels and their scores. Its rates all tell of the same time: file MB/s
// are of the files' bytes, compressed where they are, and text MB/s, the one to compare, of the text in them.
func scoreFile(
	ctx context.Context, classifier *nbsvm.Classifier, in corpus.Input, threads int, path string,
) ([]Value, error) {
	labels := classifier.Labels()
	render := func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
		if p != nil && len(p[0].Labels) > 0 {
			dst = append(append(dst, labels[p[0].Labels[0]]...), '\t')
			dst = strconv.AppendFloat(dst, p[0].Scores[p[0].Labels[0]], 'g', -1, 64)
		}
		return append(dst, '\n')
	}
	size := 0
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		size += int(info.Size())
	}
	start := time.Now()
	var stats nbsvm.ScoreStats
	err := osfile.WriteFile(path, func(w io.Writer) (err error) {
		stats, err = classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: threads}, render, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	return []Value{
		{"documents/s", float64(stats.Documents) / took.Seconds()},
		{"file MB/s", rate(size, took)},
		{"text MB/s", rate(int(stats.Bytes), took)},
	}, nil
}
