package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
)

type benchCmd struct {
	CPU     benchCPUCmd     `cmd:"" name:"cpu" help:"Measure memory and caches: what the hardware allows."`
	Kernels benchKernelsCmd `cmd:"" help:"Measure the inner loops, and compare them with what the hardware allows."`
	Text    benchTextCmd    `cmd:"" help:"Measure text to features: reading, hashing, distinct n-grams, counting."`
	Solve   benchSolveCmd   `cmd:"" help:"Measure the solver: time, epochs and gap for each loss."`
	Score   benchScoreCmd   `cmd:"" help:"Measure scoring, and compare it with what reading and hashing alone allow."`
	Train   benchTrainCmd   `cmd:"" help:"Measure whole trainings: seconds a stage, peak memory."`
	Pack    benchPackCmd    `cmd:"" help:"Measure how the cost of packing, training and scoring grows with documents."`
	Gen     benchGenCmd     `cmd:"" help:"Make a corpus of any size."`
}

// benchFlags are the flags of every workload.
type benchFlags struct {
	Runs  int  `group:"bench" placeholder:"N" help:"Samples of each case, taken in turns (default: ${runs}; 3 with --quick)."`
	Quick bool `group:"bench" help:"Fewer cases and samples, to finish within a minute."`

	Benchfmt bool `group:"bench" help:"Print samples in the format of Go's benchmarks, for benchstat to compare."`
}

// measure runs a workload, whose defaults the command's flags change, and prints its report.
func (f benchFlags) measure(c *call, workload string, change func(config *bench.Config) error) error {
	config := bench.Defaults(workload, f.Quick)
	if f.Runs < 0 {
		return usageError{fmt.Errorf("--runs is %d, want 1 or more", f.Runs)}
	}
	if f.Runs > 0 {
		config.Runs = f.Runs
	}
	if err := change(&config); err != nil {
		return err
	}
	if f.Benchfmt && c.JSON {
		return usageError{errors.New("--benchfmt and --json are two ways to print: choose one")}
	}
	progress := newProgress(c)
	defer progress.Clear()
	report, err := bench.Run(c.ctx, workload, config, func(done, total int) {
		progress.Show(corpus.Progress{Stage: "bench", Done: int64(done), Total: int64(total), Unit: "samples"})
	})
	if err != nil {
		return wrongConfig(err)
	}
	progress.Clear()
	if f.Benchfmt {
		return report.WriteBenchmarks(c.out)
	}
	return c.printReport(report)
}

// wrongConfig is the error of wrong usage if a configuration was refused.
func wrongConfig(err error) error {
	if wrong, ok := errors.AsType[bench.ConfigError](err); ok {
		return usageError{wrong}
	}
	return err
}

// corpusFlags name the corpus to measure on.
type corpusFlags struct {
	Input []string `file:"in" arg:"" optional:"" help:"Files of documents (default: a generated corpus)."`
	inputFlags
}

// apply makes the files, if there are any, the corpus of a workload: it can be read any number of times.
func (f *corpusFlags) apply(c *call, config *bench.Config) (err error) {
	switch {
	case len(f.Input) == 0:
		return nil
	case usesStdin(f.Input):
		return usageError{errors.New("a benchmark reads its corpus several times; name a file instead of standard input")}
	case f.OnBad != "fail":
		return usageError{errors.New("--on-bad: a benchmark reads its corpus several times and fails at a bad record; take bad records out first")}
	}
	config.Input, err = f.input(c, f.Input, false)
	config.Input.ManyClasses = true
	return err
}

// trainingFlags are the flags of workloads that train.
type trainingFlags struct {
	benchFlags
	corpusFlags
	trainFlags
}

// measure is that of the workload, with the flags' options of training and corpus.
func (f *trainingFlags) measure(c *call, workload string, change func(config *bench.Config) error) error {
	return f.benchFlags.measure(c, workload, func(config *bench.Config) (err error) {
		if config.Options, err = f.options(c, nil); err != nil {
			return err
		}
		if err := f.corpusFlags.apply(c, config); err != nil {
			return err
		}
		return change(config)
	})
}

