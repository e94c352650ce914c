package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
	"github.com/seed-167f963f/nbsvm/metrics"
)

type trainCmd struct {
	Input  []string   `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Output string     `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Where to write the model; - is standard output."`
	Valid  validFiles `file:"in" sep:"none" group:"input" placeholder:"FILE" help:"Labelled documents to evaluate the model on; of several files, give the flag for each."`

	validFlags

	Checkpoint string         `file:"binary" group:"output" placeholder:"FILE" help:"Keep in this file what is solved, and go on from it if it is there; removed once the model is written."`
	Every      *time.Duration `group:"output" placeholder:"TIME" help:"How often to save that, 0 after every epoch (default: ${every})."`

	Report string `file:"out" group:"output" placeholder:"FILE" help:"Write what is odd about the documents: likely leaks, contradictions, … as text, or JSON if FILE ends in .json."`

	inputFlags
	classFlags
	trainFlags
}

func (t *trainCmd) Help() string {
	return `The model depends on the input and the flags alone. The summary goes to standard output, or to
standard error if the model goes there.

    nbsvm train reviews.tsv -o reviews.nbm
    nbsvm train --label-sep , --valid dev.csv news.csv -o topics.nbm
    tail -n 9999 log.jsonl | nbsvm train --text-field msg -o log.nbm

A training with --checkpoint that was stopped, by Ctrl-C, a crash or kill -9, goes on when the same
command is given again, and makes the same model. Text is read again, and folds that --calibrate holds
out are trained again; what is kept is the work of the solver on the model itself.

    nbsvm train --checkpoint big.check --every 5m big.tsv.zst -o big.nbm

With --hierarchy labels are paths of a tree, whose parts a separator tells apart. A node of it is predicted, scores are
the probabilities of nodes with all that is below them, and metrics count the parts that are right, too.

    nbsvm train --hierarchy / --valid dev.tsv products.tsv -o products.nbm

Models perceptron and pa go through the documents --max-epochs times. With --valid they are evaluated after every
epoch, and stop when three have brought nothing: the weights of the best one are taken, so that figures on these
documents are a little too good. --hold-out 0.1 chooses the number of epochs on a tenth of the documents instead.

    nbsvm train --model perceptron --hold-out 0.1 reviews.tsv -o reviews.nbm

--report says what a colleague would say of the data: validation documents that are in the training set;
texts without words; classes of fewer than ten documents; labels that differ by case or white space;
same texts with different labels; an n-gram that tells a class by itself.

    nbsvm train --report odd.txt --valid dev.tsv reviews.tsv -o reviews.nbm

Presets are options to start from, which flags then change:

` + presetsTable()
}

func (t *trainCmd) Run(c *call) error {
	o, err := t.options(c, t.Input)
	if err != nil {
		return err
	}
	if o.Temp = tempFolder("", t.Output); o.Temp != "" {
		scratch.Sweep(o.Temp) // this run may need no folder of its own
	}
	if o.Checkpoint, err = t.checkpoint(); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	if err := t.check(c); err != nil {
		return err
	}
	if t.Valid.stdin() && t.stopsOnValid(o) {
		return usageError{fmt.Errorf("--valid - is read once, and model %s reads it after every epoch: name a file, or give --hold-out", o.Kind)}
	}
	return t.withInput(c, t.Input, false, func(in corpus.Input) error {
		in.ManyClasses = t.AllowManyClasses
		return t.run(c, in, o)
	})
}

// check finds, before anything is read, what would be a pity to find afterwards.
func (t *trainCmd) check(c *call) error {
	if t.Valid.stdin() && usesStdin(t.Input) {
		return usageError{errors.New("--valid - and the documents to train on can't both be standard input: name a file for one of them")}
	}
	if len(t.Valid) == 0 && t.given() {
		return usageError{errors.New("--valid-format, --valid-text-field and --valid-label-field say how --valid is read: give that, too")}
	}
	if err := t.validInput(corpus.Input{}, t.Valid).Validate(); err != nil {
		return usageError{fmt.Errorf("--valid: %w", err)}
	}
	for _, path := range t.Valid {
		if _, err := os.Stat(path); err != nil && path != "-" {
			return fmt.Errorf("--valid: %w", err)
		}
	}
	t.warnSeen(c)
	if t.Checkpoint != "" {
		if err := atomicfile.Check(t.Checkpoint); err != nil {
			return err
		}
	}
	return c.checkBinary("a model", t.Output)
}

