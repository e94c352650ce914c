package bench

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Report is what one run of a workload measured.
type Report struct {
	Workload string    `json:"workload"`
	Started  time.Time `json:"started"`
	Machine  Machine   `json:"machine"`
	Results  []Result  `json:"results"`
	Notes    []string  `json:"notes,omitempty"` // what a reader of the figures should know
}

// Result holds the samples of one case.
type Result struct {
	Case    []label  `json:"case"`
	Metrics []Metric `json:"metrics"`
}

// label is one coordinate of a case, loss=hinge for instance.
type label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Labels makes labels of names and values in turn.
func Labels(namesAndValues ...any) []label {
	labels := make([]label, 0, len(namesAndValues)/2)
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		labels = append(labels, label{fmt.Sprint(namesAndValues[i]), fmt.Sprint(namesAndValues[i+1])})
	}
	return labels
}

// Metric is one quantity of a case, with every sample of it.
type Metric struct {
	Name    string    `json:"name"` // with its unit, "MB/s" for instance
	Samples []float64 `json:"samples"`
}

// Samples are those of the named metric, nil if the case has none.
func (r *Result) Samples(name string) []float64 {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Samples
		}
	}
	return nil
}

// Median returns the middle sample of the named metric, or the mean of the two middle ones; NaN of none.
func (r *Result) Median(name string) float64 {
	sorted := slices.Sorted(slices.Values(r.Samples(name)))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Label returns the value of the named label of a case, "" if it has none.
func (r *Result) Label(name string) string {
	for _, l := range r.Case {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}
