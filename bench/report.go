package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Report is what one run of a workload measured.
type Report struct {
	Workload string         `json:"workload"`
	Started  time.Time      `json:"started"`
	Machine  Machine        `json:"machine"`
	Settings map[string]any `json:"settings"` // of the workload: its configuration
	Results  []Result       `json:"results"`
	Notes    []string       `json:"notes,omitempty"` // what a reader of the figures should know
}

// Result holds the samples of one case.
type Result struct {
	Case    []Label  `json:"case"`
	Metrics []Metric `json:"metrics"`
}

// Label is one coordinate of a case, loss=hinge for instance.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Labels makes labels of names and values in turn.
func Labels(namesAndValues ...any) []Label {
	labels := make([]Label, 0, len(namesAndValues)/2)
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		labels = append(labels, Label{fmt.Sprint(namesAndValues[i]), fmt.Sprint(namesAndValues[i+1])})
	}
	return labels
}

// Metric is one quantity of a case, with every sample of it.
type Metric struct {
	Name    string    `json:"name"` // with its unit, "MB/s" for instance
	Better  Better    `json:"better,omitempty"`
	Samples []float64 `json:"samples"`
}

// Better says which values of a metric are the better ones.
type Better string

// Times and sizes are better when lower, rates when higher; other metrics describe.
const (
	Neither Better = ""
	Lower   Better = "lower"
	Higher  Better = "higher"
)

// key identifies a case within a report.
func (r *Result) key() string {
	var b strings.Builder
	for i, l := range r.Case {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l.Name + "=" + l.Value)
	}
	return b.String()
}

// metric finds a metric by name, nil if there is none.
func (r *Result) metric(name string) *Metric {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return &r.Metrics[i]
		}
	}
	return nil
}

// Samples are those of the named metric, nil if the case has none.
func (r *Result) Samples(name string) []float64 {
	if m := r.metric(name); m != nil {
		return m.Samples
	}
	return nil
}

// Label is the value of the named label of a case, "" if it has none.
func (r *Result) Label(name string) string {
	for _, l := range r.Case {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// newReport begins the report of a workload with the given configuration, whose
// JSON form becomes the settings.
func newReport(workload string, config any) (*Report, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("bench: recording the settings: %w", err)
	}
	r := &Report{Workload: workload, Started: time.Now().UTC().Truncate(time.Second), Machine: ThisMachine()}
	if err := json.Unmarshal(text, &r.Settings); err != nil {
		return nil, fmt.Errorf("bench: the settings of a workload must be a JSON object: %w", err)
	}
	return r, nil
}

// ReadReport reads a report's JSON form.
func ReadReport(from io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(from).Decode(&r); err != nil {
		return nil, fmt.Errorf("bench: not a report as nbsvm bench --json writes it: %w", err)
	}
	if r.Workload == "" {
		return nil, fmt.Errorf("bench: not a report as nbsvm bench --json writes it: it names no workload")
	}
	return &r, nil
}
