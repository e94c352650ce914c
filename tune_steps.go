package nbsvm

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// sample is about how much of many documents is tried first.
type sample struct{ bytes, documents int64 }

var firstSample = sample{4 << 20, 2000}

// rung is a step of successive halving.
type rung struct {
	share int
	folds []int
}

// rungs returns the steps for the documents: on few bytes, or few documents, a part of them says too little. Where
// training is much work for its many outputs, the documents of two folds do if they are many.
func (s *search) rungs(documents int, bytes int64, outputs int) []rung {
	share := int(min(bytes/s.first.bytes, int64(documents)/s.first.documents))
	all := s.allFolds()
	switch {
	case share > 1:
		return []rung{{share, all[:1]}, {max(1, share/3), all[:min(2, len(all))]}, {1, all}}
	case len(all) > 2 && (bytes > s.first.bytes/4 || bytes*int64(outputs) > s.first.bytes &&
		int64(documents) > 2*s.first.documents):
		return []rung{{1, all[:2]}, {1, all}}
	}
	return []rung{{1, all}}
}

func (s *search) allFolds() []int { return s.foldsOf(0, 0) }

// foldsOf returns the folds of some splits; the first split is 0.
func (s *search) foldsOf(first, last int) (folds []int) {
	for k := first * s.folds; k < (last+1)*s.folds; k++ {
		folds = append(folds, k)
	}
	return folds
}

// halve goes through the portfolio by successive halving.
func (s *search) halve(ctx context.Context) error {
	f, err := s.read.folds(ctx, s.usual, 1)
	if err != nil {
		return err
	}
	settings := portfolioOf(s.base, s.kinds, slices.Contains(ofProbabilities, s.o.Metric))
	if s.kinds == nil || slices.Contains(s.kinds, s.usual.Kind) {
		settings = slices.DeleteFunc(settings, func(v TuneSetting) bool { return v == s.usual })
		settings = slices.Insert(settings, 0, s.usual)
	}
	ds := f.ds
	for k, r := range s.rungs(ds.Documents, ds.Meta.Bytes, len(ds.Classes.Labels)) {
		if k > 0 {
			const third, least = 3, 4
			some := settings[:min(len(settings), max(len(settings)/third, least))]
			// The defaults stay, whatever came of them on a part, and come first: without them there is nothing to
			// compare with where the time ends.
			if at := slices.Index(settings, s.usual); at >= 0 {
				some[min(at, len(some)-1)] = some[0]
				some[0] = s.usual
			}
			settings = some
		}
		if len(settings) == 0 {
			break
		}
		// One is tried before the others, to know how long it takes.
		err := s.try(ctx, settings[:1], r.share, r.folds[:1])
		if err == nil {
			err = s.try(ctx, settings, r.share, r.folds)
		}
		settings = slices.DeleteFunc(settings, func(v TuneSetting) bool {
			return len(s.scores(v, r.share, r.folds)) < len(r.folds) || s.trial(v, r.share).Speed < s.o.MinSpeed
		})
		slices.SortStableFunc(settings, func(a, b TuneSetting) int {
			return cmp.Compare(xmath.Mean(s.scores(b, r.share, r.folds)), xmath.Mean(s.scores(a, r.share, r.folds)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refine changes the best settings in one respect at a time.
func (s *search) refine(ctx context.Context) error {
	refined := map[TuneSetting]bool{}
	for {
		at, ok := s.next(refined)
		if !ok || s.perfect() {
			return nil
		}
		for better := true; better; {
			better = false
			for _, move := range moves {
				for again := true; again; {
					refined[at] = true
					changed := slices.DeleteFunc(move(at, s.task),
						func(v TuneSetting) bool { return s.kinds != nil && !slices.Contains(s.kinds, v.Kind) })
					found, err := s.race(ctx, at, changed)
					if err != nil {
						return err
					}
					if again = found != at; again {
						// In standard errors: with less it is not worth going on in the same direction.
						again = s.gain(at, found) > 0.25
						at, better = found, true
					}
				}
			}
		}
	}
}

// perfect reports whether nothing can be better than the best setting.
func (s *search) perfect() bool {
	all := s.complete()
	return len(all) > 0 && !slices.Contains(lower, s.o.Metric) && all[0].Mean >= 1
}

// next returns the best setting that was not refined, unless it is clearly worse than the best.
func (s *search) next(refined map[TuneSetting]bool) (TuneSetting, bool) {
	const most = 3 // standard errors of the difference
	var best *TuneTrial
	for _, t := range s.complete() {
		if best == nil {
			best = t
		}
		counts := func(v Values) string { return strings.TrimPrefix(string(v), "log-") }
		known := slices.ContainsFunc(slices.Collect(maps.Keys(refined)), func(r TuneSetting) bool {
			return r.Ngrams == t.Setting.Ngrams && r.Kind == t.Setting.Kind &&
				counts(r.Values) == counts(t.Setting.Values)
		})
		if known {
			continue
		}
		if d, se := difference(best, t); d <= most*se {
			return t.Setting, true
		}
	}
	return TuneSetting{}, false
}

// gain returns by how many standard errors of its mean a setting is better than another, both of which were tried on
// all.
func (s *search) gain(from, to TuneSetting) float64 {
	before, after := s.trial(from, 1), s.trial(to, 1)
	return (after.Mean - before.Mean) / max(before.SE, 1e-12)
}

// race tries changes of a setting, and returns the best of all.
func (s *search) race(ctx context.Context, at TuneSetting, changed []TuneSetting) (TuneSetting, error) {
	changed = slices.DeleteFunc(changed, func(v TuneSetting) bool { return s.onAll[v] })
	if len(changed) == 0 {
		return at, nil
	}
	mine := s.scores(at, 1, s.allFolds())
	for _, tried := range []int{2, 4, s.folds} {
		some := s.allFolds()[:min(tried, s.folds)]
		if err := s.try(ctx, changed, 1, some); err != nil {
			return at, err
		}
		margin := standardError(mine) * 2 / float64(tried)
		changed = slices.DeleteFunc(changed, func(v TuneSetting) bool {
			theirs := s.scores(v, 1, some)
			return len(theirs) < len(some) || xmath.Mean(theirs) < xmath.Mean(mine[:len(some)])-margin
		})
	}
	best, most := at, xmath.Mean(mine)
	for _, v := range changed {
		if t := s.trial(v, 1); len(t.Scores) == s.folds && t.Mean > most && t.Speed >= s.o.MinSpeed {
			best, most = v, t.Mean
		}
	}
	return best, nil
}
