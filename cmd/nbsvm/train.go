package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/packed"
)

type trainCmd struct {
	Input  []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	Output string   `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`
	Valid  []string `file:"in" sep:"none" group:"input" placeholder:"FILE" help:"Labelled documents to evaluate the model on. Repeat the flag for several files."`

	From string `file:"in" group:"input" placeholder:"MODEL" help:"Update this model with the documents, with the options that it was trained with."`

	Report string `file:"out" group:"output" placeholder:"FILE" help:"Write what looks wrong with the documents, such as leaks and contradictions, as text, or as JSON if FILE ends in .json."`

	labelledFlags
	classFlags
	trainFlags
}

func (t *trainCmd) Help() string {
	return `Trains on lines of label<TAB>text, JSON lines, CSV and other formats, and prints a summary.

    nbsvm train reviews.tsv -o reviews.nbm
    nbsvm train --label-sep , --valid dev.csv news.csv -o topics.nbm
    tail -n 9999 log.jsonl | nbsvm train --text-field msg -o log.nbm

The same input and flags give the same model, on any machine.

--hierarchy trains on labels that are paths in a tree. The model predicts a node; its score is the probability of the
node with everything below it. Metrics also count the parts of a path that are right.

    nbsvm train --hierarchy / --valid dev.tsv products.tsv -o products.nbm

With many classes, --tree grows a tree over them, with similar ones below a node, and trains each node against its
siblings on the documents below their parent alone. By itself (auto) it does so from 4096 classes on, and from 64 classes
and 2^26 documents times classes on if a document has one label, no class has a quarter of them, and there are 512 a
class (nbsvm: any number). It does not beside a --hierarchy, a limit of --memory, a --class-weight of single classes, or
with a model other than nbsvm, svm and logistic.

    nbsvm train --tree always --valid dev.tsv products.tsv -o products.nbm

Models perceptron and pa pass over the documents --max-epochs times. With --valid, they stop when three epochs have
brought no improvement, and keep the best weights; the metrics on those documents are then slightly too good. Use
--hold-out 0.1 to choose the number of epochs on a tenth of the documents instead.

    nbsvm train --model perceptron --hold-out 0.1 reviews.tsv -o reviews.nbm

--from updates a model with new documents, without the documents that it was trained on: it corrects the model by the
new ones, as far as the number of earlier documents allows. New n-grams and labels are added. Options are those of the model, but for
flags such as --C. Training on all documents is better, if you have them and the time.

    nbsvm train --from monday.nbm tuesday.tsv -o tuesday.nbm

--class trains on files that hold one class each and need no labels:

    nbsvm train --class good='wiki/*.jsonl' --class bad=crawl.txt -o quality.nbm

--target trains on numbers instead of classes, such as scores from 0 to 5. The model predicts a number:

    nbsvm train --target score --valid dev.jsonl rated.jsonl -o edu.nbm

--report lists problems of the data: validation documents that are in the training set, texts without words, classes of
fewer than ten documents, labels that differ only by case or white space, equal texts with different labels, and n-grams
that give a class away.

    nbsvm train --report problems.txt --valid dev.tsv reviews.tsv -o reviews.nbm

Presets are options to start from; other flags override them:

` + presetsTable()
}

func (t *trainCmd) Run(c *call) error {
	t.predict(t.Target)
	o, err := t.from(c)
	if err != nil {
		return err
	}
	if o.From != nil {
		defer o.From.Close()
	}
	o.Temp = tempFolder("", t.Output)
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	if err := t.check(c); err != nil {
		return err
	}
	if slices.Contains(t.Valid, "-") && t.stopsOnValid(o) {
		return usageError{fmt.Errorf("--valid - can be read only once, but model %s reads it after every epoch: name a file, or use --hold-out", o.Kind)}
	}
	return t.withInput(c, t.labelled(t.Input), func(in corpus.Input) error {
		in.ManyClasses = t.AllowManyClasses
		if o.From != nil {
			in.Like = o.From.Reading()
		}
		return t.run(c, in, o)
	})
}

