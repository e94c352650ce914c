package main

import (
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm"
)

// packed says whether packed corpora are to be merged: all are, or none is.
func (m *mergeCmd) packed() (bool, error) {
	packed := nbsvm.IsPacked(m.Shards[0])
	for _, path := range m.Shards[1:] {
		if nbsvm.IsPacked(path) != packed {
			return false, fmt.Errorf("of %s and %s, one is a packed corpus and the other is not", m.Shards[0], path)
		}
	}
	return packed, nil
}

func (m *mergeCmd) mergePacked(c *call) error {
	o := nbsvm.MergeOptions{MinDF: 1, Threads: c.Threads}
	set(&o.MinDF, m.MinDF)
	if o.MinDF < 1 {
		return usageError{fmt.Errorf("--min-df is %d, want 1 or more", o.MinDF)}
	}
	o.Temp = tempFolder(m.Temp, m.Output)
	var report *nbsvm.PackReport
	err := c.writeOutput(m.Output, func(w io.Writer) (err error) {
		report, err = nbsvm.MergePacked(c.ctx, m.Shards, o, w)
		return err
	})
	if err != nil {
		return err
	}
	return summarisePack(c, m.Output, report)
}
