package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/judge"
	"github.com/seed-167f963f/nbsvm/internal/job/labels"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/packed"
)

type evalCmd struct {
	Model string   `file:"in" arg:"" help:"Model file."`
	Input []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	judgeFlags
	inputFlags
}

func (e *evalCmd) Help() string {
	return `Labels that the model does not know count as errors. Weights of documents are ignored. --json has the keys
accuracy, macro_f1, micro_f1, log_loss, roc_auc, n, per_class, confusion and more; an undefined metric is null.

    nbsvm eval reviews.nbm test.tsv
    nbsvm eval --thresholds --at-precision 0.95 --label good web.nbm dev.tsv
    nbsvm eval --most-wrong 20 --wrong wrong.jsonl reviews.nbm test.tsv
    nbsvm eval --json reviews.nbm test.tsv | jq .accuracy

--thresholds, --threshold and --at-precision show what is kept if only scores of at least a threshold count: the score
of the predicted label, or of the class that --label names. Precision is the share of the kept documents that are right,
recall the share of the wanted documents that are kept, share the part of all documents that is kept, and risk is
1 - precision. --at-k looks at the K best labels of each document, as fastText's test does.

--most-wrong shows the documents whose true label has the lowest probability (or the worst margin). Often it is the
label that is wrong. --wrong writes these documents to a file, to correct and train on.`
}

func (e *evalCmd) Run(c *call) error {
	if err := e.judgeFlags.check(e.Input); err != nil {
		return err
	}
	return e.withInput(c, e.Input, false, func(in corpus.Input) error { return e.run(c, in) })
}

func (e *evalCmd) run(c *call, in corpus.Input) error {
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	in.Like = classifier.Reading()
	o := c.scoreOptions()
	var asked *judge.Judge
	if e.judgeFlags.any() {
		options, err := e.judgeFlags.options(classifier)
		if err != nil {
			return err
		}
		asked = judge.New(classifier, options)
		o.Judge = asked.Add
	}
	report, err := classifier.Evaluate(c.ctx, in, o)
	if err != nil {
		return err
	}
	c.progress.Clear()
	warnUnknown(c, report)
	if asked == nil {
		return c.printReport(report)
	}
	found := &judgement{Found: asked.Found(report), classifier: classifier, flags: &e.judgeFlags}
	if e.Wrong != "" {
		if err := e.writeWrong(c, found.MostWrong, scoreName(classifier)); err != nil {
			return err
		}
	}
	if e.MostWrong == nil { // they are for the file alone
		found.MostWrong = nil
	}
	return c.printReport(found)
}

// judgeFlags ask of an evaluation more than its report: what thresholds keep, what is among the best labels, and which
// documents are classified most wrongly.
type judgeFlags struct {
	Thresholds  bool     `group:"output" help:"Print precision, recall and the share of documents kept for a range of thresholds."`
	Threshold   *float64 `values:"a margin, or a probability from 0 to 1" group:"output" placeholder:"SCORE" help:"Print them for this threshold."`
	AtPrecision *float64 `min:"0" max:"1" group:"output" placeholder:"P" help:"Print them for the lowest threshold that reaches the precision P."`
	Label       *string  `needs:"thresholds,threshold,at-precision" group:"output" placeholder:"LABEL" help:"Apply thresholds to the score of this class (default: to that of the predicted class, or of every class if documents have several labels)."`
	AtK         []int    `min:"1" name:"at-k" sep:"," group:"output" placeholder:"K,..." help:"Print precision and recall of the K best labels."`
	MostWrong   *int     `min:"1" group:"output" placeholder:"N" help:"Print the N most wrong documents (default with --wrong: 1,000 to the file, and none printed)."`
	Wrong       string   `file:"out" group:"output" placeholder:"FILE" help:"Write the most wrong documents to this file, as JSON lines or .tsv: label, predicted, probability, loss, text."`
}

// mostWritten is how many documents --wrong writes where no number is given.
const mostWritten = 1000

// check refuses values that make no sense, and texts of inputs that have none.
func (f *judgeFlags) check(inputs []string) error {
	switch {
	case f.Wrong == "-":
		return usageError{errors.New("--wrong can't be standard output, where the report goes: name a file")}
	}
	if f.Wrong != "" || f.MostWrong != nil {
		if i := slices.IndexFunc(inputs, packed.Is); i >= 0 {
			return usageError{fmt.Errorf("%s is a packed corpus, which has no text to show: give the documents that it was packed from", inputs[i])}
		}
	}
	return nil
}

// curves says whether thresholds are asked for.
func (f *judgeFlags) curves() bool {
	return f.Thresholds || f.Threshold != nil || f.AtPrecision != nil
}

// any says whether anything is asked for.
func (f *judgeFlags) any() bool {
	return f.curves() || f.AtK != nil || f.MostWrong != nil || f.Wrong != ""
}

// options are what is asked for of a model.
func (f *judgeFlags) options(c *nbsvm.Classifier) (o judge.Options, err error) {
	o = judge.Options{Thresholds: f.Thresholds, Threshold: f.Threshold, AtPrecision: f.AtPrecision, Class: -1, AtK: f.AtK}
	switch {
	case f.MostWrong != nil:
		o.MostWrong = *f.MostWrong
	case f.Wrong != "":
		o.MostWrong = mostWritten
	}
	if o.MostWrong > 0 && c.TakesFeatures() {
		return o, usageError{errors.New("the model takes ready-made features, so there is no text for --wrong and --most-wrong to show")}
	}
	if f.Label != nil {
		if o.Class, err = labels.Find(c.Labels(), *f.Label); err != nil {
			return o, usageError{err}
		}
	}
	return o, nil
}

