package bayes_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

const tolerance = 1e-9

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= tolerance*max(1, math.Abs(want[j]))) {
			t.Errorf("%s[%d] = %.17g, want %.17g", what, j, got[j], want[j])
		}
	}
}

// rows returns the oracle's matrix, as counts or as tf-idf.
func (c oracleCase) rows() [][]float64 {
	if !c.tfidf {
		return oracleCounts
	}
	var m [][]float64
	for _, row := range oracleCounts {
		r := make([]float64, len(row))
		for j, f := range row {
			r[j] = math.Log1p(f) * float64(1+j) / 7
		}
		m = append(m, r)
	}
	return m
}

// classSums returns the sums of every feature over class k (or over the others),
// and the weight of its documents.
func classSums(rows [][]float64, weight []float64, occurrence bool, member func(class int) bool) (sums []float64, docs float64) {
	sums = make([]float64, len(rows[0]))
	for i, row := range rows {
		if !member(oracleClass[i]) {
			continue
		}
		docs += weight[i]
		for j, f := range row {
			if occurrence && f > 0 {
				f = 1
			}
			sums[j] += weight[i] * f
		}
	}
	return sums, docs
}

func TestOracle(t *testing.T) {
	for _, c := range oracleCases {
		t.Run(c.name, func(t *testing.T) {
			rows, weight := c.rows(), oracleUnit
			if c.weights {
				weight = oracleWeight
			}
			var weights, bias [3]float64
			var slope [3][]float64
			for k := range 3 {
				sums, docs := classSums(rows, weight, c.bernoulli, func(class int) bool { return class == k })
				weights[k] = docs
				slope[k] = make([]float64, len(sums))
				single := make([]float32, len(sums))
				if c.bernoulli {
					bias[k] = bayes.BernoulliLogOdds(slope[k], sums, docs, c.alpha)
					if again := bayes.BernoulliLogOdds(single, sums, docs, c.alpha); again != bias[k] {
						t.Errorf("BernoulliLogOdds returns %v, in float64 %v", again, bias[k])
					}
				} else {
					bayes.MultinomialLogProb(slope[k], sums, c.alpha)
					bayes.MultinomialLogProb(single, sums, c.alpha)
				}
				for j := range single {
					if single[j] != float32(slope[k][j]) {
						t.Errorf("float32 result %v is not %v rounded", single[j], slope[k][j])
					}
				}
				near(t, fmt.Sprintf("class %d", k), slope[k], c.logProb[k])
			}
			if c.bernoulli {
				near(t, "bias", bias[:], c.bias)
			}
			prior := make([]float64, 3)
			for k, w := range weights {
				prior[k] = math.Log(w / (weights[0] + weights[1] + weights[2]))
			}
			near(t, "prior", prior, c.prior)
			for n, i := range []int{0, 6, 9} {
				joint := make([]float64, 3)
				for k := range joint {
					joint[k] = prior[k] + bias[k]
					for j, f := range rows[i] {
						if c.bernoulli && f > 0 {
							f = 1
						}
						joint[k] += f * slope[k][j]
					}
				}
				bayes.Posterior(joint, joint)
				near(t, fmt.Sprintf("posterior of row %d", i), joint, c.posterior[n])
			}
		})
	}
}

func TestRatioOracle(t *testing.T) {
	for alpha, want := range oracleRatio {
		for k := range 3 {
			pos, _ := classSums(oracleCounts, oracleUnit, false, func(class int) bool { return class == k })
			neg, _ := classSums(oracleCounts, oracleUnit, false, func(class int) bool { return class != k })
			got := make([]float64, len(pos))
			bayes.LogRatio(got, pos, neg, bayes.Equal(alpha))
			near(t, fmt.Sprintf("alpha %v class %d", alpha, k), got, want[k])
		}
	}
}

// sums draws per-feature sums: small integers, integers beyond the table, and
// fractions.
func sums(t *rapid.T, n int, name string) []float64 {
	one := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 5), func(n int) float64 { return float64(n) }),
		rapid.Map(rapid.IntRange(250, 1e6), func(n int) float64 { return float64(n) }),
		rapid.Float64Range(0, 300),
	)
	return rapid.SliceOfN(one, n, n).Draw(t, name)
}

