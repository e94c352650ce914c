package metrics

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Regression makes a [RegressionReport] of documents for which a number is predicted, such as a score from 0 to 5. They
// are added one after the other. The zero value is empty. It keeps 16 bytes a document; while it makes a report, memory
// peaks at about 60 bytes a document, or 80 if there are cuts. Of more than 2^25 documents it keeps a random sample of
// as many. It must not be used by several goroutines at once.
type Regression struct {
	pairs  []numbers
	seen   int
	limit  int // of pairs; 0 for mostPairs
	random xmath.SplitMix
}

// numbers are those of a document.
type numbers struct{ want, got float64 }

const (
	mostPairs      = 1 << 25
	largestNumber  = 1e300 // so that sums of mostPairs differences are finite
	mostLevels     = 100   // that have rows in a report, and a kappa
	regressionBins = 10    // of the calibration
)

// Add adds a document: the number that is wanted and the one that is predicted, both from -1e300 to 1e300.
func (a *Regression) Add(want, got float64) error {
	if !(math.Abs(want) <= largestNumber && math.Abs(got) <= largestNumber) {
		return fmt.Errorf("metrics: document %d: numbers must be from -1e300 to 1e300, got %v wanted and %v predicted",
			a.seen, want, got)
	}
	p := numbers{want + 0, got + 0} // -0 becomes 0
	a.seen++
	if len(a.pairs) < cmp.Or(a.limit, mostPairs) {
		a.pairs = append(a.pairs, p)
	} else if at := a.random.IntN(a.seen); at < len(a.pairs) { // Vitter's algorithm R
		a.pairs[at] = p
	}
	return nil
}

// RegressionReport compares predicted numbers with wanted ones. An undefined metric is nil, and null in JSON. JSON keys
// do not change. Each document counts once. The order of documents only matters for which of them are sampled.
type RegressionReport struct {
	N int `json:"n"` // documents

	// Bad is the number of records that were skipped, and BadReasons counts them by what is wrong with them. The caller
	// sets both. They are not among the documents.
	Bad        int64            `json:"bad"`
	BadReasons map[string]int64 `json:"bad_reasons,omitempty"`

	MAE  float64 `json:"mae"`  // mean absolute error
	RMSE float64 `json:"rmse"` // root of the mean squared error
	// R2 is the coefficient of determination: 1 minus the ratio of the squared errors to those of the mean wanted number.
	// It may be negative. If all wanted numbers are equal, it is 1 if there is no error, and else 0, as in scikit-learn.
	// It is nil for a single document.
	R2 *float64 `json:"r2"`
	// Pearson's correlation, Spearman's (that of ranks, ties having their mean rank) and Kendall's tau-b are from -1
	// to 1, and nil if all wanted or all predicted numbers are equal.
	Pearson  *float64 `json:"pearson"`
	Spearman *float64 `json:"spearman"`
	Kendall  *float64 `json:"kendall"`
	// Concordance is the share of pairs of documents that are predicted in the right order, among those that want
	// different numbers; equal predictions count half. For two wanted numbers it is the ROC AUC. It is nil if all wanted
	// numbers are equal.
	Concordance *float64 `json:"concordance"`
	// QuadraticKappa is Cohen's kappa with quadratic weights. Predictions are rounded to the nearest wanted number that
	// occurs, halves up. Weights are squared differences of the numbers, not of their places in a list: 1 and 4 are
	// three times as far apart as 0 and 1 even if there is no 2 or 3. scikit-learn does the same if its labels are all
	// integers between. It is nil if all wanted numbers are equal, or if there are more than 100 different ones.
	QuadraticKappa *float64 `json:"quadratic_kappa"`

	Wanted    NumberRange `json:"wanted"`
	Predicted NumberRange `json:"predicted"`

	// Levels has a row for each wanted number, ascending; nil if there are more than 100.
	Levels []LevelReport `json:"levels,omitempty"`

	// Calibration has 10 bins with as many documents each, by ascending prediction. Equal predictions share a bin, that
	// of their mean rank, so that bins may differ in size, and be fewer.
	Calibration []CalibrationBin `json:"calibration"`

	// Residuals counts documents by predicted minus wanted number. Density counts them by both: each column has the
	// predictions of one wanted number or, if there are more than 40, of one of 40 ranges of the same width. Histograms
	// end where predictions are further from the range of wanted numbers than this is wide.
	Residuals Histogram       `json:"residuals"`
	Density   []DensityColumn `json:"-"` // which is long

	// Cuts says, for each cut that was asked for, what its predictions keep.
	Cuts []CutReport `json:"cuts,omitempty"`

	// Ceiling says what the best of predictions would reach, where documents have several ratings, whose means are
	// wanted. Who makes the report sets it.
	Ceiling *Ceiling `json:"ceiling,omitempty"`

	// Sampled is the number of documents, chosen at random, that all but N is of; 0 for all.
	Sampled int `json:"sampled,omitempty"`
}

