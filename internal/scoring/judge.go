package scoring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// JudgeOptions ask of an evaluation more than its report.
type JudgeOptions struct {
	Cut         []float64 `sep:"," group:"output" placeholder:"X" help:"Of models of numbers: print precision, recall, F1 and ROC AUC of telling the documents with a number of X or more. The options below look for these documents, too."`
	Thresholds  bool      `group:"output" help:"Print precision, recall and the share of documents kept for a range of thresholds."`
	Threshold   *float64  `values:"a margin, or a probability from 0 to 1" group:"output" placeholder:"SCORE" help:"Print them for this threshold."`
	AtPrecision *float64  `min:"0" max:"1" group:"output" placeholder:"P" help:"Print them for the lowest threshold that reaches the precision P."`
	Confidence  *float64  `values:"above 0 and below 1" needs:"at-precision" group:"output" placeholder:"C" help:"Choose the threshold of --at-precision so that the precision holds on new documents of the same kind, with this probability."`
	Label       *string   `needs:"thresholds,threshold,at-precision" group:"output" placeholder:"LABEL" help:"Apply thresholds to the score of this class (default: to that of the predicted class, or of every class if documents have several labels)."`
	AtK         []int     `min:"1" name:"at-k" sep:"," group:"output" placeholder:"K" help:"Print precision, recall and nDCG of the K best labels."`
	Wrong       string    `file:"out" group:"output" placeholder:"FILE" help:"Write the 1,000 most wrong documents to this file, as JSON lines: label, predicted, probability, loss, text."`
}

// mostWrong is how many documents Wrong gets.
const mostWrong = 1000

// curve reports whether thresholds are asked for.
func (o *JudgeOptions) curve() bool {
	return o.Thresholds || o.Threshold != nil || o.AtPrecision != nil
}

// Judge collects what is asked for.
type Judge struct {
	o     JudgeOptions
	c     *nbsvm.Classifier
	class int // whose scores thresholds are for; -1 for the predicted one, or every one of several labels
	curve metrics.Curve
	top   metrics.TopKs
	texts bool            // the documents that are classified most wrongly are kept
	all   int             // how many are classified wrongly
	wrong []WrongDocument // at most twice mostWrong
}

// NewJudge judges the predictions of a model. That options ask for what it does not have is the error.
func NewJudge(c *nbsvm.Classifier, o JudgeOptions) (j *Judge, err error) {
	j = &Judge{o: o, c: c, class: -1, texts: o.Wrong != ""}
	if j.texts && c.TakesFeatures() {
		return nil, errors.New("the model takes ready-made features, so there is no text for --wrong to show")
	}
	for _, k := range o.AtK {
		j.top = append(j.top, metrics.TopK{K: k})
	}
	switch n := len(o.Cut); {
	case !c.Numbers() && n > 0:
		return nil, errors.New("--cut is for models of numbers, and this one predicts labels: use --threshold")
	case c.Numbers() && len(o.AtK) > 0:
		return nil, errors.New("--at-k is for models of labels, and this one predicts numbers: leave it out")
	case c.Numbers() && o.curve() && n != 1:
		return nil, fmt.Errorf("thresholds for numbers need to know which documents are wanted: give one --cut, got %d", n)
	}
	if o.Label != nil {
		j.class, err = display.FindLabel(c.Labels(), *o.Label)
	}
	return j, cmp.Or(err, j.checkConfidence())
}

// checkConfidence refuses what no number of documents can make sure of.
func (j *Judge) checkConfidence() error {
	switch o := &j.o; {
	case o.Confidence == nil:
	case metrics.LeastKept(0.5, *o.Confidence) == 0:
		return fmt.Errorf("--confidence must be above 0 and below 1, got %g", *o.Confidence)
	case metrics.LeastKept(*o.AtPrecision, *o.Confidence) == 0:
		return fmt.Errorf("--confidence needs a precision above 0 and below 1, got --at-precision %g", *o.AtPrecision)
	case j.c.MultiLabel() && j.class < 0:
		return errors.New("--confidence counts independent decisions, and those about several labels of a document are not: give --label")
	}
	return nil
}

// NewWrong keeps the documents that several models classify most wrongly, each of them one that it was not trained on.
func NewWrong() *Judge { return &Judge{class: -1, texts: true} }

// AddOf notes a document that a model has classified.
func (j *Judge) AddOf(c *nbsvm.Classifier, d nbsvm.Judgement) {
	j.c = c
	j.addToWrong(d)
}

