// Package audit says what a filter by scores does: how scores are spread by groups of documents, which share of each
// group a threshold keeps, which threshold keeps a share, and how two sets of scores differ.
//
// All figures are exact, and are the same for documents in any order and any division into files. The scores and the
// groups of documents are kept in memory, and beyond a limit in temporary files.
package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Options say what is read of files of scores, and what a report tells of them.
type Options struct {
	Score     string   // field of the score; "" for where rows of score have it
	By        []string // fields whose values are groups
	Cut       *float64 // documents with at least this score are kept
	KeepShare *float64 // or this share of the documents with the highest scores
	Top       int      // groups of a field that have rows of their own

	Threads  int
	Progress func(corpus.Progress) // may be nil
}

// Read reports on the scores of an input, beside those of an older one if that is not nil.
func Read(ctx context.Context, in corpus.Input, against *corpus.Input, o *Options) (*Report, error) {
	by := make([]groups, len(o.By))
	for i := range by {
		by[i].numbers = map[string]uint32{}
	}
	now, err := read(ctx, in, by, o)
	if err != nil {
		return nil, err
	}
	defer now.rows.file.Close()
	r := &Report{Cut: o.Cut, By: []Field{}, Notes: []string{}}
	r.note(now, "")
	sets := []*set{now}
	if against != nil {
		old, err := read(ctx, *against, by, o)
		if err != nil {
			return nil, err
		}
		defer old.rows.file.Close()
		r.note(old, "--against: ")
		sets = append(sets, old)
	}
	err = sortSets(sets, -1, func(now, old *sorted) error { return r.overall(sets, now, old, o) })
	for i := 0; i < len(by) && err == nil; i++ {
		err = sortSets(sets, i, func(now, old *sorted) error {
			r.By = append(r.By, r.field(o.By[i], by[i].names, now, old, o))
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// sortSets sorts the scores of the newer set, and of the older one if there is one, by the groups of a field.
func sortSets(sets []*set, field int, do func(now, old *sorted) error) error {
	var tables [2]*sorted
	for i, s := range sets {
		t, err := s.sort(field)
		if err != nil {
			return err
		}
		defer t.free()
		tables[i] = t
	}
	return do(tables[0], tables[1])
}

// overall describes all documents.
func (r *Report) overall(sets []*set, now, old *sorted, o *Options) error {
	const most = 1.0001 // as fastText rounds
	r.Probabilities = true
	for _, scores := range [][]float64{now.of(0), old.of(0)} {
		if n := len(scores); n > 0 && (scores[0] < 0 || scores[n-1] > most) {
			r.Probabilities = false
		}
	}
	if o.KeepShare != nil {
		if r.Threshold = thresholdOf(now.scores, *o.KeepShare); r.Threshold == nil {
			return fmt.Errorf("--keep-share %v of %s is none: give a larger share, or more documents",
				*o.KeepShare, display.Some(len(now.scores), "document"))
		}
		r.Cut = &r.Threshold.Threshold
	}
	r.All = r.whole(sets[0], now)
	r.Histogram = newHistogram(now.scores, old.of(0), r.Probabilities)
	if old != nil {
		against := r.whole(sets[1], old)
		r.Against, r.Drift = &against, scoreDrift(old.scores, now.scores)
	}
	return nil
}

// whole describes all documents of a set.
func (r *Report) whole(s *set, t *sorted) Whole {
	w := Whole{Row: r.row(t, 0), Unscored: s.unscored, Bad: s.badReasons.Sum(), BadReasons: s.badReasons}
	scores := t.of(0)
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
		w.Saturation = &Saturation{
			At0: n - above(scores, 0), Near0: n - above(scores, nearEnd),
			Near1: atLeast(scores, 1-nearEnd), At1: atLeast(scores, 1),
		}
	}
	return w
}

// field describes the groups of a field.
func (r *Report) field(name string, names []string, now, old *sorted, o *Options) Field {
	f := Field{Field: name, Rows: []Group{}}
	var groups [][]float64 // scores of each that the newer set has, in an order that does not depend on the older one
	for _, k := range orderGroups(names, now, nil) {
		if scores := now.of(k); len(scores) > 0 {
			groups = append(groups, scores)
		}
		if len(now.of(k)) == 1 {
			f.Single++
		}
	}
	f.Groups = int64(len(groups))
	if eta, epsilon, ok := explained(groups); ok {
		f.EtaSquared, f.EpsilonSquared = &eta, &epsilon
	}
	if r.Cut != nil {
		if area, ok := separation(groups, *r.Cut); ok {
			f.KeptAUC = &area
		}
	}
	order := orderGroups(names, now, old)
	if old != nil {
		f.Mix = newDrift(old.counts(order), now.counts(order))
	}
	top := min(o.Top, len(order))
	for _, k := range order[:top] {
		g := r.group(now, old, k)
		if names[k] != "" {
			g.Group = &names[k]
		}
		if o.KeepShare != nil {
			g.Threshold = thresholdOf(now.of(k), *o.KeepShare)
		}
		g.Drift = scoreDrift(old.of(k), now.of(k))
		f.Rows = append(f.Rows, g)
	}
	if top < len(order) {
		rest := r.group(now, old, order[top:]...)
		rest.Groups, rest.Median = int64(len(order)-top), nil
		if rest.Against != nil {
			rest.Against.Median = nil
		}
		f.Rest = &rest
	}
	return f
}

// orderGroups returns the numbers of groups by their greater share of documents in a set, the greatest first, then by
// name.
func orderGroups(names []string, now, old *sorted) []int {
	shares, order := make([]float64, len(names)), make([]int, len(names))
	for k := range names {
		shares[k], order[k] = max(now.share(k), old.share(k)), k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), strings.Compare(names[a], names[b]))
	})
	return order
}

