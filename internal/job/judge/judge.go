// Package judge finds out more of an evaluation than its report has: what thresholds keep, what is among the best
// labels of documents, and which documents are classified most wrongly.
package judge

import (
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Options say what is to be found.
type Options struct {
	Thresholds  bool     // a table of them
	Threshold   *float64 // what this one keeps
	AtPrecision *float64 // which one reaches this precision
	Class       int      // whose scores thresholds are for; -1 for the predicted one, or every one of several labels
	AtK         []int    // precision and recall of so many best labels
	MostWrong   int      // so many documents that are classified most wrongly
}

// Curve says whether thresholds are asked for.
func (o *Options) Curve() bool { return o.Thresholds || o.Threshold != nil || o.AtPrecision != nil }

// Judge collects what is to be found.
type Judge struct {
	o     Options
	c     *nbsvm.Classifier
	curve metrics.Curve
	top   metrics.TopKs
	wrong []Document // at most twice the number that is asked for
}

// New judges the predictions of a model.
func New(c *nbsvm.Classifier, o Options) *Judge {
	j := &Judge{o: o, c: c}
	for _, k := range o.AtK {
		j.top = append(j.top, metrics.TopK{K: k})
	}
	return j
}

// Add notes a document.
func (j *Judge) Add(d nbsvm.Judgement) {
	if j.o.Curve() {
		j.addToCurve(d)
	}
	if len(j.top) > 0 {
		j.top.AddDocument(d.Want, j.c.ExactScores(d.Scores))
	}
	if j.o.MostWrong > 0 {
		j.addToWrong(d)
	}
}

func (j *Judge) addToCurve(d nbsvm.Judgement) {
	has := func(k int) bool { return slices.Contains(d.Want, int32(k)) }
	switch k := j.o.Class; {
	case k >= 0:
		wanted := 0
		if slices.ContainsFunc(d.Want, func(label int32) bool { return j.c.Within(int(label), k) }) {
			wanted = 1
		}
		j.curve.AddDocument(wanted, d.Scores[k:][:1], func(int) bool { return wanted == 1 })
	case j.c.MultiLabel():
		j.curve.AddDocument(len(d.Want), d.Scores, has)
	default:
		got := int(d.Got[0])
		j.curve.AddDocument(1, d.Scores[got:][:1], func(int) bool { return has(got) })
	}
}

// Found is what was found. Its JSON keys stand beside those of the report.
type Found struct {
	*metrics.Report
	Thresholds  []metrics.CurvePoint `json:"thresholds,omitempty"`
	RiskArea    *float64             `json:"risk_area,omitempty"`
	AtThreshold *metrics.CurvePoint  `json:"at_threshold,omitempty"`
	AtPrecision **metrics.CurvePoint `json:"at_precision,omitempty"` // of nil, null in JSON, where no threshold reaches it
	AtK         metrics.TopKs        `json:"at_k,omitempty"`
	MostWrong   []Document           `json:"most_wrong,omitempty"`
}

// Found is what was found of the documents, of which the report is.
func (j *Judge) Found(report *metrics.Report) *Found {
	f := &Found{Report: report, AtK: j.top, MostWrong: j.MostWrong()}
	if j.o.Thresholds {
		f.Thresholds = j.table()
		if j.o.Class < 0 && !j.c.MultiLabel() {
			f.RiskArea = j.curve.RiskArea()
		}
	}
	if j.o.Threshold != nil {
		point := j.curve.At(*j.o.Threshold)
		f.AtThreshold = &point
	}
	if j.o.AtPrecision != nil {
		var reached *metrics.CurvePoint
		if point, ok := j.curve.AtPrecision(*j.o.AtPrecision); ok {
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
