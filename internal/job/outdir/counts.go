package outdir

import (
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/packed"
)

// Counts are how many records of an input there are, bad ones too, and what became of them.
type Counts struct {
	Documents int64 `json:"documents"`
	Written   int64 `json:"written"`
	Bad       int64 `json:"bad"`
	// Reasons are those of the bad records.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
}

// Add adds the counts of another input.
func (c *Counts) Add(of Counts) {
	c.Documents, c.Written, c.Bad = c.Documents+of.Documents, c.Written+of.Written, c.Bad+of.Bad
	c.Reasons = c.Reasons.Add(of.Reasons)
}

// PackCounts are those of what was packed.
func PackCounts(of *packed.Report) Counts {
	return Counts{Documents: of.Documents + of.Bad, Written: of.Documents, Bad: of.Bad, Reasons: of.Reasons}
}
