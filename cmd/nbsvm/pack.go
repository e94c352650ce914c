package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
	"github.com/seed-167f963f/nbsvm/packed"
)

type packCmd struct {
	Input  []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Output string   `file:"binary" short:"o" group:"output" placeholder:"CORPUS" help:"Where to write the corpus; - is standard output."`
	folderFlags
	Shard  shardFlag `group:"output" placeholder:"I/N" help:"With --out-dir, only every N-th file, from the I-th on. auto: as the job's array says."`
	Append bool      `group:"output" help:"Add the documents to the corpus that is there."`
	Memory *byteArg  `group:"run" placeholder:"SIZE" help:"Memory to take, about: 512MiB, 8GiB, … (default: ${pack_memory})."`
	Temp   string    `file:"folder" group:"output" placeholder:"FOLDER" help:"Where to keep what does not fit into memory (default: the folder of the output)."`

	inputFlags
	classFlags
	Preset string `group:"text" placeholder:"NAME" default:"${preset}" help:"Text options to start from, those of train's preset (default: ${preset})."`
	wordFlags
	Ngrams   *ngrams  `group:"text" placeholder:"LO-HI" help:"Orders of n-grams, or auto: 1-3 with 3 MB of text a class or more, else 1-2; of characters 1-5 (default: ${ngrams})."`
	Features families `group:"text" placeholder:"TOKENIZER:LO-HI,…" help:"Several kinds of n-grams, such as word:1-2,char-wb:2-5; in place of --tokenizer and --ngrams."`
	MinDF    *int     `group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams of fewer documents (default: ${min_df})."`
	Values   *string  `group:"text" placeholder:"KIND" help:"binary, or count to keep how often documents have n-grams (default: ${values})."`
	Names    bool     `group:"text" help:"Keep the texts of n-grams, for explain."`
	Seed     *uint64  `group:"text" placeholder:"N" help:"Seed of hashing (default: ${seed})."`
}

func (p *packCmd) Help() string {
	return `A packed corpus holds documents as rows of numbers: text is read and hashed once, and train, cv and
eval take the corpus where they take text, with the same results. It is mapped, not read, and may be
larger than memory; so may be what it is packed from.

    nbsvm pack reviews.tsv -o reviews.nbc
    nbsvm train reviews.nbc -o reviews.nbm
    nbsvm cv --C 0.5 reviews.nbc

Training may then ask for any number of buckets and for a higher --min-df, not for other tokens or
n-grams. With --min-df 1 nothing is lost: such corpora can be merged, added to (--append), and
evaluated on. Of runs that add to one corpus at the same time, on one machine, each waits for the one
before.

    nbsvm pack --min-df 1 --ngrams 1-2 january.jsonl.zst -o all.nbc
    nbsvm pack --append february.jsonl.zst -o all.nbc

Many files are packed one by one, here or on several machines, and then merged, to the bytes of
packing all of them at once, or trained on as they are: the model is the same. --out-dir FOLDER makes a
corpus NAME.nbc of each, several at once, as score does: each appears whole or not at all, what is there
already is passed over unless its input has changed, and --shard I/N takes every N-th file.

    nbsvm pack --min-df 1 --ngrams 1-2 --out-dir parts 'web/*.jsonl.zst'
    nbsvm merge --min-df 2 -o all.nbc parts/*.nbc
    nbsvm train parts/*.nbc -o all.nbm

The corpus does not depend on --memory or --threads.`
}

func (p *packCmd) Run(c *call) error {
	if err := p.checkOutput(); err != nil {
		return err
	}
	if p.Append && p.Output != "-" {
		claim, err := p.claim(c)
		if err != nil {
			return fmt.Errorf("--append: %w", err)
		}
		defer claim.Release()
	}
	o, err := p.options(c)
	if err != nil {
		return err
	}
	if err := p.checkParts(&o); err != nil {
		return err
	}
	if err := checkTemp(p.Temp); err != nil {
		return err
	}
	if p.OutDir != "" {
		return p.packFolder(c, o)
	}
	if err := c.checkBinary("a corpus", p.Output); err != nil {
		return err
	}
	return p.withInput(c, p.Input, false, func(in corpus.Input) error {
		in.ManyClasses = p.AllowManyClasses
		return p.run(c, in, o)
	})
}

