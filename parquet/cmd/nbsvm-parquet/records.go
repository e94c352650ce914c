package main

import (
	"os"

	"github.com/seed-167f963f/nbsvm/parquet/records"
)

// recordsCmd writes records to nbsvm, as package recordstream has them.
type recordsCmd struct {
	Path       string    `arg:""`
	Text       string    `name:"text-field"`
	Label      string    `name:"label-field"`
	Weight     string    `name:"weight-field"`
	Keep       []string  `sep:"none"`
	Unlabelled bool      `help:"Labels are optional."`
	MaxRecord  int       `required:""`
	Range      byteRange `placeholder:"FROM:TO"`
	Threads    int       `default:"1"`
}

func (r *recordsCmd) Run(g *guard) error {
	followParent()
	g.watch()
	return records.Stream(os.Stdout, r.Path, records.Options{
		Text: r.Text, Label: r.Label, Weight: r.Weight, Unlabelled: r.Unlabelled, Keep: r.Keep,
		MaxValue: r.MaxRecord, From: r.Range.from, To: r.Range.to, Threads: r.Threads, Beat: g.beat,
	})
}