// threadsFlag says with how many threads to measure.
type threadsFlag struct {
	ByThreads []int `group:"bench" placeholder:"N" help:"Numbers of threads to measure with (default: that of --threads, or 1 and all)."`
}

// apply overwrites a workload's numbers of threads where the flags name some.
func (f threadsFlag) apply(c *call, config *bench.Config) {
	if c.Threads > 0 {
		config.Threads = []int{c.Threads}
	}
	given(&config.Threads, f.ByThreads)
}

// given overwrites a list if there is one.
func given[T any](dst *[]T, list []T) {
	if len(list) > 0 {
		*dst = list
	}
}

type benchCPUCmd struct{ benchFlags }

func (b *benchCPUCmd) Help() string {
	return `How fast this machine reads memory in order, with one thread and with all (--threads), and how long an
access to one 8-byte entry takes at random in tables of several sizes: what no kernel can beat. Other
jobs on the machine show in the ranges.`
}

func (b *benchCPUCmd) Run(c *call) error {
	return b.measure(c, "cpu", func(config *bench.Config) error {
		if c.Threads > 0 {
			config.Threads = slices.Compact([]int{1, c.Threads})
		}
		return nil
	})
}

type benchKernelsCmd struct {
	Kernel []string `group:"bench" placeholder:"NAME" help:"Kernels to measure (default: all)."`
	Impl   []string `group:"bench" placeholder:"NAME" help:"Implementations to measure (default: all that this CPU runs and that are not for text alone)."`
	benchFlags
}

func (b *benchKernelsCmd) Help() string {
	return `Every kernel in every implementation that this CPU runs, over random rows of several lengths in tables
of several sizes, and how near it comes to what the hardware allows for the same accesses.

    nbsvm bench kernels --quick
    nbsvm bench kernels --kernel SumSlots,AddSlots --impl generic`
}

func (b *benchKernelsCmd) Run(c *call) error {
	return b.measure(c, "kernels", func(config *bench.Config) error {
		config.Kernels, config.Implementations = b.Kernel, b.Impl
		return nil
	})
}

type benchTextCmd struct {
	Orders []ngrams `group:"bench" placeholder:"LO-HI" help:"Orders of n-grams to measure (default: 1-1,1-2,1-3)."`
	threadsFlag
	benchFlags
	corpusFlags
	tokenFlags
}

func (b *benchTextCmd) Help() string {
	return `Each part works on what the part before it left in memory, on the first 32 MB of text (4 MB with
--quick): read makes records of a file; hash makes the hashes of their n-grams; hash, distinct also
tells those of a document apart; count counts the documents of each n-gram. MB are of text.

    nbsvm bench text --tokenizer char --orders 1-4 reviews.tsv`
}

func (b *benchTextCmd) Run(c *call) error {
	return b.measure(c, "text", func(config *bench.Config) error {
		b.tokenFlags.apply(&config.Text)
		b.threadsFlag.apply(c, config)
		var orders [][2]int
		for _, n := range b.Orders {
			orders = append(orders, [2]int{n.lo, n.hi})
		}
		given(&config.Orders, orders)
		return b.corpusFlags.apply(c, config)
	})
}

type benchSolveCmd struct {
	Losses []string  `group:"bench" placeholder:"NAME" help:"Losses to solve for (default: ${losses})."`
	Cs     []float64 `name:"Cs" group:"bench" placeholder:"X" help:"Values of C (default: that of --C)."`
	Tols   []float64 `group:"bench" placeholder:"X" help:"Relative duality gaps to reach (default: ${tols}; the first two with --quick)."`
	trainingFlags
}

func (b *benchSolveCmd) Help() string {
	return `The corpus is read once; in every run its matrix is laid out and then solved for each loss, C and gap.
Of the stage solve, s is the time in the solver, summed over classes; wall s has the ratio and the
interpolation as well; ns/nnz is solver time over the non-zeros of the rows visited.

    nbsvm bench solve --Cs 0.01,1 --ngrams 1-3 reviews.tsv`
}

