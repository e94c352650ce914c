package bayes

import "github.com/seed-167f963f/nbsvm/internal/xmath"

// Float is what results can be stored as. Everything is computed in float64 and
// rounded once.
type Float interface{ float32 | float64 }

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
func LogRatio[F Float](dst []F, pos, neg []float64, alpha float64) {
	checkLength("LogRatio", "positive sums", len(dst), len(pos))
	checkLength("LogRatio", "negative sums", len(dst), len(neg))
	r := NewRatio(len(dst), Total(pos), Total(neg), alpha)
	for j := range dst {
		dst[j] = F(r.At(pos[j], neg[j]))
	}
}

// Ratio gives log-count ratios one at a time, for callers that keep the sums of a
// class sparse: where there are thousands of classes, most features never occur
// in most of them. The numbers are those of [LogRatio], bit for bit.
type Ratio struct {
	logs  *logTable
	shift float64 // log(‖p‖₁/‖q‖₁)
}

// NewRatio prepares the ratios of a class against the rest from the number of
// features V and the totals Σ_j pos_j and Σ_j neg_j (see [Total]). It panics if
// alpha is not a positive number.
func NewRatio(features int, posTotal, negTotal, alpha float64) *Ratio {
	logs := newLogTable(alpha)
	smoothing := float64(alpha * float64(features))
	return &Ratio{
		logs:  logs,
		shift: xmath.Log(posTotal+smoothing) - xmath.Log(negTotal+smoothing),
	}
}

// At returns the ratio of a feature from its sums over the class and the rest.
func (r *Ratio) At(pos, neg float64) float64 {
	// The two logarithms of p_j and q_j are often looked up; that of their
	// quotient never could be.
	return (r.logs.at(pos) - r.logs.at(neg)) - r.shift
}

// Rest sets dst[j] to all[j]-class[j], the sums over the other classes. A
// difference that rounding left below zero becomes zero. dst may be all or class.
func Rest(dst, all, class []float64) {
	checkLength("Rest", "sums of all classes", len(dst), len(all))
	checkLength("Rest", "sums of the class", len(dst), len(class))
	for j := range dst {
		dst[j] = max(0, all[j]-class[j])
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