// writeWrong writes documents to the file of --wrong.
func (f *judgeFlags) writeWrong(c *call, documents []judge.Document, score string) error {
	return c.writeText(f.Wrong, compressFlag{flags.Compress{How: "auto"}}, func(w io.Writer) error {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(f.Wrong), ".gz"), ".zst")
		if strings.HasSuffix(name, ".tsv") {
			return judge.WriteTSV(w, documents, score)
		}
		return judge.WriteJSON(w, documents)
	})
}

// scoreName is what the scores of a model are.
func scoreName(c *nbsvm.Classifier) string {
	if c.Probabilities() {
		return "probability"
	}
	return "margin"
}

// judgement is what was found of a model, to be printed.
type judgement struct {
	*judge.Found

	classifier *nbsvm.Classifier
	flags      *judgeFlags
}

// WriteText writes what was found below the report.
func (f *judgement) WriteText(w io.Writer) error {
	if err := f.Report.WriteText(w); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if f.flags.curves() {
		f.writeCurve(w, tw)
	}
	if len(f.AtK) > 0 {
		fmt.Fprint(w, "\nbest labels of each document\n")
		fmt.Fprint(tw, "k\tprecision\trecall\t\n")
		for _, t := range f.AtK {
			fmt.Fprintf(tw, "%d\t%.4f\t%.4f\t\n", t.K, t.Precision, t.Recall)
		}
		tw.Flush()
	}
	if f.flags.MostWrong == nil {
		return nil
	}
	fmt.Fprint(w, "\nmost wrong documents\n")
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if f.classifier.MultiLabel() {
		fmt.Fprint(tw, "loss\tlabel\tpredicted\ttext\n")
	} else {
		fmt.Fprintf(tw, "loss\tlabel\tpredicted\t%s\ttext\n", scoreName(f.classifier))
	}
	for _, d := range f.MostWrong {
		fmt.Fprintf(tw, "%.3f\t%s\t%s", d.Loss, shownLabels(d.Label), shownLabels(d.Predicted))
		if score := d.Score(); score != nil {
			fmt.Fprintf(tw, "\t%.4f", *score)
		}
		fmt.Fprintf(tw, "\t%s\n", beginning(d.Text))
	}
	return tw.Flush()
}

// writeCurve writes what thresholds keep.
func (f *judgement) writeCurve(w io.Writer, tw *tabwriter.Writer) {
	unit := "; train with --calibrate for probabilities"
	if f.classifier.Probabilities() {
		unit = ""
	}
	of, risk := "the predicted label", true
	switch {
	case f.flags.Label != nil:
		of, risk = printable.Label(*f.flags.Label), false
	case f.classifier.MultiLabel():
		of, risk = "a label", false
	}
	fmt.Fprintf(w, "\nkept if the %s of %s is at least the threshold%s\n", scoreName(f.classifier), of, unit)
	head := "threshold\tkept\tshare\tprecision\trecall\t"
	if risk {
		head += "risk\t"
	}
	fmt.Fprintln(tw, head)
	row := func(p metrics.CurvePoint) {
		fmt.Fprintf(tw, "%.6g\t%d\t%.4f\t%s\t%s\t", p.Threshold, p.Kept, p.Share, fourDigits(p.Precision), fourDigits(p.Recall))
		if risk && p.Precision != nil {
			fmt.Fprintf(tw, "%.4f\t", 1-*p.Precision)
		} else if risk {
			fmt.Fprint(tw, "-\t")
		}
		fmt.Fprintln(tw)
	}
	for _, p := range f.Thresholds {
		row(p)
	}
	if f.AtThreshold != nil {
		row(*f.AtThreshold)
	}
	if f.AtPrecision != nil && *f.AtPrecision != nil {
		row(**f.AtPrecision)
	}
	tw.Flush()
	if f.RiskArea != nil {
		fmt.Fprintf(w, "area under the risk-coverage curve: %.4f\n", *f.RiskArea)
	}
	switch {
	case f.AtPrecision == nil:
	case *f.AtPrecision == nil:
		fmt.Fprintf(w, "no threshold reaches a precision of %g\n", *f.flags.AtPrecision)
	default:
		reached := *f.AtPrecision
		fmt.Fprintf(w, "threshold %[2]v reaches a precision of %[1]g, with a recall of %[3]s\n", *f.flags.AtPrecision, reached.Threshold, fourDigits(reached.Recall))
	}
}

func fourDigits(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *v)
}

// shownLabels are the labels of a wrong document, for a line of a terminal.
func shownLabels(labels judge.Labels) string {
	var all []string
	for _, label := range labels.Names {
		all = append(all, printable.Label(label))
	}
	return cmp.Or(strings.Join(all, ","), "-")
}

// beginning is what a line of a terminal has of a text.
func beginning(text string) string {
	const width = 80
	runes := []rune(strings.Join(strings.Fields(text[:min(len(text), 8*width)]), " "))
	if len(runes) > width {
		runes = append(runes[:width-1], '…')
	}
	return printable.Text(string(runes))
}