// TestLogQuotient: parts of the features have the ratios that they have among all.
func TestLogQuotient(t *testing.T) {
	pos, neg := []float64{3, 0, 1.5, 700, 2}, []float64{1, 4, 0, 20, 9.25}
	alpha := bayes.Smoothing{Pos: 0.5, Neg: 2}
	want, got := make([]float32, len(pos)), make([]float32, len(pos))
	bayes.LogRatio(want, pos, neg, alpha)
	shift := alpha.Shift(xmath.Sum(pos), xmath.Sum(neg), len(pos))
	for _, part := range [][2]int{{0, 2}, {2, 5}} {
		lo, hi := part[0], part[1]
		bayes.LogQuotient(got[lo:hi], pos[lo:hi], neg[lo:hi], alpha, shift)
	}
	if !slices.Equal(got, want) {
		t.Errorf("in parts %v, at once %v", got, want)
	}
}

func TestLogRatioProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		pos, neg := sums(t, n, "pos"), sums(t, n, "neg")
		alpha := rapid.Custom(func(t *rapid.T) bayes.Smoothing {
			each := rapid.Float64Range(1e-6, 10)
			return bayes.Smoothing{Pos: each.Draw(t, "pos"), Neg: each.Draw(t, "neg")}
		}).Draw(t, "alpha")
		r, single := make([]float64, n), make([]float32, n)
		bayes.LogRatio(r, pos, neg, alpha)
		bayes.LogRatio(single, pos, neg, alpha)
		swapped := make([]float64, n)
		bayes.LogRatio(swapped, neg, pos, bayes.Smoothing{Pos: alpha.Neg, Neg: alpha.Pos})
		p, q := xmath.Sum(pos)+alpha.Pos*float64(n), xmath.Sum(neg)+alpha.Neg*float64(n)
		var sum float64
		for j := range r {
			want := math.Log(((alpha.Pos + pos[j]) / p) / ((alpha.Neg + neg[j]) / q))
			if math.Abs(r[j]-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("r[%d] = %v, by the formula %v", j, r[j], want)
			}
			if single[j] != float32(r[j]) || swapped[j] != -r[j] {
				t.Fatalf("r[%d] = %v: float32 %v, swapped %v", j, r[j], single[j], swapped[j])
			}
			sum += (alpha.Neg + neg[j]) / q * math.Exp(r[j])
		}
		// Σ q/‖q‖·e**r is Σ p/‖p‖.
		if n > 0 && math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the ratios carry q to a total of %v, want 1", sum)
		}
	})
}

// TestBySize: the larger side gets alpha, the smaller one less, by the root, and neither depends on its name.
func TestBySize(t *testing.T) {
	for _, c := range []struct{ alpha, pos, neg, wantPos, wantNeg float64 }{
		{1, 400, 400, 1, 1},
		{1, 100, 400, 0.5, 1},
		{0.5, 900, 100, 0.5, 0.5 / 3},
		{1, 0, 100, 0.1, 1}, // as if it were 1
		{2, 0, 0, 2, 2},
		{1, 0.25, 0.5, 1, 1},
	} {
		got, swapped := bayes.BySize(c.alpha, c.pos, c.neg), bayes.BySize(c.alpha, c.neg, c.pos)
		near(t, fmt.Sprintf("%+v", c), []float64{got.Pos, got.Neg}, []float64{c.wantPos, c.wantNeg})
		if (swapped != bayes.Smoothing{Pos: got.Neg, Neg: got.Pos}) {
			t.Errorf("%+v: %+v, and %+v the other way round", c, got, swapped)
		}
	}
}

func TestModelsAreDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		s := sums(t, n, "sums")
		alpha := rapid.Float64Range(1e-6, 10).Draw(t, "alpha")
		p := make([]float64, n)
		bayes.MultinomialLogProb(p, s, alpha)
		var total float64
		for _, x := range p {
			total += math.Exp(x)
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("multinomial probabilities sum to %v", total)
		}

		docs := slices.Max(s) + rapid.Float64Range(0, 100).Draw(t, "others")
		bias := bayes.BernoulliLogOdds(p, s, docs, alpha)
		var want float64
		for j, x := range p {
			prob := (alpha + s[j]) / (2*alpha + docs)
			if got := 1 / (1 + math.Exp(-x)); math.Abs(got-prob) > 1e-12 {
				t.Fatalf("odds %v of feature %d mean a probability of %v, want %v", x, j, got, prob)
			}
			want += math.Log((alpha + (docs - s[j])) / (2*alpha + docs))
		}
		if math.Abs(bias-want) > 1e-9*max(1, math.Abs(want)) {
			t.Fatalf("bias %v, want %v", bias, want)
		}
	})
}

