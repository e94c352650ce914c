package main

import (
	"fmt"
	"io"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/dataset"
)

// packed says whether packed corpora are to be merged: all are, or none is.
func (m *mergeCmd) packed() (bool, error) {
	first := m.Shards[0]
	packed := nbsvm.IsPacked(first)
	for _, path := range m.Shards[1:] {
		if nbsvm.IsPacked(path) == packed {
			continue
		}
		for _, either := range []string{first, path} { // what is not there is not packed
			if _, err := os.Stat(either); err != nil {
				return false, err
			}
		}
		return false, fmt.Errorf("of %s and %s, one is a packed corpus and the other is not", first, path)
	}
	return packed, nil
}

func (m *mergeCmd) mergePacked(c *call) error {
	o := dataset.MergeOptions{MinDF: 1, Threads: c.Threads}
	set(&o.MinDF, m.MinDF)
	if o.MinDF < 1 {
		return usageError{fmt.Errorf("--min-df is %d, want 1 or more", o.MinDF)}
	}
	if err := checkTemp(m.Temp); err != nil {
		return err
	}
	o.Temp = tempFolder(m.Temp, m.Output)
	var report *dataset.Report
	err := c.writeOutput(m.Output, func(w io.Writer) (err error) {
		report, err = dataset.Merge(c.ctx, m.Shards, o, w)
		return err
	})
	if err != nil {
		return err
	}
	return summarisePack(c, m.Output, report)
}
