package nbsvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// scores returns the scores of a setting on folds; fewer than folds if some are not known.
func (s *search) scores(v TuneSetting, share int, folds []int) (scores []float64) {
	for _, fold := range folds {
		if r, ok := s.known[key{v, share, fold}]; ok {
			scores = append(scores, r.score)
		}
	}
	return scores
}

// trial sums up what is known of a setting on some of the documents.
func (s *search) trial(v TuneSetting, share int) *TuneTrial {
	t := &TuneTrial{Setting: v, Flags: v.flags(), Share: share}
	for _, fold := range s.allFolds() {
		if r, ok := s.known[key{v, share, fold}]; ok {
			t.documents += r.documents
			t.Bytes, t.Speed, t.Seconds = max(t.Bytes, r.bytes), max(t.Speed, r.speed), t.Seconds+r.seconds
		}
	}
	t.Scores = s.scores(v, share, s.foldsOf(0, s.splits))
	t.Mean, t.SE = xmath.Mean(t.Scores), standardError(t.Scores)
	if len(t.Scores) == 1 && t.documents > 0 && t.Mean >= 0 && t.Mean <= 1 {
		t.SE = math.Sqrt(t.Mean * (1 - t.Mean) / float64(t.documents)) // of a share of documents
	}
	return t
}

// tried returns the settings that were tried on a share of the documents and so many folds at least, the best first;
// those of more splits come before the others.
func (s *search) tried(share, folds int) (all []*TuneTrial) {
	for _, v := range s.order {
		if t := s.trial(v, share); len(t.Scores) >= folds && t.Speed >= s.o.MinSpeed {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *TuneTrial) int {
		return cmp.Or(cmp.Compare(len(b.Scores), len(a.Scores)), cmp.Compare(b.Mean, a.Mean))
	})
	return all
}

// complete returns the settings that were tried on all folds and all documents, the best first.
func (s *search) complete() []*TuneTrial { return s.tried(1, s.folds) }

// difference returns by how much a setting is better than another on average, and its standard error.
func difference(better, than *TuneTrial) (d, se float64) {
	differences := make([]float64, len(better.Scores))
	for k := range differences {
		differences[k] = better.Scores[k] - than.Scores[k]
	}
	return xmath.Mean(differences), standardError(differences)
}

// outcome chooses.
func (s *search) outcome(ended string) (*TuneOutcome, error) {
	out := &TuneOutcome{
		Metric: s.o.Metric, Folds: s.folds, Plain: s.o.Base.PlainFolds, Grouped: s.grouped,
		Divided: s.divided, Ended: ended, Trials: s.complete(),
	}
	if len(out.Trials) == 0 {
		out.Trials = s.incomplete()
	}
	if len(out.Trials) == 0 {
		switch {
		case s.o.MinSpeed > 0 && len(s.known) > 0:
			fastest := 0.0
			for _, r := range s.known {
				fastest = max(fastest, r.speed)
			}
			return nil, fmt.Errorf("nbsvm: none of %d settings scores %.4g MB/s, the fastest %.3g: lower TuneOptions.MinSpeed",
				len(s.order), s.o.MinSpeed/1e6, fastest/1e6)
		case ended == errTime.Error():
			return nil, s.tooShort()
		case s.refused != nil:
			return nil, s.refused
		}
		return nil, fmt.Errorf("nbsvm: none of %d settings has the metric %s: use another TuneOptions.Metric",
			len(s.order), s.o.Metric)
	}
	markPareto(out.Trials)
	out.Best = out.Trials[0]
	var usual *TuneTrial
	if k := slices.IndexFunc(out.Trials, func(t *TuneTrial) bool { return t.Setting == s.usual }); k >= 0 {
		usual = out.Trials[k]
	}
	out.Chosen, out.Why = choose(out.Trials, usual)
	o, err := out.Chosen.Setting.Options(s.o.Base)
	out.Options = o
	if slices.Contains(lower, s.o.Metric) {
		for _, t := range out.Trials {
			t.Mean = -t.Mean
			for k := range t.Scores {
				t.Scores[k] = -t.Scores[k]
			}
		}
	}
	return out, err
}

// markPareto marks the trials that no other one dominates. The last one has the fewest folds.
func markPareto(trials []*TuneTrial) {
	folds := len(trials[len(trials)-1].Scores)
	for _, t := range trials {
		t.Pareto = !slices.ContainsFunc(trials, func(other *TuneTrial) bool { return other.dominates(t, folds) })
	}
}

// dominates reports whether a trial is at least as good as another in score, size and speed, and better in one. Higher
// scores are better.
func (t *TuneTrial) dominates(other *TuneTrial, folds int) bool {
	const alike = 1.25 // speeds vary by as much where other programs run
	a, b := xmath.Mean(t.Scores[:folds]), xmath.Mean(other.Scores[:folds])
	return a >= b && t.Bytes <= other.Bytes && t.Speed*alike >= other.Speed &&
		(a > b || t.Bytes < other.Bytes || t.Speed > other.Speed*alike)
}

func (s *search) tooShort() error {
	return fmt.Errorf("nbsvm: no setting could be tried in time: reading the documents and one training take longer than %v: raise TuneOptions.Time", s.o.Time)
}

// incomplete returns the settings that were tried on most, where none was tried on all.
func (s *search) incomplete() []*TuneTrial {
	share := math.MaxInt
	for k := range s.known {
		share = min(share, k.share)
	}
	for folds := s.folds; folds > 0; folds-- {
		if all := s.tried(share, folds); len(all) > 0 {
			return all
		}
	}
	return nil
}

// choose takes the defaults unless the best setting is better than they are by more than a standard error, and then the
// simplest setting within one of the best that is no worse than they are. Trials on fewer folds than the first one's
// are out. usual is nil if the defaults were not tried.
func choose(trials []*TuneTrial, usual *TuneTrial) (*TuneTrial, string) {
	best, of := trials[0], "of the difference "
	trials = slices.DeleteFunc(slices.Clone(trials),
		func(t *TuneTrial) bool { return len(t.Scores) < len(best.Scores) })
	if len(best.Scores) == 1 {
		of = ""
	}
	behind := func(t *TuneTrial) (d, se float64) {
		if d, se = difference(best, t); len(best.Scores) == 1 {
			se = best.SE
		}
		return d, se
	}
	least := math.Inf(-1)
	if usual != nil {
		least = usual.Mean
		if d, se := behind(usual); d <= se {
			if usual == best {
				return usual, "the defaults are the best setting"
			}
			return usual, fmt.Sprintf("the defaults are no further below the best (%.4f) than one standard error %s(%.4f)", d, of, se)
		}
	}
	chosen, by, within := best, 0.0, 0.0
	for _, t := range trials[1:] {
		if d, se := behind(t); d <= se && t.Mean >= least && t.Setting.simpler(chosen.Setting) {
			chosen, by, within = t, d, se
		}
	}
	if chosen != best {
		return chosen, fmt.Sprintf("it is the simplest setting that is no further below the best (%.4f) than one standard error %s(%.4f)", by, of, within)
	}
	return chosen, "it is the best setting, and no simpler one is within one standard error of it"
}

// standardError returns the standard error of the mean; 0 for fewer than two values.
func standardError(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	return xmath.StandardError(values)
}
