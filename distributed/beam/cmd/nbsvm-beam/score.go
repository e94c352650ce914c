package main

import (
	"context"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	nbsvmbeam "github.com/seed-167f963f/nbsvm/distributed/beam"
)

type scoreCmd struct {
	nbsvmbeam.ScoreOptions
	Shards []string `arg:"" help:"Files of documents, or patterns in quotes: 'gs://bucket/web/*.jsonl.zst'."`
	summaryFlag
}

// Help is printed below the flags' own.
func (s *scoreCmd) Help() string {
	return `Flags are those of nbsvm score, and so are the outputs, byte for byte. --rejects and --on-bad
quarantine=FOLDER take folders. Paths may begin with gs:// or s3://.

A worker takes whole files. A job that has failed, or was stopped, is run again by the same command: files
that are there, of inputs that have not changed, are passed over. Of a file that can't be read nothing is
made; the others are finished, then the exit code is 1. It is 4 if bad files were
skipped, and 3 if outputs lack bad records.

    nbsvm-beam score --where 'p >= 0.9' --out-dir good web.nbm 'web/*.jsonl.zst'
    nbsvm-beam score --runner flink --endpoint localhost:8099 --environment_type EXTERNAL \
        --environment_config localhost:50000 --out-dir gs://b/scores gs://b/web.nbm 'gs://b/web/*.jsonl.zst'`
}

// Run scores.
func (s *scoreCmd) Run(ctx context.Context, stderr io.Writer) error {
	p, root := beam.NewPipelineWithRoot()
	made, err := nbsvmbeam.Score(root, nbsvmbeam.Match(root, s.Shards...), s.ScoreOptions)
	if err != nil {
		return usageError{err}
	}
	return s.finish(ctx, p, root, made, s.OutDir, "scored", s.OnBad, stderr)
}
