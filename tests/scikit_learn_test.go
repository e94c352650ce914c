package tests

import (
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestScikitLearn has scikit-learn 1.2.1's numbers. Of
//
//	X = [[2,1,0,0,3],[1,0,0,1,0],[0,3,1,0,0],[0,1,2,0,1],[0,0,1,4,0],[1,0,0,2,2]], y = list("aabbcc")
//	T = [[1,1,0,0,1],[0,2,0,1,0],[2,0,0,3,0],[0,0,1,1,1],[0,0,0,1,4]]
//
// margins of centroids are the cosines of T with NearestCentroid(metric="cosine").fit(normalize(X), y).centroids_, and
// t·c − c·c/2 with those of NearestCentroid().fit(X, y), which order classes as Euclidean distances do. The others are
// ComplementNB(alpha=alpha).fit(X, y)._joint_log_likelihood(T); of two classes, y = list("aaabbb"), the difference of
// the two; and of MultinomialNB(alpha=1), where rows of both are normalized to unit length (l2). Last, rows "b" are
// the weights of LinearSVC(C=1, tol=1e-12, class_weight="balanced", fit_intercept=False): class k has the weight
// n/(K·n_k) against 1 of all others, as LIBLINEAR's -wi has it.
func TestScikitLearn(t *testing.T) {
	exactWeights(t)
	const six = "a 1:2 2:1 5:3\na 1:1 4:1\nb 2:3 3:1\nb 2:1 3:2 5:1\nc 3:1 4:4\nc 1:1 4:2 5:2\n"
	queries := []string{"1:1 2:1 5:1", "2:2 4:1", "1:2 4:3", "3:1 4:1 5:1", "4:1 5:4"}
	for name, test := range map[string]struct {
		rows    string
		change  func(*nbsvm.Options)
		queries []string
		labels  string // predicted; "" for any
		margins [][]float64
	}{
		"Euclidean distance": {six, func(o *nbsvm.Options) { o.Kind, o.Normalize = nbsvm.Rocchio, false }, queries, "abcaa", [][]float64{
			{1, -0.75, -3.75}, {-1, 0.75, -2.25}, {2, -3.25, 4.75}, {-0.5, -1.25, -0.75}, {4, -1.25, 1.75},
		}},
		"cosine": {six, func(o *nbsvm.Options) { o.Kind = nbsvm.Rocchio }, queries, "abccc", [][]float64{
			{0.803607693, 0.56177805, 0.318133205},
			{0.334482138, 0.669020416, 0.403350569},
			{0.769279629, 0, 0.852326377},
			{0.52476286, 0.490422882, 0.809970784},
			{0.571859274, 0.218321412, 0.575128032},
		}},
		"complement, alpha 1": {six, func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 1 }, queries, "", [][]float64{
			{5.717603194, 5.312138086, 4.34607557}, {4.241696674, 5.940746745, 4.856901194},
		}},
		"complement, alpha 0.25": {six, func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 0.25 }, queries, "", [][]float64{
			{6.023815652, 5.544242571, 4.259634375}, {4.146113753, 6.445244611, 5.003836726},
		}},
		"complement, two classes": {
			strings.NewReplacer("b 2:3", "a 2:3", "c ", "b ").Replace(six), func(o *nbsvm.Options) { o.Kind, o.Alpha = nbsvm.Complement, 1 },
			queries, "",
			[][]float64{{-1.9431148177647746}, {-0.9134954005836153}},
		},
		"complement, one feature, which tells nothing": {
			"a 1:1\na 1:2\nb 1:1\nb 1:3\nc 1:1\n", func(o *nbsvm.Options) { o.Kind = nbsvm.Complement }, []string{"1:2"}, "", [][]float64{{0, 0, 0}},
		},
		"multinomial of unit length": {
			six, func(o *nbsvm.Options) { o.Kind, o.Alpha, o.Prenormalize = nbsvm.Multinomial, 1, true }, queries, "",
			[][]float64{{-3.761436573, -3.985412782, -4.212970445}, {-3.440432405, -3.104397067, -3.434482563}},
		},
		"balanced": {
			"0 1:1 2:0.5\n0 1:2 2:0.25\n0 1:0.5 2:1\n0 1:1.5 2:1\n0 1:1 2:0.75\n0 1:2 2:1\n" +
				"1 1:0.5 2:2\n1 1:0.25 2:1\n1 1:1 2:1.5\n2 1:-1 2:-0.5\n2 1:0.5 2:-1\n",
			func(o *nbsvm.Options) {
				o.Kind, o.Loss, o.C, o.Bias, o.Tol, o.Normalize, o.MaxEpochs = nbsvm.SVM, "squared-hinge", 1, 0, 1e-12, false, 100_000
				o.ClassWeight.Balanced = true
			},
			[]string{"1:1", "2:1"},
			"",
			[][]float64{{0.52092055, -0.74701448, -0.37340422}, {-0.30902281, 0.63739421, -1.00722549}},
		},
	} {
		in := as(corpus.SVMLight, test.rows)
		in.ManyClasses = true
		c, _ := mustTrain(t, in, options(func(o *nbsvm.Options) { o.MinDF = 1 }, test.change))
		scorer := newScorer(t, c)
		for i, margins := range test.margins {
			p, err := scorer.PredictFeatures([]byte(test.queries[i]))
			must.OK(t, err)
			for k, want := range margins {
				if !near(p.Margins[k], want, 1e-5) {
					t.Errorf("%s, row %d, class %s: %v, want %v", name, i, c.Labels()[k], p.Margins[k], want)
				}
			}
			if got := c.Labels()[p.Labels[0]]; test.labels != "" && got != test.labels[i:i+1] {
				t.Errorf("%s, row %d: %s is predicted, want %s", name, i, got, test.labels[i:i+1])
			}
		}
	}
}
