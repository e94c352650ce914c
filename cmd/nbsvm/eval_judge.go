package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/labels"
	"github.com/seed-167f963f/nbsvm/internal/printable"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// judgeFlags ask of an evaluation more than its report: what thresholds keep, what is among the best labels, and which
// documents are classified most wrongly.
type judgeFlags struct {
	Thresholds  bool     `group:"output" help:"Print a table of precision, recall and share of documents kept, by threshold."`
	Threshold   *float64 `group:"output" placeholder:"SCORE" help:"Print these of what has a score of at least SCORE."`
	AtPrecision *float64 `group:"output" placeholder:"P" help:"Print the lowest threshold that reaches the precision P, and its recall."`
	Label       *string  `group:"output" placeholder:"LABEL" help:"Thresholds are for the score of this class (default: for that of the predicted one; of every class where documents have any number of labels)."`
	AtK         []int    `name:"at-k" sep:"," group:"output" placeholder:"K,..." help:"Print precision and recall of the K best labels."`
	MostWrong   *int     `group:"output" placeholder:"N" help:"Print the N documents that are classified most wrongly (default with --wrong: 1,000, of which none are printed)."`
	Wrong       string   `file:"out" group:"output" placeholder:"FILE" help:"Write them there, JSON lines or .tsv: label, predicted, probability, loss, text."`
}

// mostWritten is how many documents --wrong writes where no number is given.
const mostWritten = 1000

// check refuses values that make no sense, and texts of inputs that have none.
func (f *judgeFlags) check(inputs []string) error {
	switch {
	case f.Threshold != nil && (math.IsNaN(*f.Threshold) || math.IsInf(*f.Threshold, 0)):
		return usageError{fmt.Errorf("--threshold is %v, want a number", *f.Threshold)}
	case f.AtPrecision != nil && !(*f.AtPrecision > 0 && *f.AtPrecision <= 1):
		return usageError{fmt.Errorf("--at-precision is %v, want a share above 0, up to 1", *f.AtPrecision)}
	case slices.ContainsFunc(f.AtK, func(k int) bool { return k < 1 }):
		return usageError{fmt.Errorf("--at-k is %d, want numbers from 1", slices.Min(f.AtK))}
	case f.MostWrong != nil && *f.MostWrong < 1:
		return usageError{fmt.Errorf("--most-wrong is %d, want 1 or more", *f.MostWrong)}
	case f.Wrong == "-":
		return usageError{errors.New("--wrong can't be standard output, which has the report: name a file")}
	case f.Label != nil && !f.curves():
		return usageError{errors.New("--label is for thresholds: give --thresholds, --threshold or --at-precision as well")}
	}
	if f.Wrong != "" || f.MostWrong != nil {
		if i := slices.IndexFunc(inputs, nbsvm.IsPacked); i >= 0 {
			return usageError{fmt.Errorf("%s is a packed corpus, which has no texts to show: give eval the documents that it was made of", inputs[i])}
		}
	}
	return nil
}

// curves says whether thresholds are asked for.
func (f *judgeFlags) curves() bool {
	return f.Thresholds || f.Threshold != nil || f.AtPrecision != nil
}

// judge collects what is asked for.
type judge struct {
	*judgeFlags
	classifier *nbsvm.Classifier
	class      int // whose scores thresholds are for; -1 for the predicted one, or every one
	curve      metrics.Curve
	top        []metrics.TopK
	wrong      []wrongDocument // at most twice the number that is asked for
	most       int
}

// newJudge is nil where nothing is asked for.
func (f *judgeFlags) newJudge(c *nbsvm.Classifier) (*judge, error) {
	if !f.curves() && f.AtK == nil && f.MostWrong == nil && f.Wrong == "" {
		return nil, nil
	}
	j := &judge{judgeFlags: f, classifier: c, class: -1}
	switch {
	case f.MostWrong != nil:
		j.most = *f.MostWrong
	case f.Wrong != "":
		j.most = mostWritten
	}
	if j.most > 0 && c.TakesFeatures() {
		return nil, usageError{errors.New("the model takes ready-made features: there are no texts for --wrong and --most-wrong to show")}
	}
	if f.Label != nil {
		var err error
		if j.class, err = labels.Find(c.Labels(), *f.Label); err != nil {
			return nil, usageError{err}
		}
	}
	for _, k := range f.AtK {
		j.top = append(j.top, metrics.TopK{K: k})
	}
	return j, nil
}

// add notes a document.
func (j *judge) add(d nbsvm.Judgement) {
	if j.curves() {
		j.addToCurve(d)
	}
	if len(j.top) > 0 {
		var places []int
		for _, k := range d.Want {
			if k != metrics.Unknown {
				places = append(places, placeOf(d.Scores, int(k)))
			}
		}
		for i := range j.top {
			j.top[i].AddDocument(places, len(d.Want), len(d.Scores))
		}
	}
	if loss := j.loss(d); j.most > 0 && loss > 0 {
		if j.wrong = append(j.wrong, j.describe(d, loss)); len(j.wrong) == 2*j.most {
			j.keepMostWrong()
		}
	}
}

