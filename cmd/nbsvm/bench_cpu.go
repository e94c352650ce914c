package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchCPUCmd struct{ benchFlags }

func (b *benchCPUCmd) Help() string {
	return `How fast this machine reads memory in order, with one thread and with all (--threads), and how long an
access to one 8-byte entry takes at random in tables of several sizes: what no kernel can beat. Other
jobs on the machine show in the ranges.`
}

func (b *benchCPUCmd) Run(c *call) (err error) {
	config := bench.DefaultCPUConfig()
	if b.Quick {
		config = config.Quick()
	}
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	config.Threads = c.Threads
	return b.measure(c, config)
}
