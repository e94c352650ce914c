package main

import (
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/bench/distributed"
)

type benchDistributedCmd struct {
	Workers     []int                 `group:"bench" placeholder:"N" help:"Numbers of machines (default: 2,4,8,16,32,64)."`
	Methods     []string              `group:"bench" placeholder:"NAME" help:"How their changes become one: adding, averaging, by column, newton, averaged once, or averaged once, C times workers; several are separated by semicolons (default: by column)." sep:";"`
	LocalEpochs []float64             `group:"bench" placeholder:"X" help:"Updates of a machine in a round, as a part of its documents (default: 1)."`
	Factors     []float64             `group:"bench" placeholder:"X" help:"What sigma' is of the least that is safe, at most 1 (default: 1)."`
	Shares      []string              `group:"bench" placeholder:"NAME" help:"What documents a machine has: random, or contiguous ones of the input (default: random)."`
	Networks    []distributed.Network `group:"bench" placeholder:"GBIT@LATENCY" help:"Networks to tell the time with (default: 1@1ms,10@0.1ms,25@0.1ms)."`
	MaxRounds   int                   `group:"bench" placeholder:"N" help:"Rounds after which a gap counts as not reached; epochs, where rounds are shorter (default: 100)."`
	Classes     int                   `group:"bench" placeholder:"N" help:"Of more than two classes, how many are trained (default: all)."`
	Losses      []string              `group:"bench" placeholder:"NAME" help:"Losses to solve for (default: squared-hinge)."`
	Tols        []float64             `group:"bench" placeholder:"X" help:"Relative duality gaps to reach (default: 0.01,0.001)."`
	trainingFlags
}

func (b *benchDistributedCmd) Help() string {
	return `Simulates that several machines train one model: each makes updates on its own documents, and changes of
the weights are added up once a round. Told are rounds and epochs to a certified duality gap, MB that a
machine sends and receives (dense: of all n-grams that several machines have; changes: of those that have
changed, alone), the processor time of the slowest machines (s) and of all, and the time with the
messages in networks of so many gigabits a second and such a latency. A round of Newton's method is a
gradient or a product with the Hessian, of all documents. One document in ten is held out
for the accuracy of two classes. Machines run one after the other, with one thread each, once unless
--runs says otherwise.

    nbsvm bench distributed --workers 4,16 reviews.tsv
    nbsvm bench distributed --methods 'adding;by column' --local-epochs 0.1,1 --losses hinge reviews.tsv`
}

func (b *benchDistributedCmd) Run(c *call) error {
	return b.measure(c, "distributed", func(config *bench.Config) error {
		given(&config.Losses, b.Losses)
		given(&config.Tols, b.Tols)
		if b.C != nil {
			config.Cs = []float64{*b.C}
		}
		given(&config.Workers, b.Workers)
		for i := range b.Methods {
			b.Methods[i] = strings.TrimSpace(b.Methods[i])
		}
		given(&config.Methods, b.Methods)
		given(&config.LocalEpochs, b.LocalEpochs)
		given(&config.Factors, b.Factors)
		given(&config.Shares, b.Shares)
		given(&config.Networks, b.Networks)
		if b.MaxRounds != 0 {
			config.MaxRounds = b.MaxRounds
		}
		config.Classes = b.Classes
		return nil
	})
}
