package tests

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestComplementOracle has scikit-learn 1.2.1's numbers, of
//
//	X = [[2,1,0,0,3],[1,0,0,1,0],[0,3,1,0,0],[0,1,2,0,1],[0,0,1,4,0],[1,0,0,2,2]], y = list("aabbcc")
//	ComplementNB(alpha=alpha).fit(X, y)._joint_log_likelihood([[1,1,0,0,1],[0,2,0,1,0]])
//
// of two classes, y = list("aaabbb"), the difference of the two; and of
// MultinomialNB(alpha=1), where rows of both are normalized to unit length (l2).
func TestComplementOracle(t *testing.T) {
	const rows = "a 1:2 2:1 5:3\na 1:1 4:1\nb 2:3 3:1\nb 2:1 3:2 5:1\nc 3:1 4:4\nc 1:1 4:2 5:2\n"
	for name, test := range map[string]struct {
		change  func(*nbsvm.Options)
		margins [2][]float64
	}{
		"alpha 1": {
			func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 1 },
			[2][]float64{{5.717603194, 5.312138086, 4.34607557}, {4.241696674, 5.940746745, 4.856901194}},
		},
		"alpha 0.25": {
			func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 0.25 },
			[2][]float64{{6.023815652, 5.544242571, 4.259634375}, {4.146113753, 6.445244611, 5.003836726}},
		},
		"two classes": {
			func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 1 },
			[2][]float64{{-1.9431148177647746}, {-0.9134954005836153}},
		},
		"multinomial of unit length": {
			func(o *nbsvm.Options) { o.Kind, o.Alpha, o.Prenormalize = nbsvm.Multinomial, 1, true },
			[2][]float64{{-3.761436573, -3.985412782, -4.212970445}, {-3.440432405, -3.104397067, -3.434482563}},
		},
	} {
		in := input([]byte(rows), corpus.SVMLight)
		if len(test.margins[0]) == 1 {
			in = input([]byte(strings.NewReplacer("b 2:3", "a 2:3", "c ", "b ").Replace(rows)), corpus.SVMLight)
		}
		in.ManyClasses = true
		c, _ := mustTrain(t, in, options(test.change, func(o *nbsvm.Options) { o.MinDF = 1 }))
		scorer := newScorer(t, c)
		for i, text := range []string{"1:1 2:1 5:1", "2:2 4:1"} {
			p, err := scorer.PredictFeatures([]byte(text))
			must.OK(t, err)
			for k, want := range test.margins[i] {
				if !near(p.Margins[k], want, 1e-6) {
					t.Errorf("%s, row %d, class %s: %v, want %v", name, i, c.Labels()[k], p.Margins[k], want)
				}
			}
		}
	}
}

// TestComplementOfOneFeature: a feature that is the only one has the probability 1, and tells nothing.
func TestComplementOfOneFeature(t *testing.T) {
	in := input([]byte("a 1:1\na 1:2\nb 1:1\nb 1:3\nc 1:1\n"), corpus.SVMLight)
	in.ManyClasses = true
	c, _ := mustTrain(t, in, options(func(o *nbsvm.Options) { o.Kind, o.MinDF = nbsvm.Complement, 1 }))
	p, err := newScorer(t, c).PredictFeatures([]byte("1:2"))
	must.OK(t, err)
	for k, m := range p.Margins {
		if m != p.Margins[0] || math.IsNaN(m) || math.IsInf(m, 0) {
			t.Errorf("class %s has the margin %v, others %v", c.Labels()[k], m, p.Margins[0])
		}
	}
}
