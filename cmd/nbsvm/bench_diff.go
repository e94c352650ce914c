package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm/bench"
)

type benchDiffCmd struct {
	Old string `arg:"" help:"Report, as nbsvm bench --json writes it."`
	New string `arg:"" help:"Report of the same workload to compare with it."`
}

func (d *benchDiffCmd) Help() string {
	return `For every case and metric: the medians, their change, and the p-value of the Mann-Whitney U test
that nothing changed. A change that chance explains (p 0.05 or more) is shown as ~. Take both reports
on the same quiet machine, with four or more samples each.

    nbsvm bench solve --json > old.json
    nbsvm bench solve --json > new.json
    nbsvm bench diff old.json new.json`
}

func (d *benchDiffCmd) Run(c *call) error {
	before, errOld := readBenchReport(d.Old)
	after, errNew := readBenchReport(d.New)
	if err := errors.Join(errOld, errNew); err != nil {
		return err
	}
	comparison, err := bench.Diff(before, after)
	if err != nil {
		return err
	}
	return c.printReport(comparison)
}

func readBenchReport(path string) (*bench.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := bench.ReadReport(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
