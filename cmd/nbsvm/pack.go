package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
	"github.com/seed-167f963f/nbsvm/packed"
)

type packCmd struct {
	Input  []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Output string   `file:"binary" not:"out-dir" short:"o" group:"output" placeholder:"CORPUS" help:"Corpus to write; - is standard output."`
	folderFlags
	Shard  outdir.Shard `needs:"out-dir" group:"output" placeholder:"I/N" help:"With --out-dir, pack only every N-th file, beginning with the I-th. auto/N: take I from JOB_COMPLETION_INDEX, as Kubernetes sets it."`
	Memory *byteSize    `group:"run" placeholder:"SIZE" help:"Approximate memory limit, such as 512MiB or 8GiB (default: ${pack_memory})."`
	Temp   string       `file:"folder" group:"output" placeholder:"FOLDER" help:"Folder for temporary files (default: the folder of the output)."`

	labelledFlags
	classFlags
	Preset preset `choices:"${presets}" group:"text" placeholder:"NAME" default:"${preset}" help:"Preset of train whose text options to start from (default: ${preset})."`
	optionFlags
	MinDF  *int          `values:"1 document or more" group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams that fewer documents contain (default: 2)."`
	Values *nbsvm.Values `choices:"binary,count" group:"text" placeholder:"KIND" help:"binary (by-word where --ngrams has char-wb), or count to keep how often each n-gram occurs in a document (default: binary)."`
	Names  bool          `group:"text" help:"Keep the text of n-grams, for explain."`
}

// MoreFields implements the interface of package flags.
func (p *packCmd) MoreFields() []*flags.Field {
	return p.declare("ngrams", "lowercase", "punctuation", "strip-html", "bits", "seed")
}

func (p *packCmd) Help() string {
	return `A packed corpus holds documents as hashed n-grams. train, cv, tune and eval take it in place of text, with the
same results, and save the time to read and hash the text. It may be larger than memory, and so may the text.

    nbsvm pack reviews.tsv -o reviews.nbc
    nbsvm train reviews.nbc -o reviews.nbm
    nbsvm cv --C 0.5 reviews.nbc

Training can use a higher --min-df than the corpus, but not other tokens, n-grams or --bits. Pack with
--min-df 1 to lose nothing: only such corpora can be merged and evaluated on.

    nbsvm pack --min-df 1 --ngrams 1-2 january.jsonl.zst -o january.nbc
    nbsvm pack --min-df 1 --ngrams 1-2 february.jsonl.zst -o february.nbc
    nbsvm train january.nbc february.nbc -o both.nbm

--out-dir FOLDER packs each file into a corpus NAME.nbc, several at a time, on one machine or many. Each appears
complete or not at all; files that already exist are skipped. --shard I/N takes every N-th file. If inputs are of
several folders, outputs keep these. Merge the corpora, or train on them as they are: the model is the same.

    nbsvm pack --min-df 1 --ngrams 1-2 --out-dir parts 'web/*.jsonl.zst'
    nbsvm merge --min-df 2 -o all.nbc parts/*.nbc
    nbsvm train parts/*.nbc -o all.nbm

The corpus does not depend on --memory or --threads.`
}

func (p *packCmd) Run(c *call) error {
	if p.OutDir == "" && p.Output == "" {
		return usageError{errors.New("missing -o CORPUS, the corpus to write, or --out-dir FOLDER, for a corpus of each input")}
	}
	if err := p.folderFlags.check(p.labelled(p.Input)); err != nil {
		return err
	}
	o, err := p.options(c)
	if err != nil {
		return err
	}
	if err := p.checkParts(&o); err != nil {
		return err
	}
	if p.OutDir != "" {
		return p.packFolder(c, o)
	}
	return p.withInput(c, p.labelled(p.Input), func(in corpus.Input) error {
		in.ManyClasses = p.AllowManyClasses
		return p.run(c, in, o)
	})
}

