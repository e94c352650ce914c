package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchScoreCmd struct {
	ModelFile string `name:"model-file" group:"bench" placeholder:"FILE" help:"Model to score with (default: one trained on the corpus, with the options of training)."`
	threadsFlag
	benchFlags
	corpusFlags
	trainFlags
}

func (b *benchScoreCmd) Help() string {
	return `Documents are read from the files, scored, and the scores written to a temporary file. MB/s is of the
files as they are, compressed or not; text MB/s of the text in them.

    nbsvm bench score --model-file reviews.nbm --by-threads 1,2,4 new.tsv`
}

func (b *benchScoreCmd) Run(c *call) (err error) {
	config := bench.DefaultScoreConfig()
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	if config.Options, err = b.options(c, nil); err != nil {
		return err
	}
	if b.Quick {
		config.Source.Generated.Documents = 20_000
	}
	if config.Source, err = b.source(c, config.Source.Generated); err != nil {
		return err
	}
	config.Model = b.ModelFile
	b.apply(c, &config.Threads)
	return b.measure(c, config)
}