// warnSeen tells that a file is both trained and evaluated on.
func (t *trainCmd) warnSeen(c *call) {
	if path := t.Valid.among(t.Input); path != "" {
		fmt.Fprintf(c.err, "nbsvm: warning: --valid %s is among the files to train on, so that the model has seen its documents, "+
			"and figures on them are too good: name others, or cross-validate with nbsvm cv\n", path)
	}
}

// stopsOnValid says whether training ends when the documents of --valid say so.
func (t *trainCmd) stopsOnValid(o nbsvm.Options) bool { return o.Kind.Judged() && o.HoldOut == 0 }

// defaultEvery is how often a checkpoint is saved.
const defaultEvery = 30 * time.Second

// checkpoint is the library's.
func (t *trainCmd) checkpoint() (nbsvm.Checkpoint, error) {
	c := nbsvm.Checkpoint{Path: t.Checkpoint, Every: defaultEvery}
	set(&c.Every, t.Every)
	switch {
	case t.Every != nil && t.Checkpoint == "":
		return c, usageError{errors.New("--every says how often to save a checkpoint; name its file with --checkpoint")}
	case t.Checkpoint == "-":
		return c, usageError{errors.New("--checkpoint takes a file; it is written many times, so standard output can't be it")}
	}
	return c, nil
}

func (t *trainCmd) run(c *call, in corpus.Input, o nbsvm.Options) error {
	progress := newProgress(c)
	defer progress.Clear()
	o.Progress = func(p corpus.Progress) {
		if p.Stage != "resume" && p.Stage != "plan" {
			progress.Show(p)
			return
		}
		if !c.Quiet {
			progress.Say(c.err, p.Detail)
		}
	}
	if o.Memory > 0 { // little is made anew, so collecting often costs little
		defer debug.SetGCPercent(debug.SetGCPercent(20))
	}
	defer process.KeepHeap(o.Memory)()
	if len(t.Valid) > 0 && t.stopsOnValid(o) {
		valid := t.validInput(in, t.Valid)
		o.Valid = &valid
	}
	if t.Report != "" {
		o.Review = new(nbsvm.Review)
	}
	classifier, report, err := nbsvm.Train(c.ctx, in, o)
	if err != nil {
		return t.interrupted(c, err)
	}
	if classifier.TakesFeatures() && !c.Quiet && (t.wordFlags != wordFlags{} || t.Ngrams != nil) {
		fmt.Fprintln(c.err, "nbsvm: the documents have ready-made features: flags about tokens and n-grams have no effect")
	}
	var valid *metrics.Report
	if len(t.Valid) > 0 {
		valid, err = classifier.Evaluate(c.ctx, t.validInput(in, t.Valid), nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show})
		if err != nil {
			return fmt.Errorf("--valid: %w", t.explain(err, t.Valid))
		}
		progress.Clear()
		warnUnknown(c, valid)
	}
	if err := t.review(c, in, o.Review); err != nil {
		return err
	}
	size, err := c.writeModel(t.Output, classifier)
	if err != nil {
		return err
	}
	if t.Checkpoint != "" {
		if err := os.Remove(t.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the model is written, but its checkpoint can't be removed: %w", err)
		}
	}
	progress.Clear()
	return t.summarise(c, c.summaryFor(t.Output), in, report, classifier.TakesFeatures(), valid, size)
}

// review writes what is odd about the documents.
func (t *trainCmd) review(c *call, in corpus.Input, r *nbsvm.Review) error {
	if r == nil {
		return nil
	}
	if len(t.Valid) > 0 && !t.Valid.stdin() {
		if err := r.Validate(c.ctx, t.validInput(in, t.Valid)); err != nil {
			return err
		}
	}
	return c.writeOutput(t.Report, func(w io.Writer) error {
		if filepath.Ext(t.Report) == ".json" || t.Report == "-" && c.JSON {
			return printJSON(w, r)
		}
		return r.WriteText(w)
	})
}

// interrupted tells that what is done is not lost, where that is so.
func (t *trainCmd) interrupted(c *call, err error) error {
	if t.Checkpoint != "" && errors.Is(err, context.Canceled) {
		if _, lost := os.Stat(t.Checkpoint); lost == nil {
			fmt.Fprintf(c.err, "nbsvm: the same command goes on from %s\n", t.Checkpoint)
		}
	}
	return err
}