// options returns the library's.
func (p *packCmd) options(c *call) (o packed.Options, err error) {
	values := p.values()
	if p.MinDF != nil {
		values["min-df"] = strconv.Itoa(*p.MinDF)
	}
	if p.Values != nil {
		if *p.Values != nbsvm.Binary && *p.Values != nbsvm.Count {
			return o, usageError{fmt.Errorf("--values must be binary or count, got %q", *p.Values)}
		}
		values["values"] = string(*p.Values)
	}
	all, err := p.Preset.options(nil)
	if err != nil {
		return o, err
	}
	if all, err = with(c, all, values); err != nil {
		return o, err
	}
	o = all.Pack()
	o.Names = p.Names
	o.Threads, o.Temp = c.Threads, tempFolder(p.Temp, p.Output)
	if p.OutDir != "" && p.Temp == "" {
		o.Temp = p.OutDir
	}
	set((*byteSize)(&o.Memory), p.Memory)
	if err := o.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// tempFolder returns where temporary files go: beside the output, unless a folder is given.
func tempFolder(given, output string) string {
	if given != "" || output == "-" {
		return given
	}
	return filepath.Dir(output)
}

func (p *packCmd) run(c *call, in corpus.Input, o packed.Options) error {
	o.Progress = c.progress.Show
	memory := o.Memory
	if memory == 0 {
		memory = dataset.DefaultMemory
	}
	defer keepHeap(memory / 3)() // counts, the larger part, are not on the heap
	var report *packed.Report
	err := c.writeOutput(p.Output, func(w io.Writer) (err error) {
		report, err = packed.Pack(c.ctx, in, o, w)
		return err
	})
	if err != nil {
		return err
	}
	c.progress.Clear()
	return summarisePack(c, p.Output, in, report)
}

// summarisePack prints what was packed.
func summarisePack(c *call, output string, in corpus.Input, r *packed.Report) error {
	w := c.summaryFor(output)
	var size int64
	if info, err := os.Stat(output); err == nil {
		size = info.Size()
	}
	if c.JSON {
		return printJSON(w, struct {
			*packed.Report
			Seconds float64 `json:"seconds"`
			Size    int64   `json:"size,omitempty"`
		}{r, r.Took.Seconds(), size})
	}
	if c.Quiet {
		return nil
	}
	known := packedFacts(r)
	seconds := max(r.Took.Seconds(), 1e-9)
	merged := ""
	if r.Parts > 0 {
		merged = fmt.Sprintf("; merged from %d parts", r.Parts)
	}
	known.Add("time", "%.2f s, %.0f MB/s of text, %s documents/s%s", r.Took.Seconds(), float64(r.Bytes)/1e6/seconds,
		display.Count(int64(float64(r.Documents)/seconds)), merged)
	if size > 0 {
		known.Add("corpus", "%s, %s, %.2f bytes per non-zero", display.Label(output), display.Bytes(size),
			float64(size)/float64(max(r.NonZeros, 1)))
	}
	return known.WriteText(w)
}

// packedFacts returns what a packed corpus holds.
func packedFacts(r *packed.Report) facts.List {
	known := facts.OfInput(r.Documents, r.Bytes, r.Bad, r.Reasons, r.Classes)
	return append(known, facts.OfFeatures(uint64(r.Distinct), uint64(r.Columns), r.NonZeros)...)
}

// leastPackMemory is what each of the corpora takes that are packed side by side, at least.
const leastPackMemory = 64 << 20

// checkParts finds options by which corpora of --out-dir could not be merged.
func (p *packCmd) checkParts(o *packed.Options) error {
	paths := p.labelled(p.Input).Paths
	ready := p.Format == corpus.SVMLight || len(paths) > 0 && corpus.FormatOfName(paths[0]) == corpus.SVMLight
	switch {
	case p.OutDir == "":
	case o.MinDF != 1:
		return usageError{fmt.Errorf("--out-dir needs --min-df 1, because n-grams that are rare in one file may be common in all; then merge with --min-df %d", o.MinDF)}
	case o.Text.Families[0].NgramHi == 0 && !ready:
		return usageError{errors.New("--out-dir needs fixed orders of n-grams, such as --ngrams 1-2, because auto depends on the size of each file")}
	}
	return nil
}

// packFolder packs the inputs side by side, each into a corpus of its own.
func (p *packCmd) packFolder(c *call, o packed.Options) error {
	in, err := c.source(p.labelled(p.Input))
	if err != nil {
		return err
	}
	in.ManyClasses = true // a part may have few documents of a class
	part := func(input string) string { return scoring.Stem(input) + ".nbc" }
	whole := func(input string) string { return input }
	job := outdir.NewJob("pack", p.OutDir, "", p.OnBad.Quarantine(), part, whole)
	folder, err := newFolderRun(c, &p.folderFlags, job, in, p.Shard, "pack", "packed", p.OnBad)
	if err != nil {
		return err
	}
	options := p.RecordedPack(&o)
	for _, of := range p.Class { // as typed: files of a pattern may be added
		options["class"] = strings.TrimSpace(options["class"] + " " + of.String())
	}
	if err := folder.begin(nil, options); err != nil {
		return err
	}
	if o.Memory == 0 {
		o.Memory = dataset.DefaultMemory
	}
	folder.workers = max(1, min(folder.workers, int(o.Memory/leastPackMemory)))
	defer keepHeap(o.Memory / 3)()
	o.Memory /= int64(folder.workers)
	o.Threads = folder.threadsOfFile()
	reports := make([]*packed.Report, len(folder.files))
	result, took := folder.run(in, func(i int, f *outdir.File, in corpus.Input) error {
		o := o
		o.Progress = func(now corpus.Progress) {
			if now.Stage == "read" { // the stages after it begin at 0 again
				folder.progress.show(i, now)
			}
		}
		return c.writeOutput(f.Output, func(to io.Writer) (err error) {
			if reports[i], err = packed.Pack(c.ctx, in, o, to); err != nil {
				return err
			}
			return folder.done(f, in, outdir.Counts{
				Documents: reports[i].Documents + reports[i].Bad, Written: reports[i].Documents,
				Bad: reports[i].Bad, Reasons: reports[i].Reasons,
			})
		})
	})
	var documents, bytes int64
	for i, f := range folder.files {
		if f.State == outdir.Written {
			documents, bytes = documents+reports[i].Documents, bytes+reports[i].Bytes
		}
	}
	return folder.tell(result, took, func() { writeSpeed(c.err, documents, bytes, took) })
}
