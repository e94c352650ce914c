package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
	"github.com/seed-167f963f/nbsvm/internal/job/plan"
)

type planCmd struct {
	Input     []string      `file:"in" arg:"" optional:"" help:"Files of labelled documents, some or all of the job (default: generated documents)."`
	Documents countArg      `min:"1" group:"plan" placeholder:"N" help:"Number of documents of the job (default: about as many as the files have)."`
	Bytes     *choices.Size `group:"plan" placeholder:"SIZE" help:"Uncompressed size of the documents, if no files are given (default: ${gen_words} words per document)."`
	Classes   *int          `group:"plan" placeholder:"N" help:"Number of classes of generated documents (default: ${gen_classes})."`
	Machines  int           `group:"plan" placeholder:"M" default:"1" help:"Number of machines like this one that pack and score in parallel (default: 1)."`
	Sample    *choices.Size `min:"1" group:"plan" placeholder:"SIZE" help:"Size of the sample to measure with (default: ${plan_sample})."`
	Temp      string        `file:"folder" group:"output" placeholder:"FOLDER" help:"Folder for temporary files (default: that of the system)."`
	inputFlags
	trainFlags
}

// defaultPlanSample is large enough that tables outgrow a processor's caches.
const defaultPlanSample = 256 << 20

func (p *planCmd) Help() string {
	return `Estimates the time, memory and disk space to pack documents, train on them and score them. It reads the files
once, does the job with a sample, which takes about half a minute, and scales the result up.

    nbsvm plan web/*.jsonl.zst                       # all of these
    nbsvm plan --documents 100000000 reviews.tsv     # that many like these
    nbsvm plan --documents 1e8 --bytes 30GB --machines 4 --memory 16GiB

--memory is the memory of each machine (default: that of this one). The plan shows the flags to give to each command.
With several machines, each packs a share of the files with --min-df 1, and one merges the corpora and trains. The plan
lists its assumptions. --json prints an object, for programs that request resources from a cluster.`
}

func (p *planCmd) Run(c *call) error {
	job, err := p.job(c)
	if err != nil {
		return err
	}
	return p.withInput(c, p.Input, false, func(in corpus.Input) error {
		if in.Paths = p.Input; len(p.Input) > 0 {
			job.Input = in
		}
		job.Tell = func(stage string, done, total int) {
			c.progress.Show(corpus.Progress{Stage: "try to " + stage, Done: int64(done), Total: int64(total), Unit: "stages"})
		}
		made, err := plan.Make(c.ctx, job)
		if err != nil {
			return err
		}
		c.progress.Clear()
		if c.JSON {
			return printJSON(c.out, made)
		}
		return writePlan(c, made)
	})
}

// job is what to make a plan of.
func (p *planCmd) job(c *call) (plan.Job, error) {
	job := plan.Job{
		Documents: int64(p.Documents), Machines: p.Machines, Sample: defaultPlanSample, Temp: p.Temp,
		Generated: bench.Defaults("gen", false).Generated,
	}
	set((*choices.Size)(&job.Sample), p.Sample)
	switch {
	case len(p.Input) > 0 && usesStdin(p.Input):
		return job, usageError{errors.New("plan needs the sizes of files: give files, not standard input")}
	case len(p.Input) > 0 && (p.Bytes != nil || p.Classes != nil):
		return job, usageError{errors.New("--bytes and --classes are for generated documents: leave them or the files out")}
	case len(p.Input) == 0 && p.Documents == 0:
		return job, usageError{errors.New("give files of documents, or --documents N")}
	}
	var err error
	if job.Options, err = p.options(c, nil); err != nil {
		return job, err
	}
	job.Memory, job.Options.Memory = job.Options.Memory, 0
	if job.Memory == 0 {
		job.Memory, _ = process.Memory()
	}
	if len(p.Input) == 0 {
		if err := p.generated(&job); err != nil {
			return job, err
		}
	}
	if err := job.Validate(); err != nil {
		return job, usageError{err}
	}
	return job, nil
}

// generated says what documents to generate: as many as a sample has, and as long as those of the job.
func (p *planCmd) generated(job *plan.Job) error {
	const bytesAWord = 4.7 // of the default vocabulary, with the blank behind it
	g := &job.Generated
	set(&g.Classes, p.Classes)
	if p.Bytes != nil {
		each := float64(*p.Bytes) / float64(p.Documents)
		if g.Words = int(each / bytesAWord); g.Words < 1 || g.Words > 1<<20 {
			return usageError{fmt.Errorf("--bytes %d for --documents %d are %.3g bytes each, but must be %.0f to %.0f", *p.Bytes, p.Documents, each, bytesAWord, bytesAWord*(1<<20))}
		}
	}
	g.Documents = int(min(int64(p.Documents), max(int64(float64(job.Sample)/bytesAWord/float64(g.Words)), 1000)))
	return nil
}

// countArg is a whole number, which may be written as 1e8.
type countArg int64

func (n *countArg) UnmarshalText(text []byte) error {
	given, err := strconv.ParseFloat(string(text), 64)
	if err != nil || given != math.Trunc(given) || math.Abs(given) > 1<<53 {
		return fmt.Errorf("%q must be a whole number, such as 1000000 or 1e6", text)
	}
	*n = countArg(given)
	return nil
}

// writePlan prints a plan.
func writePlan(c *call, p *plan.Plan) error {
	fmt.Fprintf(c.out, "%s of %s, %s; ", wording.Some(p.Documents, "document"), wording.Some(p.Classes, "class"), wording.Bytes(p.Bytes))
	packFlags := "--min-df 1 "
	if p.Ngrams == "" {
		fmt.Fprintf(c.out, "ready-made features\nabout %s distinct features", about(p.Distinct))
	} else {
		fmt.Fprintf(c.out, "n-grams %s\nabout %s distinct n-grams, %s of them kept in %s buckets", p.Ngrams, about(p.Distinct), about(p.Columns), about(p.Buckets))
		packFlags += "--ngrams " + p.Ngrams + " "
	}
	fmt.Fprintf(c.out, "; %s non-zeros\n\n", about(p.NonZeros))
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "stage\tmachines\ttime\tmemory of each\ttemporary files of each\toutput\tflags\n")
	for _, s := range p.Stages {
		flags := ""
		if s.Name == "pack" && p.Machines > 1 {
			flags = packFlags
		}
		if s.MemoryFlag > 0 {
			flags += fmt.Sprintf("--memory %dMiB", s.MemoryFlag>>20)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Machines, duration(s.Seconds), wording.Bytes(s.Memory), wording.Bytes(s.Temp), wording.Bytes(s.Output), flags)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\ntotal time %s; disk space %s, including %s of documents, which should be in at least %s files\n",
		duration(p.Seconds), wording.Bytes(p.Disk), wording.Bytes(p.Stored), wording.Count(p.Shards))
	fmt.Fprintf(c.out, "\nmeasured in %s with %s (%s) on %s\n", duration(p.Rehearsed), wording.Some(p.Sample.Documents, "document"), wording.Bytes(p.Sample.Bytes), p.Machine.CPU)
	fmt.Fprintln(c.out, "assumptions:")
	for _, what := range p.Assumed {
		fmt.Fprintf(c.out, "- %s\n", what)
	}
	return nil
}

// about writes a number with two digits: more are not known.
func about(n int64) string { return rounded(float64(n), 100) }

// duration is a time that is about right.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d < 100*time.Second:
		return fmt.Sprintf("%.2g s", seconds)
	case d < 10*time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	default:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	}
}
