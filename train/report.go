package train

import (
	"time"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"
)

// Report tells how a model was made.
type Report struct {
	Options   Options              `json:"options"`
	Documents int                  `json:"documents"`
	Bytes     int64                `json:"bytes"`   // of text
	Invalid   int64                `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad       int64                `json:"bad"`     // records left out
	Classes   []dataset.ClassCount `json:"classes"`
	Features  matrix.Stats         `json:"features"`
	Solution  *Solution            `json:"solution,omitempty"`
	Stages    []Stage              `json:"-"` // how long each took; not part of the model
	Took      time.Duration        `json:"-"`
}

// Stage is a part of the work and its duration.
type Stage struct {
	Name string
	Took time.Duration
}

// Solution sums up the solver's work over all outputs.
type Solution struct {
	Outputs     int     `json:"outputs"`
	Unconverged int     `json:"unconverged"` // outputs that stopped at the epoch limit
	Gap         float64 `json:"gap"`         // the largest relative duality gap
	Epochs      int     `json:"epochs"`      // the most of any output
	Steps       int64   `json:"steps"`
	Primal      float64 `json:"primal"` // summed over outputs
	Dual        float64 `json:"dual"`
	// Took is the time spent in the solver, summed over outputs. It is not part of
	// the model.
	Took time.Duration `json:"-"`
}

// newReport tells of a dataset and the options.
func newReport(ds *dataset.Dataset, o *Options) *Report {
	r := &Report{Options: *o, Documents: ds.Documents, Bytes: ds.Meta.Bytes, Invalid: ds.Meta.Invalid}
	for k, label := range ds.Classes.Labels {
		r.Classes = append(r.Classes, dataset.ClassCount{Label: label, Documents: ds.Classes.Sets[k].GetCardinality()})
	}
	return r
}

// Solution sums up; nil where no solver was at work.
func (f *Fitted) Solution() *Solution {
	var s Solution
	for _, out := range f.outputs {
		if out.stats == nil {
			return nil
		}
		s.Outputs++
		if !out.stats.Converged {
			s.Unconverged++
		}
		s.Gap, s.Epochs = max(s.Gap, out.stats.Gap), max(s.Epochs, out.stats.Epochs)
		s.Steps += out.stats.Steps
		s.Primal += out.stats.Primal
		s.Dual += out.stats.Dual
		s.Took += out.took
	}
	return &s
}
