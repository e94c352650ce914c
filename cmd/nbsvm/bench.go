package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
)

type benchCmd struct {
	Solve benchSolveCmd `cmd:"" help:"Measure the solver: time, epochs and gap for each loss."`
	Diff  benchDiffCmd  `cmd:"" help:"Compare two reports of the same workload."`
}

// benchFlags are the flags of every workload.
type benchFlags struct {
	Runs  int  `group:"bench" placeholder:"N" help:"Samples of each case, taken in turns (default: ${runs}; 3 with --quick)."`
	Quick bool `group:"bench" help:"Fewer cases and samples, to finish within a minute."`
}

// runs is how many samples to take, where a workload takes so many by default.
func (f benchFlags) runs(byDefault int) (int, error) {
	switch {
	case f.Runs < 0:
		return 0, usageError{fmt.Errorf("--runs is %d, want 1 or more", f.Runs)}
	case f.Runs > 0:
		return f.Runs, nil
	case f.Quick:
		return 3, nil
	}
	return byDefault, nil
}

// print shows a report as a table, or as JSON.
func (f benchFlags) print(c *call, r *bench.Report, err error) error {
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.out, r)
	}
	return r.WriteText(c.out)
}

// sampled shows how many samples have been taken.
func (p *progress) sampled(done, total int) {
	p.show(nbsvm.Progress{Stage: "bench", Done: int64(done), Total: int64(total), Unit: "samples"})
}

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
	if c.JSON {
		return printJSON(c.out, comparison)
	}
	return comparison.WriteText(c.out)
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