// from makes the options: those of the model to update, if there is one, but for those that flags give.
func (t *trainCmd) from(c *call) (nbsvm.Options, error) {
	switch {
	case t.From == "":
		return t.options(c, t.Input)
	case !t.Preset.isFirst():
		return nbsvm.Options{}, usageError{errors.New("nbsvm: preset has no effect for updating a model, which has its own options: leave it out")}
	}
	model, err := nbsvm.Open(t.From)
	if err != nil {
		return nbsvm.Options{}, err
	}
	o, err := model.UpdateOptions()
	if err != nil {
		err = fmt.Errorf("%s: %w", t.From, err)
	} else if o, err = with(c, o, t.values()); err == nil {
		err = t.checkIgnored(o.Kind)
	}
	if err != nil {
		return o, errors.Join(err, model.Close())
	}
	return o, nil
}

// check finds mistakes before anything is read.
func (t *trainCmd) check(c *call) error {
	in := t.labelled(t.Input)
	if slices.Contains(t.Valid, "-") && in.ReadsStdin() {
		return usageError{errors.New("--valid - and the documents to train on can't both be standard input: name a file for one of them")}
	}
	if err := in.With(t.Valid...).Validate(); err != nil && len(t.Valid) > 0 && in.Validate() == nil {
		return usageError{fmt.Errorf("--valid: %w", err)}
	}
	for _, path := range t.Valid {
		if _, err := os.Stat(path); err != nil && path != "-" {
			return fmt.Errorf("--valid: %w", err)
		}
	}
	if path := sameFile(t.Valid, in.Paths); path != "" {
		fmt.Fprintf(c.err, "nbsvm: warning: --valid %s is also trained on, so its metrics are too good: name another file, or use nbsvm cv\n", path)
	}
	return nil
}

// stopsOnValid reports whether training ends when the documents of --valid say so.
func (t *trainCmd) stopsOnValid(o nbsvm.Options) bool { return o.Kind.Judged() && o.HoldOut == 0 }

func (t *trainCmd) run(c *call, in corpus.Input, o nbsvm.Options) error {
	o.Progress = func(p corpus.Progress) {
		if p.Stage != "plan" {
			c.progress.Show(p)
			return
		}
		if !c.Quiet {
			c.progress.Say(c.err, p.Detail)
		}
	}
	if o.Memory > 0 { // little is made anew, so collecting often costs little
		defer debug.SetGCPercent(debug.SetGCPercent(20))
	}
	defer keepHeap(o.Memory)()
	if len(t.Valid) > 0 && t.stopsOnValid(o) {
		valid := in.With(t.Valid...)
		o.Valid = &valid
	}
	if t.Report != "" {
		o.Review = new(nbsvm.Review)
	}
	classifier, report, err := nbsvm.Train(c.ctx, in, o)
	if err != nil {
		return err
	}
	if classifier.TakesFeatures() && !c.Quiet && c.parsed.anyGiven("ngrams", "lowercase", "punctuation", "strip-html") {
		fmt.Fprintln(c.err,
			"nbsvm: the documents have ready-made features; flags about tokens and n-grams have no effect")
	}
	if labels := len(classifier.Labels()); labels > 2 && o.Beta > 0 && o.Beta != report.Options.Beta && !c.Quiet &&
		c.parsed.anyGiven("beta") {
		fmt.Fprintf(c.err, "nbsvm: --beta is for two classes and has no effect with %d\n", labels)
	}
	var valid *metrics.Report
	if len(t.Valid) > 0 {
		valid, err = classifier.Evaluate(c.ctx, in.With(t.Valid...), c.scoreOptions())
		if err != nil {
			return fmt.Errorf("--valid: %w", explainValid(err, t.Valid))
		}
		c.progress.Clear()
		warnUnknown(c, valid)
	}
	if err := t.review(c, in, o.Review); err != nil {
		return err
	}
	size, err := c.writeModel(t.Output, classifier)
	if err != nil {
		return err
	}
	c.progress.Clear()
	return t.summarise(c, c.summaryFor(t.Output), &o, report, classifier.TakesFeatures(), valid, size)
}

