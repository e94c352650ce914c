package audit

import "github.com/seed-167f963f/nbsvm/corpus"

// Report says what the scores of a set of documents are like, beside those of an older one if there is one.
type Report struct {
	// Probabilities says that all scores are from 0 to 1, and so are taken for probabilities.
	Probabilities bool       `json:"probabilities"`
	Cut           *float64   `json:"cut"`       // from which scores are kept; nil if that was not asked for
	Threshold     *Threshold `json:"threshold"` // that keeps the share which was asked for
	All           Whole      `json:"all"`
	Against       *Whole     `json:"against"` // the older set
	Drift         *Drift     `json:"drift"`   // from the older set
	Histogram     Histogram  `json:"histogram"`
	By            []Field    `json:"by"`
	Notes         []string   `json:"notes"` // what makes figures doubtful
}

// Row describes some documents. Means and shares are nil if there are none; what is kept is nil if there is no cut.
type Row struct {
	Documents int64       `json:"documents"`
	Share     float64     `json:"share"` // of all documents
	Mean      *float64    `json:"mean"`
	Median    *float64    `json:"median"`
	Kept      *int64      `json:"kept"`
	KeptShare *float64    `json:"kept_share"`          // of these documents
	Interval  *[2]float64 `json:"kept_share_interval"` // 95 %, by Wilson's score
}

// Whole describes all documents of a set.
type Whole struct {
	Row
	Unscored   int64          `json:"unscored"`
	Bad        int64          `json:"bad"`
	BadReasons corpus.Reasons `json:"bad_reasons"`
	Distinct   int64          `json:"distinct"`   // scores
	Mode       float64        `json:"mode"`       // the most frequent score; of several, the lowest
	ModeCount  int64          `json:"mode_count"` // documents with it
	Saturation *Saturation    `json:"saturation"` // of probabilities
}

// Saturation counts probabilities at the ends. Those near an end are at most 0.0001 from it.
type Saturation struct {
	At0   int64 `json:"at_0"`
	Near0 int64 `json:"near_0"`
	Near1 int64 `json:"near_1"`
	At1   int64 `json:"at_1"`
}

// nearEnd is what rounds to an end of the probabilities in four digits, about.
const nearEnd = 1e-4

// Drift is how far scores, or the shares of groups, are from those of the older set.
type Drift struct {
	PSI float64 `json:"psi"`
	// Chance is the PSI below which 95 of 100 pairs of sets of this size are, if nothing has changed.
	Chance float64  `json:"psi_chance"`
	Shift  string   `json:"shift"`        // none, moderate, large; or chance, if the PSI is not above Chance
	KS     *float64 `json:"ks,omitempty"` // distance of Kolmogorov and Smirnov
	P      *float64 `json:"ks_p,omitempty"`
}

// From which PSI on there is said to be a shift.
const (
	moderateShift = 0.1
	largeShift    = 0.25
)

// Field is what the groups of a field are like.
type Field struct {
	Field  string `json:"field"`
	Groups int64  `json:"groups"`
	Single int64  `json:"single"` // groups of one document
	// EtaSquared is the share of the variance of the scores that the groups explain; EpsilonSquared is corrected for what
	// they explain by chance. They are nil if all scores are equal.
	EtaSquared     *float64 `json:"eta_squared"`
	EpsilonSquared *float64 `json:"epsilon_squared"`
	// KeptAUC is the area under the ROC curve of predicting whether a document is kept by the share kept of its group; nil
	// if there is no cut, or all documents are on one side.
	KeptAUC *float64 `json:"kept_auc"`
	Mix     *Drift   `json:"mix"`  // of the shares of groups
	Rows    []Group  `json:"rows"` // the largest groups
	Rest    *Group   `json:"rest"` // the others together, without medians and drift; nil if there are none
}

// Group describes the documents of a group.
type Group struct {
	Group  *string `json:"group"`            // nil for documents without a value
	Groups int64   `json:"groups,omitempty"` // of a rest, the number of its groups
	Row
	Threshold *Threshold `json:"threshold,omitempty"` // that keeps the share of the group
	Against   *Row       `json:"against,omitempty"`
	Drift     *Drift     `json:"drift,omitempty"`
}

// Histogram counts scores in bins of equal width from Low to High. Against has those of the older set.
type Histogram struct {
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Counts  []int64 `json:"counts"`
	Against []int64 `json:"against"`
}

const histogramBins = 20

// Edge returns where a bin begins, and the one before ends.
func (h *Histogram) Edge(bin int) float64 {
	part := float64(bin) / histogramBins
	return float64(h.Low*(1-part)) + float64(h.High*part)
}

// newHistogram counts scores; the older ones are nil if there is no older set.
func newHistogram(recent, old []float64, probable bool) Histogram {
	h := Histogram{Low: 0, High: 1}
	if !probable {
		h.Low, h.High = recent[0], recent[len(recent)-1]
		if len(old) > 0 {
			h.Low, h.High = min(h.Low, old[0]), max(h.High, old[len(old)-1])
		}
	}
	h.Counts = h.count(recent)
	if old != nil {
		h.Against = h.count(old)
	}
	return h
}

// count counts scores by bin.
func (h *Histogram) count(scores []float64) (counts []int64) {
	left := int64(len(scores))
	for bin := 1; bin < histogramBins; bin++ {
		higher := atLeast(scores, h.Edge(bin))
		counts, left = append(counts, left-higher), higher
	}
	return append(counts, left)
}
