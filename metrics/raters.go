package metrics

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Ceiling says how far raters agree about documents, and so what the best predictor of their ratings could reach.
//
// A rating is taken as the document's expected rating plus noise, whose variance is the same for all documents and
// raters (one-way random effects). No predictor knows the noise, so none is better than one that knows the expected
// ratings. Noise, RMSE, R2 and Pearson are what that one reaches, estimated from the variance of ratings within
// documents. Mean absolute errors, ranks and kappas have no such formula. For them, LeaveOneOut shows what a rater
// reaches who knows the document's other ratings. If these are few, they are noisy themselves, so that a good predictor
// can be better: LeaveOneOut is a lower bound of the ceiling (Nili and others, "A Toolbox for Representational
// Similarity Analysis", PLOS Computational Biology 2014).
type Ceiling struct {
	Documents int `json:"documents"` // that have two ratings or more; others are left out
	Ratings   int `json:"ratings"`   // of these documents

	// Noise is the standard deviation of the noise of a rating: the RMSE of the expected ratings against ratings of
	// one rater.
	Noise *float64 `json:"noise"`
	// RMSE, R2 and Pearson are those of the expected ratings against the mean ratings of documents. R2 is the reliability
	// of the means: for k ratings each, the intraclass correlation ICC(1,k) (Shrout and Fleiss 1979), or 0 if that is
	// negative. Pearson is its root (Spearman 1904). Both are nil if all means are equal.
	RMSE    *float64 `json:"rmse"`
	R2      *float64 `json:"r2"`
	Pearson *float64 `json:"pearson"`

	// LeaveOneOut compares each rating, as what is wanted, with the mean of the other ratings of its document.
	LeaveOneOut *RegressionReport `json:"leave_one_out"`
}

// RaterCeiling returns the ceiling of documents, each of which is given as the list of its ratings. Raters and their
// number may differ from document to document. Documents with fewer than two ratings are left out; it is an error if
// there are no others. Ratings must be from -1e300 to 1e300.
func RaterCeiling(documents iter.Seq[[]float64]) (*Ceiling, error) {
	c := new(Ceiling)
	var pairs Regression
	var means []float64
	var squares, inverses float64 // the latter of the numbers of ratings
	number := -1                  // of the document
	for ratings := range documents {
		number++
		if len(ratings) < 2 {
			continue
		}
		k := float64(len(ratings))
		sum := xmath.Sum(ratings)
		for _, x := range ratings {
			if err := pairs.Add(x, (sum-x)/(k-1)); err != nil {
				return nil, fmt.Errorf("metrics: document %d: ratings must be from -1e300 to 1e300, got %v", number, ratings)
			}
			squares += float64((x - sum/k) * (x - sum/k))
		}
		c.Documents++
		c.Ratings += len(ratings)
		means = append(means, sum/k)
		inverses += 1 / k
	}
	if c.Documents == 0 {
		return nil, errors.New("metrics: there are no documents with two ratings or more")
	}
	noise := squares / float64(c.Ratings-c.Documents) // the mean square within documents
	ofMean := float64(noise * (inverses / float64(c.Documents)))
	c.Noise, c.RMSE = defined(math.Sqrt(noise)), defined(math.Sqrt(ofMean))
	if _, sd := xmath.MeanSD(means); sd > 0 {
		r2 := max(0, 1-ofMean/float64(sd*sd))
		c.R2, c.Pearson = defined(r2), defined(math.Sqrt(r2))
	}
	report, err := pairs.Report()
	c.LeaveOneOut = report
	return c, err
}
