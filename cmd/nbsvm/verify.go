package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/packed"
)

type verifyCmd struct {
	File  string   `file:"in" arg:"" help:"Model file, packed corpus, or folder that --out-dir has made."`
	Input []string `file:"in" arg:"" optional:"" help:"Inputs of the folder: each must have its output."`
}

func (v *verifyCmd) Help() string {
	return `Models and packed corpora: every checksum and number.

A folder that score or pack --out-dir has made, or one of --rejects or --on-bad quarantine=… beside it:
every file is read and compared with the record of how it was made. Files that are missing, damaged,
of another run or of none are named. With the inputs, also those that have no output, or have changed
since theirs was made: nothing is lost, and nothing is there twice.

    nbsvm verify reviews.nbm
    nbsvm verify good 'web/*.jsonl.zst'`
}

func (v *verifyCmd) Run(c *call) error {
	if info, err := os.Stat(v.File); err == nil && info.IsDir() {
		return v.folder(c)
	}
	if len(v.Input) > 0 {
		return usageError{fmt.Errorf("%s is no folder: inputs are compared with the outputs in one; verify one model or corpus at a time", v.File)}
	}
	if packed.Is(v.File) {
		return v.packed(c)
	}
	if isTagModel(v.File) {
		return v.tags(c)
	}
	sections, err := nbsvm.VerifyModel(v.File)
	if c.JSON {
		return printVerdict(c, err, &sections)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range sections {
		state := "good"
		if !s.OK {
			state = fmt.Sprintf("DAMAGED: CRC-32C %08x, computed %08x", s.Stored, s.Computed)
		}
		fmt.Fprintf(tw, "%s\t%s bytes at %s\t%s\n", s.Name, wording.Count(s.Length), wording.Count(s.Offset), state)
	}
	tw.Flush()
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(v.File); statErr == nil {
		fmt.Fprintf(c.out, "%s is good: %s\n", printable.Label(v.File), wording.Bytes(info.Size()))
	}
	return nil
}

// packed checks a packed corpus.
func (v *verifyCmd) packed(c *call) error {
	err := packed.Verify(c.ctx, v.File)
	if c.JSON {
		return printVerdict(c, err, nil)
	}
	if err != nil || c.Quiet {
		return err
	}
	info, err := packed.Inspect(v.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %s of rows and %s are good\n", printable.Label(v.File), wording.Some(info.Blocks, "block"), wording.Some(len(info.Sections), "section"))
	return nil
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
		fmt.Fprintf(c.out, "%s: %s and %s are good, of %s (%s bad)\n", printable.Label(v.File), wording.Some(verdict.Files, "file"),
			wording.Bytes(verdict.Bytes), wording.Some(of.Documents, "record"), wording.Count(of.Bad))
	}
	return err
}

// printVerdict tells programs what came of verifying, and returns the fault that was found.
func printVerdict(c *call, fault error, sections *[]nbsvm.ModelSection) error {
	verdict := struct {
		OK       bool                  `json:"ok"`
		Error    string                `json:"error,omitempty"`
		Sections *[]nbsvm.ModelSection `json:"sections,omitempty"` // of a model
	}{OK: fault == nil, Sections: sections}
	if fault != nil {
		verdict.Error = fault.Error()
	}
	return errors.Join(printJSON(c.out, &verdict), fault)
}
