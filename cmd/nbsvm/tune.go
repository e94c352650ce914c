package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

type tuneCmd struct {
	Input  []string `file:"in" arg:"" optional:"" help:"Files of labelled documents. They are read several times."`
	Output string   `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write."`

	Time      *time.Duration `min:"0" group:"tune" placeholder:"TIME" help:"Stop after this time, including the final training: 30s, 2m, 1h, or 0 for no limit (default: ${tune_time}; no limit with --trials)."`
	Trials    *int           `min:"1" group:"tune" placeholder:"N" help:"Stop after N settings. The choice is then the same on every machine, unless --min-speed is given (default: no limit)."`
	Metric    string         `group:"tune" placeholder:"NAME" help:"Metric to compare by: accuracy, macro-f1, micro-f1, roc-auc, log-loss, … (default: accuracy; micro-f1 if documents have several labels; r2 of numbers)."`
	Folds     int            `min:"2" default:"5" group:"tune" placeholder:"K" help:"Number of folds (default: 5)."`
	groupFlag `group:"tune"`
	MinSpeed  rateArg  `group:"tune" placeholder:"SPEED" help:"Only consider models that score at least this much text per second on one thread of this machine, such as 100MB/s (default: any speed)."`
	Valid     []string `file:"in" sep:"none" group:"tune" placeholder:"FILE" help:"Labelled documents to compare settings on, instead of folds. Repeat the flag for several files."`

	Model []string `choices:"${kinds}" group:"tune" placeholder:"KIND,…" help:"Kinds of model to search: ${models} (default: nbsvm, svm and logistic)."`

	labelledFlags
	classFlags
	optionFlags
}

// defaultTuneTime is how long a search takes where nothing else is said.
const defaultTuneTime = 5 * time.Minute

// MoreFields implements the interface of package flags.
func (t *tuneCmd) MoreFields() []*flags.Field {
	return t.declare("lowercase", "punctuation", "strip-html", "bits", "hierarchy", "calibrate", "max-model", "range", "seed")
}

func (t *tuneCmd) Help() string {
	return `Searches for the best n-grams, values, kind of model, C, alpha, beta and more by cross-validation, then trains
on all documents. It stops after --time, after --trials, or when no change improves the best settings.

    nbsvm tune --time 2m reviews.tsv -o reviews.nbm
    nbsvm tune --trials 50 --metric macro-f1 topics.jsonl -o topics.nbm

The search first compares the defaults and settings that do well on other data, on a part of the documents if there
are many, then changes the best ones in one respect at a time. In the end it compares the best ones with the defaults
on two more splits into folds. It keeps the defaults unless the best setting is better by more than a standard error.
Then it takes the simplest setting within one standard error of the best: the one with the fewest n-grams to look up,
then the fewest flags. It prints what was tried, with the size of the model and the speed of scoring, and the command
that trains the same model without a search.

With --trials, the choice depends only on the documents, the seed and the flags; with --time or --min-speed also on the
machine.
--json prints all settings that were tried.`
}

func (t *tuneCmd) Run(c *call) error {
	o, err := t.options(c)
	if err != nil {
		return err
	}
	if path := sameFile(t.Valid, t.labelled(t.Input).Paths); path != "" {
		return usageError{fmt.Errorf("--valid %s is also trained on: give other documents, or leave --valid out to cross-validate", path)}
	}
	if t.Time == nil && t.Trials == nil && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: the search takes up to %v; --time sets another limit\n", defaultTuneTime)
	}
	return t.withInput(c, t.labelled(t.Input), func(in corpus.Input) error {
		in.ManyClasses = t.AllowManyClasses
		if len(t.Valid) > 0 {
			valid := in.With(t.Valid...)
			o.Valid = &valid
		}
		return t.run(c, in, o)
	})
}

// options returns the library's.
func (t *tuneCmd) options(c *call) (o nbsvm.TuneOptions, err error) {
	switch {
	case t.labelled(t.Input).ReadsStdin() || slices.Contains(t.Valid, "-"):
		return o, usageError{errors.New("tune reads documents several times: give files, not standard input")}
	case t.NoGroup && len(t.Valid) > 0:
		return o, usageError{errors.New("--no-group is about folds, and --valid does without: leave one of them out")}
	case t.Output == "-":
		return o, usageError{errors.New("-o can't be standard output here: name a file")}
	}
	if t.Target != "" && len(t.Model) == 0 {
		t.Model = []string{string(nbsvm.NBSVR)}
	}
	base := nbsvm.DefaultOptions()
	if err := inside.FollowPacked(&base, corpus.Input{Paths: t.Input}); err != nil {
		return o, err
	}
	if base, err = base.With(t.values()); err != nil {
		return o, usageError{err}
	}
	if len(t.Model) > 0 && nbsvm.Kind(t.Model[0]).Numbers() {
		base.Kind = nbsvm.Kind(t.Model[0])
	}
	base.Threads, base.Temp, base.PlainFolds = c.Threads, tempFolder("", t.Output), t.NoGroup
	if err := base.Validate(); err != nil {
		return o, usageError{err}
	}
	o = nbsvm.TuneOptions{
		Base: base, Metric: strings.ReplaceAll(t.Metric, "-", "_"), Folds: t.Folds, MinSpeed: float64(t.MinSpeed),
	}
	set(&o.Trials, t.Trials)
	if t.Trials == nil {
		o.Time = defaultTuneTime
	}
	set(&o.Time, t.Time)
	for _, kind := range t.Model {
		o.Kinds = append(o.Kinds, nbsvm.Kind(kind))
	}
	if err := o.Validate(); err != nil {
		return o, usageError{fmt.Errorf("--model: %w", err)}
	}
	return o, nil
}

