package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/seed-167f963f/nbsvm"
	nbsvmbeam "github.com/seed-167f963f/nbsvm/distributed/beam"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
)

type packCmd struct {
	Shards []string `arg:"" help:"Files of labelled documents, or patterns in quotes."`
	OutDir string   `required:"" placeholder:"FOLDER" help:"Write a part for every file, a packed corpus, to this folder; skip files that already exist."`
	summaryFlag

	flags.Input
	flags.BadFile

	Preset string `default:"${preset}" placeholder:"NAME" help:"Text options, those of train's preset (default: ${preset})."`
	Ngrams ngrams `required:"" placeholder:"LO-HI" help:"Orders of n-grams."`
	Values string `enum:"binary,count" default:"binary" placeholder:"KIND" help:"binary, or count to keep how often documents have n-grams (default: binary)."`
	Names  bool   `help:"Keep the texts of n-grams, for explain."`
	Memory int64  `placeholder:"BYTES" help:"About how much memory packing a part may take (default: 512 MiB)."`

	Threads      int `placeholder:"N" help:"Files that a worker process packs at the same time (default: as many as it has processors)."`
	ShardThreads int `placeholder:"N" help:"Threads for each of them (default: 1)."`
}

// Help is printed below the flags' own.
func (p *packCmd) Help() string {
	return `Parts are those of nbsvm pack --out-dir, byte for byte. nbsvm train takes them as they are, and nbsvm merge makes
one corpus of them.

    nbsvm-beam pack --ngrams 1-2 --out-dir gs://b/parts 'gs://b/web/*.jsonl.zst'`
}

// ngrams are orders of n-grams.
type ngrams struct{ lo, hi int }

func (n *ngrams) UnmarshalText(text []byte) error {
	lo, hi, _ := strings.Cut(string(text), "-")
	var wrong [2]error
	n.lo, wrong[0] = strconv.Atoi(lo)
	n.hi, wrong[1] = strconv.Atoi(hi)
	if errors.Join(wrong[:]...) != nil {
		return fmt.Errorf("orders of n-grams must be LO-HI, as in 1-2, got %q", text)
	}
	return nil
}

// Run packs.
func (p *packCmd) Run(ctx context.Context, stderr io.Writer) error {
	preset, err := nbsvm.PresetNamed(p.Preset)
	if err != nil {
		return usageError{err}
	}
	of := preset.Options()
	text := of.Pack().Text
	text.Families[0].NgramLo, text.Families[0].NgramHi = p.Ngrams.lo, p.Ngrams.hi
	pipeline, root := beam.NewPipelineWithRoot()
	made, err := nbsvmbeam.Pack(root, nbsvmbeam.Match(root, p.Shards...), nbsvmbeam.PackOptions{
		OutDir: p.OutDir, Text: text, Counts: p.Values == "count", Names: p.Names, Memory: p.Memory, Input: p.Input,
		BadFile: p.BadFile,
		Threads: p.Threads, ShardThreads: p.ShardThreads,
	})
	if err != nil {
		return usageError{err}
	}
	return p.finish(ctx, pipeline, root, made, p.OutDir, "packed", p.OnBad, stderr)
}