// group describes the documents of some groups together, in both sets.
func (r *Report) group(now, old *sorted, groups ...int) Group {
	g := Group{Row: r.row(now, groups...)}
	if old != nil {
		against := r.row(old, groups...)
		g.Against = &against
	}
	return g
}

// row describes the documents of some groups together. The median is that of a single one.
func (r *Report) row(t *sorted, groups ...int) (row Row) {
	total, kept := 0.0, int64(0)
	for _, k := range groups {
		scores := t.of(k)
		row.Documents += int64(len(scores))
		total += sum(scores, identity)
		if r.Cut != nil {
			kept += atLeast(scores, *r.Cut)
		}
	}
	n := float64(row.Documents)
	row.Share = n / float64(len(t.scores))
	if row.Documents == 0 {
		return row
	}
	average := total / n
	row.Mean = &average
	if len(groups) == 1 {
		middle := median(t.of(groups[0]))
		row.Median = &middle
	}
	if r.Cut != nil {
		share := float64(kept) / n
		interval := metrics.Wilson(share, n)
		row.Kept, row.KeptShare, row.Interval = &kept, &share, &interval
	}
	return row
}

// note adds what makes the figures of a set doubtful.
func (r *Report) note(s *set, of string) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, of+fmt.Sprintf(format, args...)) }
	if s.unscored > 0 {
		share := 100 * float64(s.unscored) / float64(s.unscored+s.documents)
		add("%s without a score left out, %.2g %% of all", display.Some(s.unscored, "record"), math.Min(share, 100))
	}
	if len(s.empty) > 0 {
		slices.Sort(s.empty)
		add("no record has a score in %s", display.Few(s.empty))
	}
	if labels := slices.Sorted(maps.Keys(s.labels)); len(labels) > 1 {
		which := fmt.Sprintf("%d labels (%s)", len(labels), display.Excerpts(labels))
		if len(labels) == mostLabels {
			which = fmt.Sprintf("%d labels or more", mostLabels)
		}
		add("the scores are those of the predicted label, of %s, and can't be compared: score with --label LABEL, "+
			"or name the score of one label with --score-field", which)
	}
}