// TestBernoulliManyRareFeatures: a million features of which nearly all are absent
// each contribute about -1e-9, which must not drown in the rounding of the sum.
func TestBernoulliManyRareFeatures(t *testing.T) {
	const features, docs, alpha = 1 << 20, 1e9, 1
	df := make([]float64, features)
	df[0] = docs / 2
	got := bayes.BernoulliLogOdds(make([]float32, features), df, docs, alpha)
	want := math.Log(0.5) + (features-1)*math.Log1p(-alpha/(docs+2*alpha))
	if math.Abs(got-want) > 1e-15 {
		t.Errorf("bias %.18g, want %.18g: off by %g", got, want, got-want)
	}
}

func TestBernoulliDocumentFrequencyAboveDocuments(t *testing.T) {
	over, exact := make([]float64, 2), make([]float64, 2)
	biasOver := bayes.BernoulliLogOdds(over, []float64{3, 2.5000000001}, 2.5, 1)
	biasExact := bayes.BernoulliLogOdds(exact, []float64{2.5, 2.5}, 2.5, 1)
	if !slices.Equal(over, exact) || biasOver != biasExact {
		t.Errorf("df above docs: %v %v, want %v %v", over, biasOver, exact, biasExact)
	}
}

func TestPosterior(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ joint, want []float64 }{
		{nil, nil},
		{[]float64{-5}, []float64{1}},
		{[]float64{0, 0}, []float64{0.5, 0.5}},
		{[]float64{math.Log(0.2), math.Log(0.3), math.Log(0.5)}, []float64{0.2, 0.3, 0.5}},
		{[]float64{-1e6, -1e6 + math.Log(3)}, []float64{0.25, 0.75}},
		{[]float64{1e6, 0}, []float64{1, 0}},
		{[]float64{-inf, 0}, []float64{0, 1}},
		{[]float64{-inf, -inf}, []float64{0.5, 0.5}},
		{[]float64{inf, 0, inf}, []float64{0.5, 0, 0.5}},
	} {
		got := make([]float64, len(c.joint))
		bayes.Posterior(got, c.joint)
		near(t, fmt.Sprintf("posterior of %v", c.joint), got, c.want)
	}
	for _, joint := range [][]float64{{nan}, {0, nan}, {nan, inf}} {
		bayes.Posterior(joint, joint)
		for k, p := range joint {
			if !math.IsNaN(p) {
				t.Errorf("posterior[%d] = %v where a log-likelihood is NaN, want NaN", k, p)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	two, three := make([]float64, 2), make([]float64, 3)
	for want, f := range map[string]func(){
		"LogRatio: pos must have 2 elements like dst, got 3":            func() { bayes.LogRatio(two, three, two, bayes.Equal(1)) },
		"LogRatio: neg must have 2 elements like dst, got 3":            func() { bayes.LogRatio(two, two, three, bayes.Equal(1)) },
		"LogQuotient: pos must have 2 elements like dst, got 3":         func() { bayes.LogQuotient(two, three, two, bayes.Equal(1), 0) },
		"alpha must be a positive number, got 0":                        func() { bayes.LogRatio(two, two, two, bayes.Equal(0)) },
		"alpha must be a positive number, got NaN":                      func() { bayes.MultinomialLogProb(two, two, math.NaN()) },
		"alpha must be a positive number, got +Inf":                     func() { bayes.BernoulliLogOdds(two, two, 1, math.Inf(1)) },
		"alpha must be a positive number, got -1":                       func() { bayes.LogRatio(two, two, two, bayes.Equal(-1)) },
		"MultinomialLogProb: sums must have 2 elements like dst, got 3": func() { bayes.MultinomialLogProb(two, three, 1) },
		"BernoulliLogOdds: df must have 3 elements like dst, got 2":     func() { bayes.BernoulliLogOdds(three, two, 1, 1) },
		"docs must be a finite number, 0 or more, got -1":               func() { bayes.BernoulliLogOdds(two, two, -1, 1) },
		"docs must be a finite number, 0 or more, got NaN":              func() { bayes.BernoulliLogOdds(two, two, math.NaN(), 1) },
		"Posterior: joint must have 3 elements like dst, got 2":         func() { bayes.Posterior(three, two) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				got := fmt.Sprint(recover())
				if !strings.HasPrefix(got, "bayes: ") || !strings.Contains(got, want) {
					t.Errorf("panic says %q, want %q in it", got, want)
				}
			}()
			f()
		})
	}
}
