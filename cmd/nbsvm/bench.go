package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/flags"
)

// benchFlags are the flags of every benchmark.
type benchFlags struct {
	Runs  int  `config:"Runs" min:"1" group:"bench" placeholder:"N" help:"Number of samples per case (default: ${runs}; 3 with --quick)."`
	Quick bool `group:"bench" help:"Measure fewer cases and samples, to finish within a minute."`
}

// measure runs a workload, whose defaults change and then the command's flags overwrite, and prints its report.
func (f benchFlags) measure(c *call, workload string, flags any, change func(config *bench.Config) error) error {
	config := bench.Defaults(workload, f.Quick)
	switch {
	case c.Threads > 0 && workload == "cpu": // beside which one thread is of interest, too
		config.Threads = slices.Compact([]int{1, c.Threads})
	case c.Threads > 0:
		config.Threads = []int{c.Threads}
	}
	if change != nil {
		if err := change(&config); err != nil {
			return err
		}
	}
	apply(reflect.ValueOf(flags).Elem(), reflect.ValueOf(&config).Elem())
	report, err := bench.Run(c.ctx, workload, config, func(done, total int) {
		c.progress.Show(corpus.Progress{Stage: "bench", Done: int64(done), Total: int64(total), Unit: "samples"})
	})
	if err != nil {
		return wrongConfig(err)
	}
	c.progress.Clear()
	return c.printReport(report)
}

// apply sets the fields of a configuration that flags name with the tag "config", where the flags have a value.
func apply(flags, config reflect.Value) {
	for field, value := range flags.Fields() {
		name, is := field.Tag.Lookup("config")
		switch {
		case field.Anonymous:
			apply(value, config)
		case is && !value.IsZero():
			to := config.FieldByName(name)
			to.Set(reflect.Indirect(value).Convert(to.Type()))
		}
	}
}

// wrongConfig returns the error of wrong usage if a configuration was refused.
func wrongConfig(err error) error {
	if wrong, ok := errors.AsType[bench.ConfigError](err); ok {
		return usageError{wrong}
	}
	return err
}

// corpusFlags name the corpus to measure on.
type corpusFlags struct {
	Input []string `file:"in" arg:"" optional:"" help:"Files of documents (default: a generated corpus)."`
	labelledFlags
}

// apply makes the files, if there are any, the corpus of a workload: it can be read any number of times.
func (f *corpusFlags) apply(c *call, config *bench.Config) (err error) {
	in := f.labelled(f.Input)
	switch {
	case len(in.Paths) == 0:
		return nil
	case in.ReadsStdin():
		return usageError{errors.New("a benchmark reads its corpus several times: give files, not standard input")}
	case f.OnBad != "fail":
		return usageError{errors.New("--on-bad: a benchmark can't skip bad records; remove them from the files first")}
	}
	config.Input, err = f.input(c, in)
	config.Input.ManyClasses = true
	return err
}

// trainingFlags are the flags of workloads that train.
type trainingFlags struct {
	benchFlags
	corpusFlags
	trainFlags
}

// measure measures the workload with the options of training and the corpus that flags name.
func (f *trainingFlags) measure(c *call, workload string, flags any, change func(config *bench.Config)) error {
	return f.benchFlags.measure(c, workload, flags, func(config *bench.Config) (err error) {
		f.predict(f.Target)
		if config.Options, err = f.options(c, nil); err != nil {
			return err
		}
		change(config)
		return f.corpusFlags.apply(c, config)
	})
}

type benchCPUCmd struct{ benchFlags }

func (b *benchCPUCmd) Help() string {
	return `Measures how fast this machine reads memory in sequence, with one thread and with all (--threads), and how long
a random access to an 8-byte entry takes in tables of several sizes. No kernel can be faster. Wide ranges mean that
other jobs disturb the measurement.`
}

func (b *benchCPUCmd) Run(c *call) error { return b.measure(c, "cpu", b, nil) }

type benchKernelsCmd struct{ benchFlags }

func (b *benchKernelsCmd) Help() string {
	return `Measures each kernel in each implementation that this CPU runs, on random rows of several lengths in tables of
several sizes, and compares it with what the hardware allows for the same accesses.

    nbsvm bench kernels --quick`
}

func (b *benchKernelsCmd) Run(c *call) error {
	return b.measure(c, "kernels", b, nil)
}

type benchTextCmd struct {
	Orders []ordersArg `group:"bench" placeholder:"LO-HI" help:"Orders of n-grams to measure (default: 1-1,1-2,1-3)."`
	benchFlags
	corpusFlags
	optionFlags
}

// MoreFields implements the interface of package flags.
func (b *benchTextCmd) MoreFields() []*flags.Field {
	return b.declare("ngrams", "lowercase", "punctuation", "strip-html", "bits")
}

// ordersArg is a range of orders of n-grams.
type ordersArg struct{ Lo, Hi int }

// UnmarshalText reads a range such as 1-3, or one order.
func (n *ordersArg) UnmarshalText(text []byte) error {
	var f hashing.Family
	if f.UnmarshalText([]byte("word:"+string(text))) != nil {
		return fmt.Errorf("%q must be a range such as 1-2", text)
	}
	n.Lo, n.Hi = f.NgramLo, f.NgramHi
	return nil
}