func (j *judge) addToCurve(d nbsvm.Judgement) {
	has := func(k int) bool { return slices.Contains(d.Want, int32(k)) }
	switch {
	case j.class >= 0:
		wanted := 0
		if has(j.class) {
			wanted = 1
		}
		j.curve.AddDocument(wanted, d.Scores[j.class:][:1], func(int) bool { return wanted == 1 })
	case j.classifier.MultiLabel():
		j.curve.AddDocument(len(d.Want), d.Scores, has)
	default:
		got := int(d.Got[0])
		j.curve.AddDocument(1, d.Scores[got:][:1], func(int) bool { return has(got) })
	}
}

// placeOf is the place of a class in the order of scores, best first.
func placeOf(scores []float64, class int) int {
	place := 0
	for k, score := range scores {
		if score > scores[class] || score == scores[class] && k < class {
			place++
		}
	}
	return place
}

// wrongDocument is one that is classified wrongly. Its keys are those by which it is read again.
type wrongDocument struct {
	Label       any      `json:"label"`     // a name; or names, where documents have any number of labels
	Predicted   any      `json:"predicted"` // likewise
	Probability *float64 `json:"probability,omitempty"`
	Margin      *float64 `json:"margin,omitempty"` // where there are no probabilities
	Loss        float64  `json:"loss"`
	Text        string   `json:"text"`
}

// loss is how wrong a prediction is; 0 if it is right, or the label is one that the model does not know. Of
// probabilities it is the negative logarithm of what the right decision had, of margins by how much it is behind; where
// documents have any number of labels, the sum over those that are missed or too many.
func (j *judge) loss(d nbsvm.Judgement) float64 {
	wrong := func(p float64) float64 { return -math.Log(max(p, 0x1p-52)) }
	probabilities := j.classifier.Probabilities()
	if !j.classifier.MultiLabel() {
		want, got := d.Want[0], d.Got[0]
		switch {
		case want == metrics.Unknown || want == got:
			return 0
		case probabilities:
			return wrong(d.Scores[want])
		}
		return d.Scores[got] - d.Scores[want]
	}
	var sum float64
	for k, score := range d.Scores {
		want, got := slices.Contains(d.Want, int32(k)), slices.Contains(d.Got, int32(k))
		switch {
		case want == got:
		case probabilities && want:
			sum += wrong(score)
		case probabilities:
			sum += wrong(1 - score)
		default:
			sum += math.Abs(score - j.classifier.Model().Threshold[k])
		}
	}
	return sum
}

// describe copies what is to be shown of a document.
func (j *judge) describe(d nbsvm.Judgement, loss float64) wrongDocument {
	names := func(classes []int32) any {
		list := []string{}
		for _, k := range classes {
			if k != metrics.Unknown {
				list = append(list, j.classifier.Labels()[k])
			}
		}
		if !j.classifier.MultiLabel() {
			return list[0]
		}
		return list
	}
	w := wrongDocument{Label: names(d.Want), Predicted: names(d.Got), Loss: loss, Text: string(d.Document.Text)}
	if j.classifier.MultiLabel() {
		return w
	}
	score := d.Scores[d.Got[0]]
	if j.classifier.Probabilities() {
		w.Probability = &score
	} else {
		w.Margin = &score
	}
	return w
}

// keepMostWrong leaves the documents of the highest loss, highest first; of the same loss those that came first.
func (j *judge) keepMostWrong() {
	slices.SortStableFunc(j.wrong, func(a, b wrongDocument) int { return cmp.Compare(b.Loss, a.Loss) })
	clear(j.wrong[min(j.most, len(j.wrong)):])
	j.wrong = j.wrong[:min(j.most, len(j.wrong))]
}

// judgement is what was found. Its JSON keys stand beside those of the report.
type judgement struct {
	*metrics.Report
	Thresholds  []metrics.CurvePoint `json:"thresholds,omitempty"`
	RiskArea    *float64             `json:"risk_area,omitempty"`
	AtThreshold *metrics.CurvePoint  `json:"at_threshold,omitempty"`
	AtPrecision any                  `json:"at_precision,omitempty"` // null where no threshold reaches it
	AtK         []metrics.TopK       `json:"at_k,omitempty"`
	MostWrong   []wrongDocument      `json:"most_wrong,omitempty"`

	judge *judge
}

// found puts together what is to be printed, and writes the file of wrong documents.
func (j *judge) found(c *call, report *metrics.Report) (*judgement, error) {
	f := &judgement{Report: report, AtK: j.top, judge: j}
	j.keepMostWrong()
	if j.MostWrong != nil {
		f.MostWrong = j.wrong
	}
	if j.Thresholds {
		f.Thresholds = j.table()
		if j.class < 0 && !j.classifier.MultiLabel() {
			f.RiskArea = j.curve.RiskArea()
		}
	}
	if j.Threshold != nil {
		point := j.curve.At(*j.Threshold)
		f.AtThreshold = &point
	}
	if j.AtPrecision != nil {
		var reached *metrics.CurvePoint
		if point, ok := j.curve.AtPrecision(*j.AtPrecision); ok {
			reached = &point
		}
		f.AtPrecision = reached
	}
	if j.Wrong == "" {
		return f, nil
	}
	return f, c.writeText(j.Wrong, compressFlag{Compress: "auto"}, j.writeWrong)
}