// Add notes a document.
func (j *Judge) Add(d nbsvm.Judgement) {
	if j.o.curve() {
		j.addToCurve(d)
	}
	for i := range j.top {
		t := &j.top[i]
		want, least, fastText := d.Want, math.Inf(-1), inside.Classifier(j.c).FastText() != nil
		if fastText {
			least = inside.Classifier(j.c).Least(0)
		}
		best := j.best(&d, t.K, least)
		if fastText { // as its test: only labels that it knows, of texts of which it knows a word
			if want = slices.DeleteFunc(slices.Clone(want), func(k int) bool { return k == metrics.Unknown }); len(want) == 0 || len(best) == 0 {
				continue
			}
		}
		t.AddList(want, best)
	}
	if j.texts {
		j.addToWrong(d)
	}
}

// best lists the K best labels of a document with scores from least: of paths, by the probabilities of exactly these.
func (j *Judge) best(d *nbsvm.Judgement, k int, least float64) []int {
	return inside.Classifier(j.c).Best((*score.Prediction)(&d.Prediction), k, least)
}

func (j *Judge) addToCurve(d nbsvm.Judgement) {
	has := func(k int) bool { return slices.Contains(d.Want, k) }
	switch k := j.class; {
	case j.c.Numbers():
		wanted := 0
		if d.Number >= j.o.Cut[0] {
			wanted = 1
		}
		j.curve.Add(wanted, d.Scores[:1], func(int) bool { return wanted == 1 })
	case k >= 0:
		wanted := 0
		if slices.ContainsFunc(d.Want, func(label int) bool { return inside.Classifier(j.c).Within(label, k) }) {
			wanted = 1
		}
		j.curve.Add(wanted, d.Scores[k:][:1], func(int) bool { return wanted == 1 })
	case j.c.MultiLabel():
		j.curve.Add(len(d.Want), d.Scores, has)
	default:
		got := d.Labels[0]
		j.curve.Add(1, d.Scores[got:][:1], func(int) bool { return has(got) })
	}
}

// Found is what was found. Its JSON keys stand beside those of the report.
type Found struct {
	*metrics.Report
	more
	judge *Judge
}

// more is what was asked for beside the report.
type more struct {
	Thresholds  []metrics.CurvePoint `json:"thresholds,omitempty"`
	AtThreshold *metrics.CurvePoint  `json:"at_threshold,omitempty"`
	// AtPrecision is nil unless asked for; it points to nil, null in JSON, where no threshold reaches the precision.
	AtPrecision **metrics.CurvePoint `json:"at_precision,omitempty"`
	// Guarantee is nil unless a confidence was asked for.
	Guarantee *Guarantee    `json:"guarantee,omitempty"`
	AtK       metrics.TopKs `json:"at_k,omitempty"`
}

// MarshalJSON writes the report with what was asked for.
func (f *Found) MarshalJSON() ([]byte, error) {
	if numbers := f.Report.Regression; numbers != nil {
		return json.Marshal(struct {
			*metrics.RegressionReport
			more
		}{numbers, f.more})
	}
	type labels metrics.Report // which has no MarshalJSON of its own
	return json.Marshal(struct {
		*labels
		more
	}{(*labels)(f.Report), f.more})
}

// Guarantee says how sure the precision of a threshold is on new documents.
type Guarantee struct {
	Confidence float64 `json:"confidence"`
	// LeastKept is how many documents must be kept, if all of them are right, for any threshold to be as sure.
	LeastKept int `json:"least_kept"`
}

// Found returns what was found of the documents, of which the report is.
func (j *Judge) Found(report *metrics.Report) *Found {
	f := &Found{Report: report, more: more{AtK: j.top}, judge: j}
	if j.o.Thresholds {
		f.Thresholds = j.table()
	}
	if j.o.Threshold != nil {
		point := j.curve.At(*j.o.Threshold)
		f.AtThreshold = &point
	}
	if j.o.AtPrecision != nil {
		var reached *metrics.CurvePoint
		at := j.curve.AtPrecision
		if level := j.o.Confidence; level != nil {
			at = func(precision float64) (metrics.CurvePoint, bool) { return j.curve.AtConfidence(precision, *level) }
			f.Guarantee = &Guarantee{*level, metrics.LeastKept(*j.o.AtPrecision, *level)}
		}
		if point, ok := at(*j.o.AtPrecision); ok {
			reached = &point
		}
		f.AtPrecision = &reached
	}
	return f
}

// table has the rows of the table of thresholds: of round probabilities, or of margins that keep round shares.
func (j *Judge) table() (points []metrics.CurvePoint) {
	if j.c.Probabilities() {
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
