package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Question says what a report tells.
type Question struct {
	By        []string // as the sets were read
	Cut       *float64 // documents with at least this score are kept
	KeepShare *float64 // or this share of the documents with the highest scores
	Top       int      // groups of a field that have rows of their own
}

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

func newDrift(s stability) *Drift {
	d := &Drift{PSI: s.index, Chance: s.chance, Shift: "none"}
	switch {
	case s.index < moderateShift:
	case s.index <= s.chance:
		d.Shift = "chance"
	case s.index < largeShift:
		d.Shift = "moderate"
	default:
		d.Shift = "large"
	}
	return d
}

// scoreDrift compares scores; nil if there are none on one side.
func scoreDrift(old, recent []float64) *Drift {
	if len(old) == 0 || len(recent) == 0 {
		return nil
	}
	d := newDrift(scoreStability(old, recent))
	distance, p := kolmogorovSmirnov(old, recent)
	d.KS, d.P = &distance, &p
	return d
}

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

func newHistogram(recent, old []float64, probable bool) Histogram {
	h := Histogram{Low: 0, High: 1}
	if !probable {
		h.Low, h.High = recent[0], recent[len(recent)-1]
		if len(old) > 0 {
			h.Low, h.High = min(h.Low, old[0]), max(h.High, old[len(old)-1])
		}
	}
	count := func(scores []float64) (counts []int64) {
		left := int64(len(scores))
		for i := 1; i <= histogramBins; i++ {
			higher := int64(0)
			if i < histogramBins {
				part := float64(i) / histogramBins
				higher = atLeast(scores, float64(h.Low*(1-part))+float64(h.High*part))
			}
			counts, left = append(counts, left-higher), higher
		}
		return counts
	}
	h.Counts = count(recent)
	if old != nil {
		h.Against = count(old)
	}
	return h
}

// row describes documents by their scores.
func (r *Report) row(scores []float64, of int64) Row {
	row := Row{Documents: int64(len(scores)), Share: float64(len(scores)) / float64(of)}
	if len(scores) == 0 {
		return row
	}
	average, middle := mean(scores), median(scores)
	row.Mean, row.Median = &average, &middle
	if r.Cut != nil {
		row.keep(atLeast(scores, *r.Cut))
	}
	return row
}

// keep says how many documents are kept.
func (r *Row) keep(kept int64) {
	share := float64(kept) / float64(r.Documents)
	interval := metrics.Wilson(share, float64(r.Documents))
	r.Kept, r.KeptShare, r.Interval = &kept, &share, &interval
}

// whole describes all documents of a set.
func (r *Report) whole(s *Set, scores []float64) Whole {
	w := Whole{Row: r.row(scores, s.Documents), Unscored: s.Unscored, Bad: s.Bad.Sum(), BadReasons: s.Bad}
	for i := 0; i < len(scores); w.Distinct++ {
		start := i
		for i < len(scores) && scores[i] == scores[start] {
			i++
		}
		if n := int64(i - start); n > w.ModeCount {
			w.Mode, w.ModeCount = scores[start], n
		}
	}
	if r.Probabilities {
		n := int64(len(scores))
		w.Saturation = &Saturation{n - above(scores, 0), n - above(scores, nearEnd), atLeast(scores, 1-nearEnd), atLeast(scores, 1)}
	}
	return w
}

// NewReport describes a set, beside an older one if that is not nil. Both must have been read with the fields of the
// question, and have documents.
func NewReport(set, old *Set, q Question) (*Report, error) {
	r := &Report{Cut: q.Cut, By: []Field{}, Notes: []string{}}
	if err := r.overall(set, old, &q); err != nil {
		return nil, err
	}
	for i := range q.By {
		if err := r.field(set, old, i, &q); err != nil {
			return nil, err
		}
	}
	r.note(set, "")
	if old != nil {
		r.note(old, "--against: ")
	}
	return r, nil
}

// overall describes all documents.
func (r *Report) overall(set, old *Set, q *Question) error {
	recent, err := set.sort(-1)
	if err != nil {
		return err
	}
	defer recent.free()
	before := &sorted{}
	if old != nil {
		if before, err = old.sort(-1); err != nil {
			return err
		}
		defer before.free()
	}
	const most = 1.0001 // as fastText rounds
	r.Probabilities = true
	for _, scores := range [][]float64{recent.scores, before.scores} {
		if n := len(scores); n > 0 && (scores[0] < 0 || scores[n-1] > most) {
			r.Probabilities = false
		}
	}
	if q.KeepShare != nil {
		if r.Threshold = thresholdOf(recent.scores, *q.KeepShare); r.Threshold == nil {
			return fmt.Errorf("--keep-share %v of %s is none: give a larger share, or more documents",
				*q.KeepShare, display.Some(set.Documents, "document"))
		}
		r.Cut = &r.Threshold.Threshold
	}
	r.All = r.whole(set, recent.scores)
	r.Histogram = newHistogram(recent.scores, before.scores, r.Probabilities)
	if old != nil {
		against := r.whole(old, before.scores)
		r.Against, r.Drift = &against, scoreDrift(before.scores, recent.scores)
	}
	return nil
}

// pair is a group in both sets, by its numbers there; -1 where it is not.
type pair struct {
	name     string
	now, old int
	share    float64 // the greater one
}