// table has the rows of --thresholds: of round probabilities, or of margins that keep round shares.
func (j *judge) table() (points []metrics.CurvePoint) {
	if j.classifier.Probabilities() {
		for _, t := range []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995} {
			points = append(points, j.curve.At(t))
		}
		return points
	}
	for _, share := range []float64{1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.01} {
		point := j.curve.AtShare(share)
		if n := len(points); n == 0 || points[n-1].Threshold != point.Threshold {
			points = append(points, point)
		}
	}
	return points
}

// WriteText writes what was found below the report.
func (f *judgement) WriteText(w io.Writer) error {
	if err := f.Report.WriteText(w); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if f.judge.curves() {
		f.writeCurve(w, tw)
	}
	if len(f.AtK) > 0 {
		fmt.Fprint(w, "\nthe best labels of every document\n")
		fmt.Fprint(tw, "k\tprecision\trecall\t\n")
		for _, t := range f.AtK {
			fmt.Fprintf(tw, "%d\t%.4f\t%.4f\t\n", t.K, t.Precision, t.Recall)
		}
		tw.Flush()
	}
	if f.judge.MostWrong == nil {
		return nil
	}
	fmt.Fprint(w, "\nthe most wrong documents\n")
	kind := "margin"
	if f.judge.classifier.Probabilities() {
		kind = "probability"
	}
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if f.judge.classifier.MultiLabel() {
		fmt.Fprint(tw, "loss\tlabel\tpredicted\ttext\n")
	} else {
		fmt.Fprintf(tw, "loss\tlabel\tpredicted\t%s\ttext\n", kind)
	}
	for _, d := range f.MostWrong {
		fmt.Fprintf(tw, "%.3f\t%s\t%s", d.Loss, shownLabels(d.Label), shownLabels(d.Predicted))
		if score := cmp.Or(d.Probability, d.Margin); score != nil {
			fmt.Fprintf(tw, "\t%.4f", *score)
		}
		fmt.Fprintf(tw, "\t%s\n", beginning(d.Text))
	}
	return tw.Flush()
}

func (f *judgement) writeCurve(w io.Writer, tw *tabwriter.Writer) {
	j := f.judge
	score, unit := "margin", "; for probabilities, train with --calibrate"
	if j.classifier.Probabilities() {
		score, unit = "probability", ""
	}
	of, risk := "the predicted label", j.class < 0 && !j.classifier.MultiLabel()
	switch {
	case j.class >= 0:
		of = printable.Label(j.classifier.Labels()[j.class])
	case j.classifier.MultiLabel():
		of = "a label"
	}
	fmt.Fprintf(w, "\nkept where the %s of %s is at least a threshold%s\n", score, of, unit)
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
	reached, _ := f.AtPrecision.(*metrics.CurvePoint)
	if reached != nil {
		row(*reached)
	}
	tw.Flush()
	if f.RiskArea != nil {
		fmt.Fprintf(w, "area under risk and share kept: %.4f\n", *f.RiskArea)
	}
	switch {
	case j.AtPrecision == nil:
	case reached == nil:
		fmt.Fprintf(w, "no threshold reaches a precision of %g\n", *j.AtPrecision)
	default:
		fmt.Fprintf(w, "a precision of %g is reached from %v on, with a recall of %s\n", *j.AtPrecision, reached.Threshold, fourDigits(reached.Recall))
	}
}

func fourDigits(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *v)
}

// shownLabels are the labels of a wrong document, for a line of a terminal.
func shownLabels(labels any) string {
	if label, one := labels.(string); one {
		return printable.Label(label)
	}
	var all []string
	for _, label := range labels.([]string) {
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

// writeWrong writes the most wrong documents as records that train, eval and score read.
func (j *judge) writeWrong(w io.Writer) error {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(j.Wrong), ".gz"), ".zst")
	if strings.HasSuffix(name, ".tsv") {
		return j.writeWrongTSV(w)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range j.wrong {
		if err := e.Encode(&j.wrong[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeWrongTSV writes columns under a header. What would end one becomes a space; labels are joined by commas.
func (j *judge) writeWrongTSV(w io.Writer) error {
	column := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace
	joined := func(labels any) string {
		if label, one := labels.(string); one {
			return column(label)
		}
		return column(strings.Join(labels.([]string), ","))
	}
	score := "margin"
	if j.classifier.Probabilities() {
		score = "probability"
	}
	if _, err := fmt.Fprintf(w, "label\tpredicted\t%s\tloss\ttext\n", score); err != nil {
		return err
	}
	for _, d := range j.wrong {
		var digits string
		if score := cmp.Or(d.Probability, d.Margin); score != nil {
			digits = string(appendScore(nil, *score))
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", joined(d.Label), joined(d.Predicted), digits, appendScore(nil, d.Loss), column(d.Text)); err != nil {
			return err
		}
	}
	return nil
}
