package main

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/bench"
)

type benchPackCmd struct {
	Documents  []int    `group:"bench" placeholder:"N" help:"Numbers of generated documents to measure with (default: 10000, 100000 and 1000000)."`
	PackMemory *byteArg `group:"bench" placeholder:"SIZE" help:"Memory to pack with (default: ${pack_memory})."`
	Temp       string   `group:"bench" placeholder:"FOLDER" help:"Where to write corpora and generated text (default: the system's folder for temporary files)."`
	benchFlags
	corpusFlags
	trainFlags
}

func (b *benchPackCmd) Help() string {
	return `How cost grows with the number of documents, in microseconds a document: packing to a file, laying out
the matrix from it, an epoch of the solver, scoring the texts; and MB/s of text when packing, bytes of
the corpus a non-zero, peak memory. n-grams are of orders 1-2, the gap is 1e-2, unless told otherwise.

    nbsvm bench pack --documents 10000,100000,1000000 --json > growth.json`
}

func (b *benchPackCmd) Run(c *call) (err error) {
	config := bench.DefaultPackConfig()
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	if b.PackMemory != nil {
		config.Memory = int64(*b.PackMemory)
	}
	flags, byDefault := b.trainFlags, config.Options
	if flags.Ngrams == nil {
		flags.Ngrams = &ngrams{lo: byDefault.Text.NgramLo, hi: byDefault.Text.NgramHi}
	}
	if flags.Tol == nil {
		flags.Tol = &byDefault.Tol
	}
	if flags.Names == nil {
		flags.Names = &byDefault.NamesLimit
	}
	if config.Options, err = flags.options(c, nil); err != nil {
		return err
	}
	if len(b.Input) > 0 && b.Documents != nil {
		return usageError{errors.New("--documents is for generated documents; leave it or the files out")}
	}
	if b.Quick {
		config.Documents = []int{1_000, 10_000, 100_000}
	}
	given(&config.Documents, b.Documents)
	if config.Source, err = b.source(c, config.Source.Generated); err != nil {
		return err
	}
	config.Source.Temp = b.Temp
	return b.measure(c, config)
}