// NumberRange says where numbers lie.
type NumberRange struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// LevelReport is about the documents that want the same number.
type LevelReport struct {
	Wanted        float64 `json:"wanted"`
	N             int     `json:"n"`
	MeanPredicted float64 `json:"mean_predicted"`
	MAE           float64 `json:"mae"`
	// Nearest is the share of predictions that are rounded to this level: within half a step of it, or beyond it if it
	// is the lowest or the highest level.
	Nearest float64 `json:"nearest"`
}

// CalibrationBin compares the means of documents with similar predictions.
type CalibrationBin struct {
	N             int     `json:"n"`
	MeanPredicted float64 `json:"mean_predicted"`
	MeanWanted    float64 `json:"mean_wanted"`
}

// CutReport is about a cut, its Threshold. Documents are kept if their prediction is the cut or more, and are right if
// their wanted number is the cut or more.
type CutReport struct {
	CurvePoint
	Positives int64    `json:"positives"` // documents whose wanted number is the cut or more
	F1        float64  `json:"f1"`
	ROCAUC    *float64 `json:"roc_auc"` // of the predictions, whatever the cut keeps
	PRAUC     *float64 `json:"pr_auc"`  // average precision
}

// Values iterates over the metrics of the whole report with their JSON keys, the best known first. A nil metric is
// undefined.
func (r *RegressionReport) Values() iter.Seq2[string, *float64] {
	return func(yield func(string, *float64) bool) {
		for _, v := range []struct {
			key   string
			value *float64
		}{
			{"mae", &r.MAE},
			{"rmse", &r.RMSE},
			{"r2", r.R2},
			{"pearson", r.Pearson},
			{"spearman", r.Spearman},
			{"kendall", r.Kendall},
			{"concordance", r.Concordance},
			{"quadratic_kappa", r.QuadraticKappa},
		} {
			if !yield(v.key, v.value) {
				return
			}
		}
	}
}

// Report returns the report of the documents added so far, with a [CutReport] for each cut. Cuts must not be NaN.
func (a *Regression) Report(cuts ...float64) (*RegressionReport, error) {
	n := len(a.pairs)
	if n == 0 {
		return nil, errNoDocuments
	}
	if slices.ContainsFunc(cuts, math.IsNaN) {
		return nil, fmt.Errorf("metrics: cuts must be numbers, got %v", cuts)
	}
	// All sums are in this order, whatever order documents came in.
	slices.SortFunc(a.pairs, func(p, q numbers) int {
		return cmp.Or(cmp.Compare(p.want, q.want), cmp.Compare(p.got, q.got))
	})
	r := &RegressionReport{N: a.seen}
	if a.seen > n {
		r.Sampled = n
	}
	want := func(i int) float64 { return a.pairs[i].want }
	got := func(i int) float64 { return a.pairs[i].got }
	order, sorted := rankPairs(a.pairs)
	r.Wanted = NumberRange{meanOf(n, want), want(0), want(n - 1)}
	r.Predicted = NumberRange{meanOf(n, got), sorted[0], sorted[n-1]}

	missed := func(i int) float64 { return got(i) - want(i) }
	r.MAE, r.RMSE = meanOf(n, func(i int) float64 { return math.Abs(missed(i)) }), rootMeanSquare(n, missed)
	r.R2 = defined(r.determination(rootMeanSquare(n, around(r.Wanted.Mean, want)), n))
	if r.Wanted.Min < r.Wanted.Max && r.Predicted.Min < r.Predicted.Max {
		r.Pearson = defined(pearson(n, around(r.Wanted.Mean, want), around(r.Predicted.Mean, got)))
	}
	r.Spearman, r.Kendall, r.Concordance = defined(order.spearman()), defined(order.tau()), defined(order.concordance())
	r.addLevels(a.pairs)
	r.calibrate(a.pairs, sorted)
	r.addHistograms(a.pairs)
	for _, cut := range cuts {
		r.Cuts = append(r.Cuts, a.cut(cut))
	}
	return r, nil
}

// determination returns R2 from the standard deviation of the wanted numbers.
func (r *RegressionReport) determination(deviation float64, n int) float64 {
	switch {
	case n < 2:
		return math.NaN()
	case r.Wanted.Min < r.Wanted.Max:
		share := r.RMSE / deviation
		return 1 - float64(share*share)
	case r.RMSE == 0:
		return 1
	}
	return 0
}

// around returns differences from a mean.
func around(mean float64, x func(i int) float64) func(i int) float64 {
	return func(i int) float64 { return x(i) - mean }
}

func meanOf(n int, x func(i int) float64) (mean float64) {
	for i := range n {
		mean += x(i)
	}
	return mean / float64(n)
}

// rootMeanSquare squares shares of the largest number, as squares of the numbers might overflow or underflow.
func rootMeanSquare(n int, x func(i int) float64) float64 {
	most := 0.0
	for i := range n {
		most = max(most, math.Abs(x(i)))
	}
	if most == 0 {
		return 0
	}
	return float64(most * math.Sqrt(meanOf(n, func(i int) float64 { return float64(x(i) / most * (x(i) / most)) })))
}