func (b *benchSolveCmd) Run(c *call) error {
	return b.measure(c, "solve", func(config *bench.Config) error {
		config.Cs = []float64{config.Options.C}
		given(&config.Losses, b.Losses)
		given(&config.Cs, b.Cs)
		given(&config.Tols, b.Tols)
		return nil
	})
}

type benchScoreCmd struct {
	ModelFile string `file:"in" name:"model-file" group:"bench" placeholder:"FILE" help:"Model to score with (default: one trained on the files, or several on generated documents, with the options of training)."`
	threadsFlag
	trainingFlags
}

func (b *benchScoreCmd) Help() string {
	return `Documents are read from the files, scored, and the scores written to a temporary file. Without a model and
files, the corpora are generated: the first line is two classes, n-grams of orders 1-3 (unless --ngrams
says otherwise) and documents of 200 words; the others differ from it in what they say, one of them in
n-grams of characters beside those of words. Models are trained on other documents than they score.

file MB/s is of the files as they are, compressed or not; all other rates are of the text in them. No
scoring is faster than its limits: reading is the same threads that only read the documents, hashing
those that only hash the n-grams of the first 16 MB of text, in memory. range is that of text MB/s.

    nbsvm bench score --quick
    nbsvm bench score --model-file reviews.nbm --by-threads 1,2,4 new.tsv`
}

func (b *benchScoreCmd) Run(c *call) error {
	return b.measure(c, "score", func(config *bench.Config) error {
		config.Model = b.ModelFile
		b.threadsFlag.apply(c, config)
		return nil
	})
}

type benchTrainCmd struct {
	threadsFlag
	trainingFlags
}

func (b *benchTrainCmd) Help() string {
	return `Whole trainings, from the files to a model in memory: seconds in all and per stage, MB/s of text, the
peak of memory where the system tells it, and that divided by the matrix's non-zeros.

    nbsvm bench train --by-threads 1,2 reviews.tsv`
}

func (b *benchTrainCmd) Run(c *call) error {
	return b.measure(c, "train", func(config *bench.Config) error {
		b.threadsFlag.apply(c, config)
		return nil
	})
}

type benchPackCmd struct {
	Documents  []int    `group:"bench" placeholder:"N" help:"Numbers of generated documents to measure with (default: 10000, 100000 and 1000000)."`
	PackMemory *byteArg `group:"bench" placeholder:"SIZE" help:"Memory to pack with (default: ${pack_memory})."`
	Temp       string   `file:"folder" group:"bench" placeholder:"FOLDER" help:"Where to write corpora and generated text (default: the system's folder for temporary files)."`
	trainingFlags
}

func (b *benchPackCmd) Help() string {
	return `How cost grows with the number of documents, in microseconds a document: packing to a file, laying out
the matrix from it, an epoch of the solver, scoring the texts; and MB/s of text when packing, bytes of
the corpus a non-zero, peak memory. n-grams are of orders 1-2, the gap is 1e-2, unless told otherwise.

    nbsvm bench pack --documents 10000,100000,1000000 --json > growth.json`
}

func (b *benchPackCmd) Run(c *call) error {
	byDefault := bench.Defaults("pack", b.Quick).Options
	if b.Ngrams == nil {
		b.Ngrams = &ngrams{lo: byDefault.Text.NgramLo, hi: byDefault.Text.NgramHi}
	}
	if b.Tol == nil {
		b.Tol = &byDefault.Tol
	}
	if b.Names == nil {
		b.Names = &byDefault.NamesLimit
	}
	return b.measure(c, "pack", func(config *bench.Config) error {
		if len(b.Input) > 0 && b.Documents != nil {
			return usageError{errors.New("--documents is for generated documents; leave it or the files out")}
		}
		set((*byteArg)(&config.Memory), b.PackMemory)
		given(&config.Documents, b.Documents)
		config.Temp = b.Temp
		return nil
	})
}
