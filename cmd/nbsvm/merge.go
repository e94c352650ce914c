package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/packed"
)

type mergeCmd struct {
	Parts  []string `file:"in" arg:"" name:"file" help:"Packed corpora, in the order that their documents shall have."`
	Output string   `file:"binary" short:"o" required:"" group:"output" placeholder:"FILE" help:"Corpus to write; - is standard output."`
	MinDF  *int     `min:"1" group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams that fewer documents contain (default: 1)."`
	Temp   string   `file:"folder" group:"output" placeholder:"FOLDER" help:"Folder for temporary files (default: the folder of the output)."`
}

func (m *mergeCmd) Help() string {
	return `Packed corpora are joined to the corpus that packing all their documents at once would have made, byte for byte.
Pack them with the same options and --min-df 1.

    nbsvm merge --min-df 2 -o year.nbc january.nbc february.nbc march.nbc

Outputs of score --out-dir need no merging: every command takes several files.`
}

func (m *mergeCmd) Run(c *call) error {
	if err := m.check(); err != nil {
		return err
	}
	c.tellTwice(m.Parts)
	o := packed.MergeOptions{MinDF: 1, Threads: c.Threads, Temp: tempFolder(m.Temp, m.Output)}
	set(&o.MinDF, m.MinDF)
	var report *packed.Report
	err := c.writeOutput(m.Output, func(w io.Writer) (err error) {
		report, err = packed.Merge(c.ctx, m.Parts, o, w)
		return err
	})
	if err != nil {
		return err
	}
	return summarisePack(c, m.Output, corpus.Input{}, report)
}

// check refuses what is no packed corpus, with what to do instead.
func (m *mergeCmd) check() error {
	corpus, path := "", "" // the first ones that are packed, and not
	for _, part := range m.Parts {
		is, err := packed.Is(part)
		switch {
		case err != nil:
			return err
		case is:
			corpus = cmp.Or(corpus, part)
		default:
			path = cmp.Or(path, part)
		}
	}
	if path == "" {
		return nil
	}
	if err := osfile.CheckRegular(path); err != nil {
		return err
	}
	switch model, err := nbsvm.IsModel(path); {
	case err != nil:
		return err
	case model:
		return fmt.Errorf("%s is a model, and models can't be merged; train one on all documents: nbsvm train FILE... -o MODEL", path)
	}
	remedy := "other files need no merging, as every command takes several"
	if corpus != "" {
		remedy = fmt.Sprintf("pack it with the options of %s, and merge the two: nbsvm pack --min-df 1 %s -o NEW.nbc", corpus, path)
	}
	return fmt.Errorf("%s is not a packed corpus; %s", path, remedy)
}
