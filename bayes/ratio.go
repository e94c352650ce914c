package bayes

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
)

// LogRatio sets dst[j] to the log-count ratio of feature j,
//
//	r_j = log((p_j/‖p‖₁) / (q_j/‖q‖₁)),  p = alpha + pos,  q = alpha + neg
//
// (Wang and Manning, "Baselines and Bigrams", ACL 2012, section 2). pos[j] and
// neg[j] are the sums of the feature's values, times the documents' weights, over
// the class and over the rest: finite and not negative. alpha is above 0.
//
// Swapping pos and neg changes the sign of every ratio and nothing else, bit for
// bit. LogRatio panics if lengths differ or alpha is not a positive number.
func LogRatio[F float32 | float64](dst []F, pos, neg []float64, alpha float64) {
	checkLength("LogRatio", "positive sums", len(dst), len(pos))
	checkLength("LogRatio", "negative sums", len(dst), len(neg))
	logs, smoothing := newLogTable(alpha), float64(alpha*float64(len(dst)))
	shift := xmath.Log(Total(pos)+smoothing) - xmath.Log(Total(neg)+smoothing) // log(‖p‖₁/‖q‖₁)
	for j := range dst {
		// The two logarithms of p_j and q_j are often looked up; that of their quotient never
		// could be.
		dst[j] = F((logs.at(pos[j]) - logs.at(neg[j])) - shift)
	}
}

// Total returns Σ_j sums[j], added in order.
func Total(sums []float64) float64 {
	var total float64
	for _, s := range sums {
		total += s
	}
	return total
}

// MultinomialLogProb is for the multinomial event model: a document of class k draws its
// features with probabilities P(j|k), as often as their values say.
//
// It sets dst[j] to log P(j|k) = log((alpha+sums_j) / (alpha·V + Σ sums)), where sums[j] is the
// sum of feature j over the documents of the class. alpha, above 0, is added to every sum
// (Lidstone; 1 is Laplace).
func MultinomialLogProb[F float32 | float64](dst []F, sums []float64, alpha float64) {
	checkLength("MultinomialLogProb", "sums", len(dst), len(sums))
	logs := newLogTable(alpha)
	total := xmath.Log(Total(sums) + float64(alpha*float64(len(sums))))
	for j, s := range sums {
		dst[j] = F(logs.at(s) - total)
	}
}

// logTable answers log(alpha + s). Sums over documents are mostly small
// integers, vocabularies have millions of features, and there is one ratio per
// class: a lookup instead of a logarithm is what makes it cheap.
type logTable struct {
	alpha float64
	small [256]float64 // small[n] is log(alpha + n)
}

func newLogTable(alpha float64) *logTable {
	checkAlpha(alpha)
	t := &logTable{alpha: alpha}
	for n := range t.small {
		t.small[n] = xmath.Log(alpha + float64(n))
	}
	return t
}

// at returns log(alpha + s): the same bits whether or not s is in the table.
func (t *logTable) at(s float64) float64 {
	if n, ok := smallInteger(s); ok {
		return t.small[n]
	}
	return xmath.Log(t.alpha + s)
}

// smallInteger reports whether s is one of 0, 1, … 255, and which.
func smallInteger(s float64) (uint8, bool) {
	if !(s >= 0 && s < 256) {
		return 0, false
	}
	n := uint8(int32(s))
	return n, float64(n) == s
}

func checkAlpha(alpha float64) {
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		panic(fmt.Sprintf("bayes: alpha is %v: it must be a positive number, or a feature that a class never shows has a probability of 0", alpha))
	}
}

func checkLength(function, what string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("bayes: %s of length %d with %d %s: the lengths must agree", function, want, got, what))
	}
}
