package tests

import (
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBoostedExplanations: features that are absent contribute, too; the features of the model are those that it splits
// on, the strongest first. TestKinds adds contributions up.
func TestBoostedExplanations(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 4 })
	for _, values := range []nbsvm.Values{nbsvm.Binary, nbsvm.TFIDF} {
		c, report := mustTrain(t, s.input(), options(func(o *nbsvm.Options) {
			o.Kind, o.Values, o.Trees.Rounds, o.Prenormalize = nbsvm.GBDT, values, 20, values == nbsvm.TFIDF
		}))
		if rows := modelOf(t, c).Keys.Size(); values == nbsvm.Binary && rows >= int(report.Features.Selected) {
			t.Errorf("the model has %d rows of %d features", rows, report.Features.Selected)
		}
		scorer, absent := newScorer(t, c), 0
		for _, d := range s.records()[:20] {
			x, err := scorer.ExplainText([]byte(d.text))
			must.OK(t, err)
			for _, f := range x.Contributions {
				if f.Absent {
					absent++
				}
				if f.Absent == (f.Value > 0) || f.Absent && strings.Contains(" "+d.text+" ", " "+f.Name+" ") {
					t.Errorf("%+v in %q", f, d.text)
				}
			}
		}
		if absent == 0 {
			t.Error("no feature that is absent contributes")
		}
		for _, list := range strongest(t, c, 5) {
			for i, f := range list.Features {
				if f.Splits == 0 || f.Gain < f.Weight || f.Weight <= 0 || f.Cover <= 0 || f.Name == "" || i > 0 && f.Weight > list.Features[i-1].Weight {
					t.Errorf("%s has %+v", list.Label, f)
				}
			}
		}
	}
}