// review writes what is odd about the documents.
func (t *trainCmd) review(c *call, in corpus.Input, r *nbsvm.Review) error {
	if r == nil {
		return nil
	}
	if len(t.Valid) > 0 && !slices.Contains(t.Valid, "-") {
		if err := r.Validate(c.ctx, in.With(t.Valid...)); err != nil {
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

// summarise prints what was trained, on what, and how long it took.
func (t *trainCmd) summarise(
	c *call, w io.Writer, asked *nbsvm.Options, r *nbsvm.Report, ready bool, valid *metrics.Report, size int64,
) error {
	if c.JSON {
		seconds := map[string]float64{}
		for _, stage := range r.Stages {
			seconds[stage.Name] = stage.Took.Seconds()
		}
		return printJSON(w, struct {
			*nbsvm.Report
			Seconds    map[string]float64 `json:"seconds"`
			Total      float64            `json:"total_seconds"`
			ModelBytes int64              `json:"model_bytes"`
			Valid      *metrics.Report    `json:"valid,omitempty"`
		}{r, seconds, r.Took.Seconds(), size, valid})
	}
	warn(c, r)
	if c.Quiet {
		return nil
	}
	known := facts.OfReport(r)
	if flags := chosenForText(asked, &r.Options); flags != "" && !ready {
		in := ""
		if r.Classes != nil {
			in = " in " + display.Some(len(r.Classes), "class")
		}
		known.Add("chosen", "%s, for %s of text%s", flags, display.Bytes(r.Bytes), in)
	}
	if advice := facts.Ngrams(t.values()["ngrams"], r); advice != "" {
		known.Add("note", "%s", advice)
	}
	var stages []string
	for _, stage := range r.Stages {
		stages = append(stages, fmt.Sprintf("%s %.2f s", stage.Name, stage.Took.Seconds()))
	}
	known.Add("time", "%s; total %.2f s, %.0f MB/s", strings.Join(stages, ", "), r.Took.Seconds(),
		float64(r.Bytes)/1e6/max(r.Took.Seconds(), 1e-9))
	if t.Output != "-" {
		known.Add("model", "%s, %s", display.Label(t.Output), display.Bytes(size))
	}
	if err := known.WriteText(w); err != nil {
		return err
	}
	if valid != nil {
		fmt.Fprintf(w, "\nOn %s:\n", display.Label(strings.Join(t.Valid, ", ")))
		return valid.WriteText(w)
	}
	return nil
}

// warn prints warnings after training has succeeded.
func warn(c *call, r *nbsvm.Report) {
	if what := facts.Unconverged(r); what != "" {
		fmt.Fprintf(c.err, "nbsvm: warning: %s\n", what)
	}
}

// chosenForText lists the flags of what options left to texts, with what was chosen for them.
func chosenForText(asked, o *nbsvm.Options) string {
	var flags []string
	if asked.Text.Families != o.Text.Families {
		var families []string
		for _, f := range o.Text.Families.List() {
			families = append(families, f.String())
		}
		flags = append(flags, "--ngrams "+strings.Join(families, ","))
	}
	ignored := o.Kind.Ignores()
	if asked.MinDF == 0 && !slices.Contains(ignored, "min-df") {
		flags = append(flags, fmt.Sprintf("--min-df %d", o.MinDF))
	}
	if asked.Beta == 0 && !slices.Contains(ignored, "beta") {
		flags = append(flags, fmt.Sprintf("--beta %g", o.Beta))
	}
	return strings.Join(flags, " ")
}

// warnUnknown warns about labels that the model does not know.
func warnUnknown(c *call, r *metrics.Report) {
	for _, what := range facts.Unknown(r) {
		fmt.Fprintf(c.err, "nbsvm: warning: %s\n", what)
	}
}

// sameFile returns one of some files that is among others, by whatever name; empty if none is.
func sameFile(files, others []string) string {
	for _, path := range files {
		file, err := os.Stat(path)
		if err != nil || !file.Mode().IsRegular() {
			continue
		}
		for _, name := range others {
			if other, err := os.Stat(name); err == nil && os.SameFile(other, file) {
				return path
			}
		}
	}
	return ""
}

// explainValid adds to an error in the documents of --valid how they are read.
func explainValid(err error, files []string) error {
	if packed, unread := firstOf(files, packed.Is); errors.Is(err, context.Canceled) || packed != "" || unread != nil {
		return err
	}
	return fmt.Errorf("%w; --valid is read like the documents to train on: use nbsvm eval for files with other fields",
		err)
}