// pearson returns the correlation of numbers whose means are 0.
func pearson(n int, x, y func(i int) float64) float64 {
	sx, sy := rootMeanSquare(n, x), rootMeanSquare(n, y)
	return bounded(meanOf(n, func(i int) float64 { return float64(x(i) / sx * (y(i) / sy)) }))
}

// addLevels adds the rows of the wanted numbers, and the kappa: 1 minus the ratio of the mean squared difference to the
// one by chance, which is the sum of both variances and the squared difference of the means.
func (r *RegressionReport) addLevels(pairs []numbers) {
	for lo, hi := range runs(len(pairs), func(i, j int) bool { return pairs[i].want == pairs[j].want }) {
		if len(r.Levels) == mostLevels {
			r.Levels = nil
			return
		}
		r.Levels = append(r.Levels, LevelReport{Wanted: pairs[lo].want, N: hi - lo})
	}
	n, low, width := float64(len(pairs)), r.Wanted.Min, r.Wanted.Max-r.Wanted.Min
	place := func(k int) float64 { return (r.Levels[k].Wanted - low) / width } // from 0 to 1
	rounded := make([]int, len(r.Levels))
	var apart, want, got, wantSquare, gotSquare float64
	for k, first := 0, 0; k < len(r.Levels); k++ {
		level := &r.Levels[k]
		of := pairs[first : first+level.N]
		level.MeanPredicted = meanOf(level.N, func(i int) float64 { return of[i].got })
		level.MAE = meanOf(level.N, func(i int) float64 { return math.Abs(of[i].got - level.Wanted) })
		nearest := make([]int, len(r.Levels)) // predictions by nearest level
		at := 0
		for _, p := range of {
			for at+1 < len(r.Levels) && p.got >= float64(r.Levels[at].Wanted/2)+float64(r.Levels[at+1].Wanted/2) {
				at++
			}
			nearest[at]++
		}
		level.Nearest = ratio(int64(nearest[k]), int64(level.N))
		for j, documents := range nearest {
			rounded[j] += documents
			difference := place(k) - place(j)
			apart += float64(float64(documents) * float64(difference*difference))
		}
		first += level.N
	}
	for k, level := range r.Levels {
		want += float64(float64(level.N)*place(k)) / n
		got += float64(float64(rounded[k])*place(k)) / n
	}
	for k, level := range r.Levels {
		wantSquare += float64(float64(level.N) * float64((place(k)-want)*(place(k)-want)))
		gotSquare += float64(float64(rounded[k]) * float64((place(k)-got)*(place(k)-got)))
	}
	r.QuadraticKappa = defined(1 - apart/(wantSquare+gotSquare+float64(n*float64((want-got)*(want-got)))))
}

// calibrate makes the bins. sorted has all predictions.
func (r *RegressionReport) calibrate(pairs []numbers, sorted []float64) {
	n := len(sorted)
	var highest []float64 // prediction of each bin
	last := -1
	for lo, hi := range runs(n, func(i, j int) bool { return sorted[i] == sorted[j] }) {
		if bin := (lo + hi) * regressionBins / (2 * n); bin != last {
			last, highest = bin, append(highest, 0)
		}
		highest[len(highest)-1] = sorted[lo]
	}
	r.Calibration = make([]CalibrationBin, len(highest))
	for _, p := range pairs {
		at, _ := slices.BinarySearch(highest, p.got)
		bin := &r.Calibration[at]
		bin.N++
		bin.MeanPredicted += p.got
		bin.MeanWanted += p.want
	}
	for i := range r.Calibration {
		bin := &r.Calibration[i]
		bin.MeanPredicted /= float64(bin.N)
		bin.MeanWanted /= float64(bin.N)
	}
}

// Curve returns the curve of thresholds on the predictions, where documents are right if their wanted number is the cut
// or more. [Curve.AtPrecision] and [Curve.AtConfidence] choose a threshold for a precision; it need not be the cut. A
// curve takes 32 bytes a document. If documents were sampled, it is of the sample.
func (a *Regression) Curve(cut float64) *Curve {
	c := &Curve{decisions: make([]decision, 0, len(a.pairs))}
	for _, p := range a.pairs {
		wanted := 0
		if p.want >= cut {
			wanted = 1
		}
		c.Add(wanted, []float64{p.got}, func(int) bool { return wanted == 1 })
	}
	return c
}

func (a *Regression) cut(cut float64) CutReport {
	var areas ranking
	for _, p := range a.pairs {
		if p.want >= cut {
			areas.pos = append(areas.pos, p.got)
		}
	}
	areas.begin()
	for _, p := range a.pairs {
		if p.want < cut {
			areas.count(p.got)
		}
	}
	c := a.Curve(cut)
	r := CutReport{CurvePoint: c.At(cut), Positives: c.wanted}
	_, _, r.F1 = precisionRecallF1(c.right[r.Kept], r.Kept, r.Positives)
	r.ROCAUC, r.PRAUC = defined(areas.rocAUC()), defined(areas.averagePrecision())
	return r
}