// field describes the groups of a field.
func (r *Report) field(set, old *Set, field int, q *Question) error {
	now, err := set.sort(field)
	if err != nil {
		return err
	}
	defer now.free()
	g, order := &set.fields[field], set.fields[field].order()
	f := Field{Field: q.By[field], Groups: int64(len(g.names)), Rows: []Group{}}
	outcomes := make([]outcome, 0, len(order))
	for _, k := range order {
		if g.counts[k] == 1 {
			f.Single++
		}
		if r.Cut != nil {
			kept := atLeast(now.of(k), *r.Cut)
			outcomes = append(outcomes, outcome{kept, g.counts[k] - kept})
		}
	}
	if eta, epsilon, ok := explained(now, order); ok {
		f.EtaSquared, f.EpsilonSquared = &eta, &epsilon
	}
	if area, ok := separation(outcomes); ok {
		f.KeptAUC = &area
	}
	pairs := make([]pair, 0, len(order))
	for _, k := range order {
		pairs = append(pairs, pair{g.names[k], k, -1, float64(g.counts[k]) / float64(set.Documents)})
	}
	before := &sorted{}
	if old != nil {
		if before, err = old.sort(field); err != nil {
			return err
		}
		defer before.free()
		pairs = join(pairs, g, &old.fields[field], old.Documents)
		f.Mix = mixDrift(pairs, now, before)
	}
	top := min(q.Top, len(pairs))
	for _, p := range pairs[:top] {
		f.Rows = append(f.Rows, r.group(p, set, old, now, before, q.KeepShare))
	}
	if top < len(pairs) {
		f.Rest = r.rest(pairs[top:], set, old, now, before)
	}
	r.By = append(r.By, f)
	return nil
}

// join adds the groups of the older set, and sorts all by their greater share.
func join(pairs []pair, g, old *groups, documents int64) []pair {
	for i := range pairs {
		if k, is := old.numbers[pairs[i].name]; is {
			pairs[i].old = int(k)
			pairs[i].share = max(pairs[i].share, float64(old.counts[k])/float64(documents))
		}
	}
	for k, name := range old.names {
		if _, is := g.numbers[name]; !is {
			pairs = append(pairs, pair{name, -1, k, float64(old.counts[k]) / float64(documents)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.share, a.share), strings.Compare(a.name, b.name))
	})
	return pairs
}

// mixDrift compares the shares of groups.
func mixDrift(pairs []pair, now, before *sorted) *Drift {
	var old, recent []int64
	for _, p := range pairs {
		old, recent = append(old, int64(len(before.get(p.old)))), append(recent, int64(len(now.get(p.now))))
	}
	return newDrift(newStability(old, recent))
}

// get returns the scores of a group; none if it is negative.
func (s *sorted) get(group int) []float64 {
	if group < 0 {
		return nil
	}
	return s.of(group)
}

func (r *Report) group(p pair, set, old *Set, now, before *sorted, share *float64) Group {
	scores := now.get(p.now)
	g := Group{Row: r.row(scores, set.Documents)}
	if p.name != "" {
		g.Group = &p.name
	}
	if share != nil && len(scores) > 0 {
		g.Threshold = thresholdOf(scores, *share)
	}
	if old != nil {
		against := r.row(before.get(p.old), old.Documents)
		g.Against, g.Drift = &against, scoreDrift(before.get(p.old), scores)
	}
	return g
}

// rest sums up groups.
func (r *Report) rest(pairs []pair, set, old *Set, now, before *sorted) *Group {
	sumUp := func(of *sorted, documents int64, number func(p pair) int) (row Row) {
		kept, total := int64(0), 0.0
		for _, p := range pairs {
			scores := of.get(number(p))
			row.Documents += int64(len(scores))
			total += sum(scores, func(x float64) float64 { return x })
			if r.Cut != nil {
				kept += atLeast(scores, *r.Cut)
			}
		}
		row.Share = float64(row.Documents) / float64(documents)
		if row.Documents > 0 {
			average := total / float64(row.Documents)
			if row.Mean = &average; r.Cut != nil {
				row.keep(kept)
			}
		}
		return row
	}
	rest := &Group{Groups: int64(len(pairs)), Row: sumUp(now, set.Documents, func(p pair) int { return p.now })}
	if old != nil {
		against := sumUp(before, old.Documents, func(p pair) int { return p.old })
		rest.Against = &against
	}
	return rest
}

// note adds what makes the figures of a set doubtful.
func (r *Report) note(s *Set, of string) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, of+fmt.Sprintf(format, args...)) }
	if s.Unscored > 0 {
		share := 100 * float64(s.Unscored) / float64(s.Unscored+s.Documents)
		add("%s without a score left out, %.2g %% of all", display.Some(s.Unscored, "record"), math.Min(share, 100))
	}
	if len(s.Empty) > 0 {
		slices.Sort(s.Empty)
		add("no record has a score in %s", display.Few(s.Empty))
	}
	switch labels := slices.Sorted(maps.Keys(s.Labels)); {
	case len(labels) == mostLabels:
		add("the scores are those of the predicted label, of %d labels or more, and can't be compared: score with --label LABEL, or name the score of one label with --score-field", mostLabels)
	case len(labels) > 1:
		add("the scores are those of the predicted label, of %d labels (%s), and can't be compared: score with --label LABEL, or name the score of one label with --score-field",
			len(labels), display.Excerpts(labels))
	}
}
