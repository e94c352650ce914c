package main

import (
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/parquet/records"
)

// columnsCmd lists columns.
type columnsCmd struct {
	Path string `arg:"" help:"File."`
}

func (c *columnsCmd) Run(g *guard) error {
	g.watch()
	f, err := records.Open(c.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	defer f.Close()
	names, types := f.Columns()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for i, name := range names {
		if strconv.Quote(name) != `"`+name+`"` {
			name = strconv.Quote(name)
		}
		fmt.Fprintf(w, "%s\t%s\n", name, types[i])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Printf("%d rows in %d row groups\n", f.NumRows(), len(f.RowGroups()))
	return nil
}