func (b *benchTextCmd) Help() string {
	return `Each part works in memory on the result of the part before it, on the first 32 MB of text (4 MB with --quick):
read splits a file into records; hash computes the hashes of their n-grams; hash, distinct also finds the distinct
n-grams of each document; count counts the documents of each n-gram.

    nbsvm bench text --ngrams char --orders 1-4 reviews.tsv`
}

func (b *benchTextCmd) Run(c *call) error {
	return b.measure(c, "text", b, func(config *bench.Config) error {
		o, err := nbsvm.Options{Text: config.Text}.With(b.values())
		if err != nil {
			return usageError{err}
		}
		config.Text = o.Text
		if b.Orders != nil {
			config.Orders = nil
		}
		for _, n := range b.Orders {
			config.Orders = append(config.Orders, [2]int{n.Lo, n.Hi})
		}
		return b.corpusFlags.apply(c, config)
	})
}

type benchSolveCmd struct {
	Losses []string  `config:"Losses" group:"bench" placeholder:"NAME" help:"Losses to solve for (default: ${losses})."`
	Cs     []float64 `config:"Cs" name:"Cs" group:"bench" placeholder:"X" help:"Values of C (default: --C)."`
	Tols   []float64 `config:"Tols" group:"bench" placeholder:"X" help:"Relative duality gaps to reach (default: ${tols}; the first two with --quick)."`
	trainingFlags
}

func (b *benchSolveCmd) Help() string {
	return `Reads the corpus once, then solves for each loss, C and gap in every run. In the stage solve, s is the time in
the solver, summed over classes; wall s includes the ratio and the interpolation; ns/nnz is solver time per non-zero
visited.

    nbsvm bench solve --Cs 0.01,1 --ngrams 1-3 reviews.tsv`
}

func (b *benchSolveCmd) Run(c *call) error {
	return b.measure(c, "solve", b, func(config *bench.Config) { config.Cs = []float64{cmp.Or(config.Options.C, 1)} })
}

type benchScoreCmd struct {
	ModelFile string `config:"Model" file:"in" name:"model-file" group:"bench" placeholder:"FILE" help:"Model to score with (default: a model trained on the files or on generated documents)."`
	trainingFlags
}

func (b *benchScoreCmd) Help() string {
	return `Reads documents from the files, scores them and writes the scores to a temporary file. Without files, it
generates documents of two classes and 200 words, and others to train on. nbsvm bench gen makes other corpora.

file MB/s counts the files as stored, text MB/s the text in them. nbsvm bench text measures reading and hashing alone.

    nbsvm bench score --quick --ngrams 1-2
    nbsvm bench score --model-file reviews.nbm --threads 4 new.tsv`
}

func (b *benchScoreCmd) Run(c *call) error {
	return b.measure(c, "score", b, func(*bench.Config) {})
}

type benchGenCmd struct {
	Output     string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Output file (default: standard output)."`
	Documents  int      `group:"bench" placeholder:"N" default:"${gen_documents}" help:"Number of documents (default: ${gen_documents})."`
	Words      *int     `config:"Words" group:"bench" placeholder:"N" help:"Mean number of words per document (default: ${gen_words})."`
	Lengths    *string  `config:"Lengths" choices:"uniform,lognormal" group:"bench" placeholder:"NAME" help:"Distribution of the number of words: uniform or lognormal (default: ${gen_lengths})."`
	Vocabulary *int     `config:"Vocabulary" group:"bench" placeholder:"N" help:"Number of distinct words that all classes share (default: ${gen_vocabulary})."`
	Classes    *int     `config:"Classes" group:"bench" placeholder:"N" help:"Number of classes, each with as many words of its own (default: ${gen_classes})."`
	Zipf       *float64 `config:"Zipf" group:"bench" placeholder:"X" help:"Exponent of Zipf's law for the frequency of words (default: ${gen_zipf})."`
	Signal     *float64 `config:"Signal" group:"bench" placeholder:"X" help:"Share of words that belong to the document's class (default: ${gen_signal})."`
	Seed       uint64   `values:"0 to 18446744073709551615" group:"bench" placeholder:"N" default:"${gen_seed}" help:"Seed of the corpus (default: ${gen_seed})."`
	compressFlag
}

func (b *benchGenCmd) Help() string {
	return `Writes lines of label<TAB>text. The same flags give the same bytes on every machine.

    nbsvm bench gen --documents 1000000 --lengths lognormal | nbsvm train -o m.nbm`
}

func (b *benchGenCmd) Run(c *call) error {
	generated := bench.Defaults("gen", false).Generated
	generated.Documents, generated.Seed = b.Documents, b.Seed
	apply(reflect.ValueOf(b).Elem(), reflect.ValueOf(&generated).Elem())
	return c.writeText(b.Output, b.compressFlag, func(w io.Writer) error {
		return wrongConfig(generated.WriteTSV(c.ctx, w, c.Threads))
	})
}
