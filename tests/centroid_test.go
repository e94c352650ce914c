package tests

import (
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestCentroidOracle has scikit-learn 1.2.1's numbers. Of
//
//	X = [[2,1,0,0,3],[1,0,0,1,0],[0,3,1,0,0],[0,1,2,0,1],[0,0,1,4,0],[1,0,0,2,2]], y = list("aabbcc")
//	T = [[1,1,0,0,1],[0,2,0,1,0],[2,0,0,3,0],[0,0,1,1,1],[0,0,0,1,4]]
//
// these are the cosines of T with NearestCentroid(metric="cosine").fit(normalize(X), y).centroids_, and t·c − c·c/2
// with those of NearestCentroid().fit(X, y), which order classes as Euclidean distances do.
func TestCentroidOracle(t *testing.T) {
	const rows = "a 1:2 2:1 5:3\na 1:1 4:1\nb 2:3 3:1\nb 2:1 3:2 5:1\nc 3:1 4:4\nc 1:1 4:2 5:2\n"
	for name, test := range map[string]struct {
		change  func(*nbsvm.Options)
		labels  string
		margins [5][3]float64
	}{
		"Euclidean distance": {func(o *nbsvm.Options) { o.Normalize = false }, "abcaa", [5][3]float64{
			{1, -0.75, -3.75}, {-1, 0.75, -2.25}, {2, -3.25, 4.75}, {-0.5, -1.25, -0.75}, {4, -1.25, 1.75},
		}},
		"cosine": {func(*nbsvm.Options) {}, "abccc", [5][3]float64{
			{0.803607693, 0.56177805, 0.318133205},
			{0.334482138, 0.669020416, 0.403350569},
			{0.769279629, 0, 0.852326377},
			{0.52476286, 0.490422882, 0.809970784},
			{0.571859274, 0.218321412, 0.575128032},
		}},
	} {
		in := input([]byte(rows), corpus.SVMLight)
		in.ManyClasses = true
		c, _ := mustTrain(t, in, options(func(o *nbsvm.Options) { o.Kind, o.MinDF = nbsvm.Rocchio, 1 }, test.change))
		scorer := newScorer(t, c)
		for i, text := range []string{"1:1 2:1 5:1", "2:2 4:1", "1:2 4:3", "3:1 4:1 5:1", "4:1 5:4"} {
			p, err := scorer.PredictFeatures([]byte(text))
			must.OK(t, err)
			for k, want := range test.margins[i] {
				if !near(p.Margins[k], want, 1e-6) {
					t.Errorf("%s, row %d, class %s: %v, want %v", name, i, c.Labels()[k], p.Margins[k], want)
				}
			}
			if got := c.Labels()[p.Labels[0]]; got != test.labels[i:i+1] {
				t.Errorf("%s, row %d: %s is predicted, want %s", name, i, got, test.labels[i:i+1])
			}
		}
	}
}
