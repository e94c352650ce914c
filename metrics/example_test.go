package metrics_test

import (
	"fmt"
	"os"
	"slices"

	"github.com/seed-167f963f/nbsvm/metrics"
)

func ExampleAccumulator() {
	want := []int32{0, 0, 1, 1, 1}
	got := []int32{0, 1, 1, 1, 0}
	a := metrics.NewAccumulator([]string{"ham", "spam"}, false)
	for i := range want {
		if err := a.Add(want[i:i+1], got[i:i+1], nil, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	r, err := a.Report()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   documents                5
	//   accuracy            0.6000
	//   macro f1            0.5833
	//   micro f1            0.6000
	//   weighted f1         0.6000
	//   macro precision     0.5833
	//   macro recall        0.5833
	//   micro precision     0.6000
	//   micro recall        0.6000
	//   weighted precision  0.6000
	//   weighted recall     0.6000
	//
	//   label  support  predicted  precision  recall      f1
	//   ham          2          2     0.5000  0.5000  0.5000
	//   spam         3          3     0.6667  0.6667  0.6667
	//
	// confusion matrix: rows are true labels, columns are predicted labels
	//         ham  spam
	//   ham     1     1
	//   spam    1     2
}

// How many documents are labelled if only decisions with a score of at least a threshold are kept, and how many of
// these are right.
func ExampleCurve() {
	var c metrics.Curve
	for _, d := range []struct {
		score float64
		right bool
	}{{0.9, true}, {0.8, true}, {0.6, false}, {0.4, true}} {
		c.Add(1, []float64{d.score}, func(int) bool { return d.right })
	}
	p := c.At(0.5)
	fmt.Printf("share %.2f, precision %.2f\n", p.Share, *p.Precision)
	best, _ := c.AtPrecision(1)
	fmt.Printf("threshold %.1f, share %.2f\n", best.Threshold, best.Share)
	// Output:
	// share 0.75, precision 0.67
	// threshold 0.8, share 0.50
}

// How good predicted scores are, and what is kept of them from 2 on.
func ExampleRegression() {
	want, got := []float64{0, 1, 1, 2, 3}, []float64{0.3, 0.8, 1.7, 2.4, 2.2}
	var a metrics.Regression
	for i := range want {
		if err := a.Add(want[i], got[i]); err != nil {
			fmt.Println(err)
			return
		}
	}
	r, err := a.Report(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   documents             5
	//   mae              0.4800
	//   rmse             0.5329
	//   r2               0.7269
	//   pearson          0.8587
	//   spearman         0.8721
	//   kendall          0.7379
	//   concordance      0.8889
	//   quadratic kappa  0.7619
	//
	//   numbers      mean     min     max
	//   wanted     1.4000  0.0000  3.0000
	//   predicted  1.4800  0.3000  2.4000
	//
	//   wanted  documents  mean predicted     mae  nearest
	//        0          1          0.3000  0.3000   1.0000
	//        1          2          1.2500  0.4500   0.5000
	//        2          1          2.4000  0.4000   1.0000
	//        3          1          2.2000  0.8000   0.0000
	//
	//   cut  positives  kept   share  precision  recall      f1  roc auc  pr auc
	//     2          2     2  0.4000     1.0000  1.0000  1.0000   1.0000  1.0000
}

// What the best predictor of the mean of two ratings could reach.
func ExampleRaterCeiling() {
	c, err := metrics.RaterCeiling(slices.Values([][]float64{{0, 1}, {3, 3}, {2, 1}, {4, 5}, {2, 2}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("RMSE %.2f, R2 %.2f; raters among themselves: MAE %.2f\n", *c.RMSE, *c.R2, c.LeaveOneOut.MAE)
	// Output:
	// RMSE 0.39, R2 0.94; raters among themselves: MAE 0.60
}