func (t *tuneCmd) run(c *call, in corpus.Input, o nbsvm.TuneOptions) error {
	begin := time.Now()
	o.Progress = func(p nbsvm.TuneProgress) {
		if p.Trials == 0 || p.Read.Stage != "" {
			c.progress.Show(p.Read)
			return
		}
		now := corpus.Progress{
			Stage: "tune", Done: int64(p.Trials), Total: -1, Unit: "settings",
			Detail: time.Since(begin).Round(time.Second).String(),
		}
		if p.Best != nil {
			now.Detail += fmt.Sprintf("  best %.4f %s", p.Best.Mean, strings.Join(p.Best.Flags, " "))
		}
		c.progress.Show(now)
	}
	found, err := nbsvm.Tune(c.ctx, in, o)
	if err != nil {
		return err
	}
	options := found.Options
	options.Progress = c.progress.Show
	classifier, report, err := nbsvm.Train(c.ctx, in.Again(), options)
	if err != nil {
		return err
	}
	size, err := c.writeModel(t.Output, classifier)
	if err != nil {
		return err
	}
	c.progress.Clear()
	warn(c, report)
	command := trainAgain(c, &found.Options, t.Output, t.Input)
	if c.JSON {
		return printJSON(c.out, struct {
			*nbsvm.TuneOutcome
			Bad        int64          `json:"bad"` // records that were skipped
			Reasons    corpus.Reasons `json:"bad_reasons,omitempty"`
			Command    string         `json:"command"`
			ModelBytes int64          `json:"model_bytes"`
			Seconds    float64        `json:"seconds"`
		}{found, report.Bad, report.Reasons, command, size, time.Since(begin).Seconds()})
	}
	if c.Quiet {
		return nil
	}
	t.summarise(c.out, found, report, command)
	_, err = fmt.Fprintf(c.out, "model  %s, %s; total time %.1f s\n", display.Label(t.Output), display.Bytes(size),
		time.Since(begin).Seconds())
	return err
}

// shownTrials is how many settings the table has.
const shownTrials = 15

// summarise prints what was tried and chosen.
func (t *tuneCmd) summarise(w io.Writer, found *nbsvm.TuneOutcome, r *nbsvm.Report, command string) {
	what := display.Some(found.Folds, "fold")
	if len(t.Valid) > 0 {
		what = display.Label(strings.Join(t.Valid, ", "))
	}
	if share := found.Best.Share; share > 1 {
		what = fmt.Sprintf("%s of one in %d documents", display.Some(len(found.Best.Scores), "fold"), share)
	}
	if n := len(found.Best.Scores); n > found.Folds {
		finalists := len(slices.DeleteFunc(slices.Clone(found.Trials),
			func(t *nbsvm.TuneTrial) bool { return len(t.Scores) < n }))
		what += fmt.Sprintf(", the first %d of the table on %d", finalists, n)
	}
	fmt.Fprintf(w, "%s on %s; the search ended because %s\n", display.Some(len(found.Trials), "setting"), what,
		found.Ended)
	if len(t.Valid) == 0 {
		fmt.Fprintln(w, groupingOf(found.Plain, found.Grouped, found.Divided))
	}
	if r.Bad > 0 {
		fmt.Fprintf(w, "%s skipped: %s\n", display.Some(r.Bad, "bad record"), r.Reasons)
	}
	if found.Best.Share > 1 {
		fmt.Fprint(w,
			"none was tried on all documents, so the choice is a rough one: a higher --time or --trials improves it\n")
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "\t%s\tse\tmodel\tMB/s\tsettings\n", found.Metric)
	more := 0
	for k, trial := range found.Trials {
		if k >= shownTrials && trial != found.Chosen && !trial.Pareto {
			more++
			continue
		}
		mark, speed := "", ""
		if trial == found.Chosen {
			mark = "*"
		}
		if trial.Pareto {
			mark += "+"
		}
		if trial.Speed > 0 {
			speed = bench.Number(trial.Speed / 1e6)
		}
		fmt.Fprintf(tw, "%s\t%.4f\t%.4f\t%s\t%s\t%s\n", mark, trial.Mean, trial.SE, display.Bytes(trial.Bytes), speed,
			cmp.Or(strings.Join(trial.Flags, " "), "the defaults"))
	}
	tw.Flush()
	if more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
	fmt.Fprint(w, "\n+ no other setting is better in one of metric, size and speed, and at least as good in the others "+
		"(Pareto-optimal)\n")
	fmt.Fprintf(w, "* is the chosen setting: %s. This command trains the same model:\n\n    %s\n\n", found.Why,
		display.Text(command))
}

// rateArg is a number of bytes a second.
type rateArg byteSize

func (r *rateArg) UnmarshalText(text []byte) error {
	if (*byteSize)(r).UnmarshalText([]byte(strings.TrimSuffix(string(text), "/s"))) != nil {
		return fmt.Errorf("%q is not a speed such as 100MB/s", text)
	}
	return nil
}
