package outdir

import (
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/packed"
)

// MostLabels is how many labels documents are counted by: records stand beside outputs, of which there are many.
const MostLabels = 1000

// Counts are how many records of an input there are, bad ones too, and what became of them.
type Counts struct {
	Documents int64 `json:"documents"`
	Written   int64 `json:"written"`
	Bad       int64 `json:"bad"`
	// Reasons are those of the bad records.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
	// Labels are the good documents by label: by the one that they have or, where they are scored, were predicted. A
	// document of several labels counts for each. There are none if there would be more than MostLabels.
	Labels     map[string]int64 `json:"labels,omitempty"`
	ManyLabels bool             `json:"many_labels,omitempty"` // there are more
}

// AddLabel adds documents of a label.
func (c *Counts) AddLabel(label string, documents int64) {
	if documents == 0 || c.ManyLabels {
		return
	}
	if c.Labels == nil {
		c.Labels = map[string]int64{}
	}
	c.Labels[strings.ToValidUTF8(label, "\uFFFD")] += documents // as JSON has it
	if len(c.Labels) > MostLabels {
		c.Labels, c.ManyLabels = nil, true
	}
}

// Add adds the counts of another input.
func (c *Counts) Add(of Counts) {
	c.Documents, c.Written, c.Bad = c.Documents+of.Documents, c.Written+of.Written, c.Bad+of.Bad
	c.Reasons = c.Reasons.Add(of.Reasons)
	if of.ManyLabels {
		c.Labels, c.ManyLabels = nil, true
	}
	for label, documents := range of.Labels {
		c.AddLabel(label, documents)
	}
}

// PackCounts are those of what was packed.
func PackCounts(of *packed.Report) Counts {
	c := Counts{Documents: of.Documents + of.Bad, Written: of.Documents, Bad: of.Bad, Reasons: of.Reasons}
	for _, class := range of.Classes {
		c.AddLabel(class.Label, int64(class.Documents))
	}
	return c
}
