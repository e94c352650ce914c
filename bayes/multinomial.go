package bayes

import "github.com/seed-167f963f/nbsvm/internal/xmath"

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