// claim has runs that add to one corpus do so one after the other: what one adds to must be what it replaces.
func (p *packCmd) claim(c *call) (*scratch.Claim, error) {
	corpus, err := atomicfile.Target(p.Output)
	if err != nil {
		return nil, err
	}
	return scratch.AwaitFile(c.ctx, corpus, func() {
		if !c.Quiet {
			fmt.Fprintf(c.err, "nbsvm: waiting for another run, which adds to %s\n", p.Output)
		}
	})
}

// options are the library's.
func (p *packCmd) options(c *call) (o packed.Options, err error) {
	switch {
	case p.Append && (p.wordFlags != wordFlags{} || p.Ngrams != nil || p.Features != nil || p.MinDF != nil || p.Values != nil || p.Names || p.Seed != nil || p.Preset != nbsvm.Presets()[0].Name):
		return o, usageError{errors.New("--append takes the text options that the corpus was packed with; leave them out")}
	case p.Append && p.Output == "-":
		return o, usageError{errors.New("--append adds to a file; name it with -o")}
	case p.Values != nil && *p.Values != string(nbsvm.Binary) && *p.Values != string(nbsvm.Count):
		return o, usageError{fmt.Errorf("--values is %q, want binary or count", *p.Values)}
	case p.Append:
		info, err := packed.Inspect(p.Output)
		if err != nil {
			return o, fmt.Errorf("--append: %w", err)
		}
		o = info.Options()
	default:
		t := trainFlags{Preset: p.Preset, tokenFlags: tokenFlags{wordFlags: p.wordFlags}, Ngrams: p.Ngrams, Features: p.Features, MinDF: p.MinDF, Values: p.Values, Seed: p.Seed}
		all, err := t.options(c, nil)
		if err != nil {
			return o, err
		}
		o = all.Pack()
		o.Names = p.Names
	}
	o.Threads, o.Temp = c.Threads, tempFolder(p.Temp, p.Output)
	if p.OutDir != "" && p.Temp == "" {
		o.Temp = p.OutDir
	}
	set((*byteArg)(&o.Memory), p.Memory)
	if err := o.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// tempFolder is where temporary files go: beside the output, unless told otherwise.
func tempFolder(given, output string) string {
	if given != "" || output == "-" {
		return given
	}
	return filepath.Dir(output)
}

// checkTemp makes sure that a folder for temporary files is one, if it is given.
func checkTemp(given string) error {
	if given == "" {
		return nil
	}
	info, err := os.Stat(given)
	if err != nil {
		return fmt.Errorf("--temp: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("--temp: %s is no folder", given)
	}
	return nil
}

func (p *packCmd) run(c *call, in corpus.Input, o packed.Options) error {
	progress := newProgress(c)
	defer progress.Clear()
	o.Progress = progress.Show
	memory := o.Memory
	if memory == 0 {
		memory = packed.DefaultMemory
	}
	defer process.KeepHeap(memory / 3)() // counts, the larger part, are not on the heap
	var report *packed.Report
	err := c.writeOutput(p.Output, func(w io.Writer) (err error) {
		if p.Append {
			report, err = packed.Append(c.ctx, p.Output, in, o, w)
		} else {
			report, err = packed.Pack(c.ctx, in, o, w)
		}
		return err
	})
	if err != nil {
		return err
	}
	progress.Clear()
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
	warnInvalid(c, in, r.Invalid)
	if c.Quiet {
		return nil
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writePacked(tw, r)
	seconds := max(r.Took.Seconds(), 1e-9)
	fmt.Fprintf(tw, "time\t%.2f s, %.0f MB/s of text, %s documents/s", r.Took.Seconds(), float64(r.Bytes)/1e6/seconds, wording.Count(int64(float64(r.Documents)/seconds)))
	if r.Parts > 0 {
		fmt.Fprintf(tw, "; merged from %d parts", r.Parts)
	}
	fmt.Fprintln(tw)
	if size > 0 {
		fmt.Fprintf(tw, "corpus\t%s, %s, %.2f bytes a non-zero\n", printable.Label(output), wording.Bytes(size), float64(size)/float64(max(r.NonZeros, 1)))
	}
	return tw.Flush()
}

// writePacked writes what a packed corpus holds, for a tabwriter.
func writePacked(w io.Writer, r *packed.Report) {
	writeInput(w, r.Documents, r.Bytes, r.Bad, r.Classes)
	fmt.Fprintf(w, "features\t%s distinct, %s of them kept; %s non-zeros\n", wording.Count(int64(r.Distinct)), wording.Count(int64(r.Columns)), wording.Count(r.NonZeros))
}
