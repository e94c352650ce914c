package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchTrainCmd struct {
	threadsFlag
	benchFlags
	corpusFlags
	trainFlags
}

func (b *benchTrainCmd) Help() string {
	return `Whole trainings, from the files to a model in memory: seconds in all and per stage, MB/s of text, the
peak of memory where the system tells it, and that divided by the matrix's non-zeros.

    nbsvm bench train --by-threads 1,2 reviews.tsv`
}

func (b *benchTrainCmd) Run(c *call) (err error) {
	config := bench.DefaultTrainConfig()
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	if config.Options, err = b.options(c, nil); err != nil {
		return err
	}
	if b.Quick {
		config.Source.Generated.Documents = 5_000
	}
	if config.Source, err = b.source(c, config.Source.Generated); err != nil {
		return err
	}
	b.apply(c, &config.Threads)
	return b.measure(c, config)
}
