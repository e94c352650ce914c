package tests

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRestrict compares predictions among some labels with those among all.
func TestRestrict(t *testing.T) {
	five := small.with(func(s *shape) { s.classes = 5 })
	several := small.with(func(s *shape) { s.classes, s.multi = 5, true })
	for name, of := range map[string]struct {
		s      shape
		change func(*nbsvm.Options)
	}{
		"margins":      {five, func(*nbsvm.Options) {}},
		"calibrated":   {five, func(o *nbsvm.Options) { o.Calibrate = true }},
		"logistic":     {five, func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic }},
		"naive Bayes":  {five, func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial }},
		"neighbours":   {five, func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.Count }},
		"two":          {small, func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic }},
		"many labels":  {several, func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic }},
		"many margins": {several, func(*nbsvm.Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := mustTrain(t, of.s.input(), options(of.change))
			c, err := nbsvm.OpenBytes(encode(t, whole))
			must.OK(t, err)
			labels := []string{"class01", "class03"}
			if of.s.classes == 2 {
				labels = labels[:1]
			}
			must.OK(t, c.Restrict(labels...))
			among := func(k int) bool { return slices.Contains(labels, c.Labels()[k]) }
			others := 0
			for _, d := range of.s.with(func(s *shape) { s.seed = 2 }).records() {
				want, err := whole.Predict([]byte(d.text))
				must.OK(t, err)
				got, err := c.Predict([]byte(d.text))
				must.OK(t, err)
				best, sum := -1, 0.0
				for k, score := range want.Scores {
					if among(k) {
						sum += score
						if best < 0 || score > want.Scores[best] {
							best = k
						}
					}
				}
				wanted := slices.DeleteFunc(slices.Clone(want.Labels), func(k int) bool { return !among(k) })
				if !c.MultiLabel() {
					if wanted = []int{best}; best != want.Labels[0] {
						others++
					}
				}
				if !slices.Equal(got.Labels, wanted) || !slices.Equal(got.Margins, want.Margins) {
					t.Fatalf("labels %v and margins %v, want %v and %v", got.Labels, got.Margins, wanted, want.Margins)
				}
				for k, score := range got.Scores {
					what := want.Scores[k]
					switch {
					case !among(k) && c.Probabilities():
						what = 0
					case !among(k):
						what = math.Inf(-1)
					case c.Probabilities() && !c.MultiLabel() && sum > 0:
						what /= sum
					}
					if score != what {
						t.Fatalf("score %d is %v, want %v", k, score, what)
					}
				}
				top, err := c.Top(d.text, 5)
				must.OK(t, err)
				label, score, err := c.Classify(d.text)
				must.OK(t, err)
				if top[0] != (nbsvm.LabelScore{Label: c.Labels()[best], Score: got.Scores[best]}) || !c.MultiLabel() && label != top[0].Label || score != top[0].Score {
					t.Fatalf("the best are %v, Classify gives %s, %v", top, label, score)
				}
			}
			if !c.MultiLabel() && others == 0 {
				t.Error("no document has another label than among all")
			}
		})
	}
	c, _ := mustTrain(t, five.input(), options())
	for _, err := range []error{c.Restrict(), c.Restrict("class01", "class1")} {
		if err == nil || !strings.Contains(err.Error(), "label") {
			t.Errorf("%v", err)
		}
	}
}
