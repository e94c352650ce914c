package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchSolveCmd struct {
	Losses []string  `group:"bench" placeholder:"NAME" help:"Losses to solve for (default: ${losses})."`
	Cs     []float64 `name:"Cs" group:"bench" placeholder:"X" help:"Values of C (default: that of --C)."`
	Tols   []float64 `group:"bench" placeholder:"X" help:"Relative duality gaps to reach (default: ${tols}; the first two with --quick)."`
	benchFlags
	corpusFlags
	trainFlags
}

func (b *benchSolveCmd) Help() string {
	return `The corpus is read once; in every run its matrix is laid out and then solved for each loss, C and gap.
Of the stage solve, s is the time in the solver, summed over classes; wall s has the ratio and the
interpolation as well; ns/nnz is solver time over the non-zeros of the rows visited.

    nbsvm bench solve --Cs 0.01,1 --ngrams 1-3 reviews.tsv`
}

func (b *benchSolveCmd) Run(c *call) (err error) {
	config := bench.DefaultSolveConfig()
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	if config.Options, err = b.options(c, nil); err != nil {
		return err
	}
	if config.Source, err = b.source(c, config.Source.Generated); err != nil {
		return err
	}
	config.Cs = []float64{config.Options.C}
	if b.Quick {
		config.Tols = config.Tols[:2]
	}
	given(&config.Losses, b.Losses)
	given(&config.Cs, b.Cs)
	given(&config.Tols, b.Tols)
	return b.measure(c, config)
}
