package bayes

import "github.com/seed-167f963f/nbsvm/internal/xmath"

// Multinomial is the multinomial naive Bayes event model: a document of class k
// draws its features with probabilities P(j|k), as often as their values say.
type Multinomial struct {
	Alpha float64 // added to every sum (Lidstone; 1 is Laplace); above 0
}

// LogProb sets dst[j] to log P(j|k) = log((alpha+sums_j) / (alpha·V + Σ sums)),
// where sums[j] is the sum of feature j over the documents of the class.
func (m Multinomial) LogProb(dst, sums []float64) { multinomial(dst, sums, m.Alpha) }

// LogProb32 is LogProb rounded to float32.
func (m Multinomial) LogProb32(dst []float32, sums []float64) { multinomial(dst, sums, m.Alpha) }

func multinomial[F Float](dst []F, sums []float64, alpha float64) {
	checkLength("Multinomial.LogProb", "sums", len(dst), len(sums))
	logs := newLogTable(alpha)
	total := xmath.Log(Total(sums) + float64(alpha*float64(len(sums))))
	for j, s := range sums {
		dst[j] = F(logs.at(s) - total)
	}
}
