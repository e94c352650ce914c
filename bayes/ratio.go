package bayes

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// LogRatio sets dst[j] to the log-count ratio of feature j,
//
//	r_j = log((p_j/‖p‖₁) / (q_j/‖q‖₁)),  p = alpha.Pos + pos,  q = alpha.Neg + neg
//
// (Wang and Manning, "Baselines and bigrams: simple, good sentiment and topic classification", ACL 2012, section 2,
// where both alpha are the same). pos[j] and neg[j] are the sums of feature j over the documents of the class, and over
// all others. Swapping pos and neg, and the alpha, changes the sign of every ratio and nothing else, bit for bit.
func LogRatio[F float32 | float64](dst []F, pos, neg []float64, alpha Smoothing) {
	checkLength("LogRatio", "pos", len(dst), len(pos))
	checkLength("LogRatio", "neg", len(dst), len(neg))
	LogQuotient(dst, pos, neg, alpha, alpha.Shift(xmath.Sum(pos), xmath.Sum(neg), len(dst)))
}

// LogQuotient sets dst[j] to log(p_j/q_j) − shift, with p and q as in [LogRatio], which it is of some of the features
// if shift is by the totals of all.
func LogQuotient[F float32 | float64](dst []F, pos, neg []float64, alpha Smoothing, shift float64) {
	checkLength("LogQuotient", "pos", len(dst), len(pos))
	checkLength("LogQuotient", "neg", len(dst), len(neg))
	logs, others := newLogTable(alpha.Pos), newLogTable(alpha.Neg)
	for j := range dst {
		// The two logarithms of p_j and q_j are often looked up; that of their quotient never
		// could be.
		dst[j] = F((logs.at(pos[j]) - others.at(neg[j])) - shift)
	}
}

// Smoothing holds what [LogRatio] adds to the sums of a class and to the sums of all others. Both are above 0; 1 is
// usual.
type Smoothing struct{ Pos, Neg float64 }

// Equal adds the same to both.
func Equal(alpha float64) Smoothing { return Smoothing{alpha, alpha} }

// BySize adds alpha to the side with the larger total of sums, and alpha·√(s/l) to the other one, where s and l are the
// totals, of which none counts as less than 1.
//
// Where the same is added to both, a small class is mostly smoothing: all that it lacks has a ratio of nearly the same
// size, and what few of its documents have counts for little.
func BySize(alpha, pos, neg float64) Smoothing {
	pos, neg = max(pos, 1), max(neg, 1)
	return Smoothing{alpha * math.Sqrt(min(1, pos/neg)), alpha * math.Sqrt(min(1, neg/pos))}
}

// Shift returns log(‖p‖₁/‖q‖₁), which [LogRatio] takes from every ratio, by the totals of the sums of so many features.
func (s Smoothing) Shift(pos, neg float64, features int) float64 {
	n := float64(features)
	return xmath.Log(pos+float64(s.Pos*n)) - xmath.Log(neg+float64(s.Neg*n))
}

// MultinomialLogProb fits a class of the multinomial event model: a document of class k draws features with
// probabilities P(j|k), each as often as its value says.
//
// It sets dst[j] to log P(j|k) = log((alpha+sums_j) / (alpha·V + Σ sums)), the weight of the feature. sums[j] is the
// sum of feature j over the documents of the class. alpha, above 0, is added to every sum (Lidstone smoothing; 1 is
// Laplace's).
func MultinomialLogProb[F float32 | float64](dst []F, sums []float64, alpha float64) {
	checkLength("MultinomialLogProb", "sums", len(dst), len(sums))
	logs := newLogTable(alpha)
	total := xmath.Log(xmath.Sum(sums) + float64(alpha*float64(len(sums))))
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
		panic(fmt.Sprintf("bayes: alpha must be a positive number, got %v", alpha))
	}
}

func checkLength(function, what string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("bayes: %s: %s must have %d elements like dst, got %d", function, what, want, got))
	}
}
