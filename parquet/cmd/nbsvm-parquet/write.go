package main

import (
	"os"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/parquet/scored"
)

// writeCmd writes a file's rows with what nbsvm has found out, which comes through standard input.
type writeCmd struct {
	Path  string `arg:""`
	Label string `help:"Column of labels."`
	Score string `help:"Column of scores."`
	Group string `help:"Group of both columns."`
	Lists bool   `help:"Rows have any number of labels."`
	All   bool   `help:"Expect a score for every row."`
	JSON  bool   `name:"json" help:"Write the rows as JSON lines, and no scores."`
}

func (w *writeCmd) Run(g *guard) error {
	rows, err := recordstream.NewRowReader(os.Stdin)
	if err != nil {
		return err
	}
	g.watch()
	if w.JSON {
		return scored.WriteJSON(os.Stdout, w.Path, g.beat, rows)
	}
	return scored.Write(os.Stdout, w.Path, scored.Options{
		Label: w.Label, Score: w.Score, Group: w.Group, Lists: w.Lists, All: w.All, Beat: g.beat,
	}, rows)
}
