package bayes

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// BernoulliLogOdds fits a class of the multivariate Bernoulli event model: a document of class k has feature j with
// probability p_kj, independently of other features. Only whether a feature occurs matters, not how often.
//
// It sets dst[j] to log p_j - log(1-p_j), the weight of the feature, with
//
//	p_j = (alpha+df_j) / (2·alpha+docs)
//
// and returns Σ_j log(1-p_j), the log-likelihood of the document without any feature. df[j] is the weight of the
// class's documents that have feature j, and docs the weight of all its documents. A df above docs counts as docs.
// alpha, above 0, is added to the weight of the documents with the feature, and to that of those without (Lidstone
// smoothing).
func BernoulliLogOdds[F float32 | float64](dst []F, df []float64, docs, alpha float64) (bias float64) {
	checkLength("BernoulliLogOdds", "df", len(dst), len(df))
	checkAlpha(alpha)
	if !(docs >= 0) || math.IsInf(docs, 1) {
		panic(fmt.Sprintf("bayes: docs must be a finite number, 0 or more, got %v", docs))
	}
	total := docs + float64(2*alpha)
	terms := func(df float64) (odds, absent float64) {
		df = min(df, docs)
		p := (alpha + df) / total
		// Rare features are the rule, and V tiny logarithms are summed: near
		// zero they need all their digits.
		if p < 0.5 {
			absent = xmath.Log1p(-p)
		} else {
			absent = xmath.Log((alpha + (docs - df)) / total)
		}
		return xmath.Log(p) - absent, absent
	}

	var small [256]struct{ odds, absent float64 }
	for n := range small {
		small[n].odds, small[n].absent = terms(float64(n))
	}
	var sum compensated
	for j, d := range df {
		var odds, absent float64
		if n, ok := smallInteger(d); ok {
			odds, absent = small[n].odds, small[n].absent
		} else {
			odds, absent = terms(d)
		}
		dst[j] = F(odds)
		sum.add(absent)
	}
	return sum.value()
}

// compensated is Neumaier's improved Kahan summation: an error of the size of
// one rounding, whatever the number of terms.
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	t := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.lost += (c.sum - t) + x
	} else {
		c.lost += (x - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) value() float64 { return c.sum + c.lost }
