package tests

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBoostedExplanations: contributions, those of absent features among them, add up to the margin; the features of
// the model are those that it splits on.
func TestBoostedExplanations(t *testing.T) {
	for name, s := range map[string]shape{
		"two classes": small, "four": small.with(func(s *shape) { s.classes = 4 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	} {
		for _, values := range []nbsvm.Values{nbsvm.Binary, nbsvm.TFIDF} {
			o := options(func(o *nbsvm.Options) {
				o.Kind, o.Values, o.Trees.Rounds, o.Prenormalize = nbsvm.GBDT, values, 20, values == nbsvm.TFIDF
			})
			c, report := mustTrain(t, s.input(), o)
			if rows := modelOf(t, c).Keys.Size(); values == nbsvm.Binary && rows >= int(report.Features.Selected) {
				t.Errorf("%s: the model has %d rows of %d features", name, rows, report.Features.Selected)
			}
			scorer, absent := newScorer(t, c), 0
			for _, d := range s.records()[:20] {
				for _, top := range []int{3, math.MaxInt} {
					x, err := scorer.ExplainTop([]byte(d.text), top)
					must.OK(t, err)
					sum := x.Bias + x.OthersMargin
					for _, f := range x.Contributions {
						sum += f.Margin
						if f.Absent {
							absent++
						}
						if f.Absent == (f.Value > 0) || f.Absent && strings.Contains(" "+d.text+" ", " "+f.Name+" ") {
							t.Errorf("%s: %+v in %q", name, f, d.text)
						}
					}
					if !near(sum, x.Margin, 1e-6) {
						t.Errorf("%s: contributions add up to %v, the margin is %v", name, sum, x.Margin)
					}
				}
			}
			if absent == 0 {
				t.Errorf("%s: no feature that is absent contributes", name)
			}
			lists, err := c.Explain(5)
			must.OK(t, err)
			for _, list := range lists {
				for _, f := range list.Features {
					if f.Splits == 0 || f.Gain < f.Weight || f.Weight <= 0 || f.Cover <= 0 || f.Name == "" {
						t.Errorf("%s: %s has %+v", name, list.Label, f)
					}
				}
				if !slices.IsSortedFunc(list.Features, func(a, b explain.Feature) int { return int(math.Copysign(1, b.Weight-a.Weight)) }) {
					t.Errorf("%s: %s has %+v", name, list.Label, list.Features)
				}
			}
			if !strings.Contains(inner(t, c).Trees(), "trees") && !strings.Contains(inner(t, c).Trees(), "leaves") {
				t.Errorf("described as %q", inner(t, c).Trees())
			}
		}
	}
}
