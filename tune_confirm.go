package nbsvm

import (
	"context"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

const (
	// mostFinalists are compared with the defaults, which are one of them, on further splits.
	mostFinalists = 4
	// furtherSplits are made for the finalists.
	furtherSplits = 2
)

// confirm tries the finalists on the folds of further splits: those that a search compares everything on favour the
// best of many settings by chance. One split is tried after the other, for as long as there is time.
func (s *search) confirm(ctx context.Context) error {
	s.confirming = true
	some := s.finalists()
	for split := 1; len(some) > 1 && split <= furtherSplits; split++ {
		if err := s.try(ctx, some, 1, s.foldsOf(split, split)); err != nil {
			return err
		}
		s.splits = split
	}
	return nil
}

// finalists returns the defaults, the setting that would be chosen, and the best ones; none if the defaults are the
// best, or if there are no splits.
func (s *search) finalists() (some []TuneSetting) {
	all := s.complete()
	usual := slices.IndexFunc(all, func(t *TuneTrial) bool { return t.Setting == s.usual })
	if s.o.Valid != nil || usual <= 0 {
		return nil
	}
	chosen, _ := choose(all, all[usual])
	for _, t := range append([]*TuneTrial{all[usual], chosen}, all...) {
		if len(some) < mostFinalists && !slices.Contains(some, t.Setting) {
			some = append(some, t.Setting)
		}
	}
	return some
}

// toConfirm returns how much time a round of the search leaves for its finalists, given the seconds that a fold takes:
// a quarter of what there was at its beginning, at most.
func (s *search) toConfirm(seconds float64) time.Duration {
	if s.confirming || s.o.Valid != nil {
		return 0
	}
	trainings := float64(mostFinalists*furtherSplits*s.folds) / float64(min(s.folds, par.Threads(s.o.Base.Threads)))
	return min(s.spare, time.Duration(trainings*seconds*float64(time.Second)))
}
