package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchKernelsCmd struct {
	Kernel []string `group:"bench" placeholder:"NAME" help:"Kernels to measure (default: all)."`
	Impl   []string `group:"bench" placeholder:"NAME" help:"Implementations to measure (default: all that this CPU runs and that are not for text alone)."`
	benchFlags
}

func (b *benchKernelsCmd) Help() string {
	return `Every kernel in every implementation that this CPU runs, over random rows of several lengths in tables
of several sizes, and how near it comes to what the hardware allows for the same accesses.

    nbsvm bench kernels --quick
    nbsvm bench kernels --kernel SumSlots,AddSlots --impl generic`
}

func (b *benchKernelsCmd) Run(c *call) (err error) {
	config := bench.DefaultKernelsConfig()
	if b.Quick {
		config = config.Quick()
	}
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	config.Kernels, config.Implementations = b.Kernel, b.Impl
	return b.measure(c, config)
}
