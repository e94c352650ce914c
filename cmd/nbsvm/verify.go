package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

type verifyCmd struct {
	File  string   `file:"in" arg:"" help:"Model, packed corpus, or folder of --out-dir."`
	Input []string `file:"in" arg:"" optional:"" help:"Inputs of the folder: each must have an output."`
}

func (v *verifyCmd) Help() string {
	return `Of a model or a packed corpus, verify checks every checksum and number.

Of a folder of score or pack --out-dir, verify reads every file, those of --rejects and quarantine=… as well, and
compares it with the record of the folder. It names files that are missing or damaged. If you also give the inputs, it
names those without an output, and those that have changed since by their size or time.

    nbsvm verify reviews.nbm
    nbsvm verify good 'web/*.jsonl.zst'`
}

func (v *verifyCmd) Run(c *call) error {
	info, err := os.Stat(v.File)
	switch {
	case err == nil && info.IsDir():
		return v.folder(c)
	case err != nil && len(v.Input) > 0:
		return err
	case len(v.Input) > 0:
		return usageError{fmt.Errorf("%s is not a folder: verify one model or corpus at a time", v.File)}
	}
	verdict := struct {
		OK       bool                  `json:"ok"`
		Error    string                `json:"error,omitempty"`
		Sections *[]nbsvm.ModelSection `json:"sections,omitempty"` // of a model
	}{}
	var sections []nbsvm.ModelSection
	switch {
	case packed.Is(v.File):
		err = packed.Verify(c.ctx, v.File)
	case isTagModel(v.File):
		var m *tag.Model
		if m, err = tag.OpenModel(v.File); err == nil {
			err = m.Close()
		}
	default:
		sections, err = nbsvm.VerifyModel(v.File)
		verdict.Sections = &sections
	}
	if verdict.OK = err == nil; err != nil {
		verdict.Error = flags.Plain(err.Error())
	}
	if c.JSON {
		return errors.Join(printJSON(c.out, &verdict), err)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range sections {
		state := "good"
		if !s.OK {
			state = fmt.Sprintf("DAMAGED: CRC-32C %08x, computed %08x", s.Stored, s.Computed)
		}
		fmt.Fprintf(tw, "%s\t%s bytes at %s\t%s\n", s.Name, display.Count(s.Length), display.Count(s.Offset), state)
	}
	if tw.Flush(); err != nil || c.Quiet {
		return err
	}
	if info, err = os.Stat(v.File); err == nil {
		fmt.Fprintf(c.out, "%s is good: %s\n", display.Label(v.File), display.Bytes(info.Size()))
	}
	return err
}

// folder checks a folder of outputs.
func (v *verifyCmd) folder(c *call) error {
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	verdict, err := outdir.Verify(c.ctx, v.File, v.Input, threads)
	if err != nil {
		return err
	}
	var faults []error
	for _, fault := range verdict.Faults {
		faults = append(faults, errors.New(fault))
	}
	err = errors.Join(faults...)
	if c.JSON {
		return errors.Join(printJSON(c.out, struct {
			OK bool `json:"ok"`
			*outdir.Verdict
		}{len(faults) == 0, verdict}), err)
	}
	if !c.Quiet && err == nil {
		of := verdict.Counts
		fmt.Fprintf(c.out, "%s: %s and %s are good, of %s (%s bad)\n", display.Label(v.File), display.Some(verdict.Files, "file"),
			display.Bytes(verdict.Bytes), display.Some(of.Documents, "record"), display.Count(of.Bad))
	}
	return err
}
