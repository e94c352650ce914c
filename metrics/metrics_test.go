package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/metrics"
)

// ranked draws wanted classes and scores with many ties.
func ranked(t *rapid.T) (want []bool, scores []float64) {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	want = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "want")
	score := rapid.OneOf(
		rapid.SampledFrom([]float64{-1, 0, math.Copysign(0, -1), 0.5, 1, math.Inf(1), math.Inf(-1)}),
		rapid.Float64(),
	)
	return want, rapid.SliceOfN(score, n, n).Draw(t, "scores")
}

// same is equality with NaN equal to itself, up to rounding.
func same(a, b float64) bool { return near(a, b) || math.IsNaN(a) && math.IsNaN(b) }

func TestROCAUCByPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, scores := ranked(t)
		got, err := metrics.ROCAUC(want, scores)
		if err != nil {
			t.Fatal(err)
		}
		won, pairs := 0.0, 0.0
		for i := range want {
			for j := range want {
				if !want[i] || want[j] {
					continue
				}
				pairs++
				if scores[i] > scores[j] {
					won++
				} else if scores[i] == scores[j] {
					won += 0.5
				}
			}
		}
		if brute := won / pairs; !same(got, brute) {
			t.Fatalf("ROC AUC %v, over all pairs %v", got, brute)
		}
	})
}

func TestPRAUCByThresholds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, scores := ranked(t)
		got, err := metrics.PRAUC(want, scores)
		if err != nil {
			t.Fatal(err)
		}
		// The mean, over the positives, of the precision at their own score.
		sum, positives := 0.0, 0.0
		for i := range want {
			if !want[i] {
				continue
			}
			positives++
			tp, predicted := 0.0, 0.0
			for j, s := range scores {
				if s >= scores[i] {
					predicted++
					if want[j] {
						tp++
					}
				}
			}
			sum += tp / predicted
		}
		if brute := sum / positives; !same(got, brute) {
			t.Fatalf("average precision %v, by thresholds %v", got, brute)
		}
	})
}

func f1At(want []bool, scores []float64, threshold float64) float64 {
	var tp, fp, fn int64
	for i, s := range scores {
		switch {
		case s > threshold && want[i]:
			tp++
		case s > threshold:
			fp++
		case want[i]:
			fn++
		}
	}
	_, _, f1 := metrics.PrecisionRecallF1(tp, fp, fn)
	return f1
}

// TestBestF1ThresholdByTrial: the threshold gives the F1 it promises, and none
// gives a higher one.
func TestBestF1ThresholdByTrial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, scores := ranked(t)
		if len(scores) > 0 && rapid.Bool().Draw(t, "nan") {
			scores[0] = math.NaN()
		}
		if len(scores) > 1 && rapid.Bool().Draw(t, "adjacent") {
			scores[1] = math.Nextafter(scores[0], 1)
		}
		threshold, f1 := metrics.BestF1Threshold(want, scores)
		if math.IsNaN(threshold) || math.IsInf(threshold, 0) && !slices.ContainsFunc(scores, func(s float64) bool { return math.Abs(s) == math.MaxFloat64 }) {
			t.Fatalf("threshold %v", threshold)
		}
		if at := f1At(want, scores, threshold); at != f1 && f1 > 0 {
			t.Fatalf("threshold %v has an F1 of %v, not %v", threshold, at, f1)
		}
		for _, s := range append(slices.Clone(scores), math.Inf(-1)) {
			for _, trial := range []float64{s, math.Nextafter(s, math.Inf(-1))} {
				if at := f1At(want, scores, trial); at > f1 {
					t.Fatalf("threshold %v has an F1 of %v, better than %v at %v", trial, at, f1, threshold)
				}
			}
		}
	})
}

func TestBestF1Threshold(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		want          []bool
		scores        []float64
		threshold, f1 float64
	}{
		{nil, nil, 0, 0},
		{[]bool{true}, []float64{3}, 2.5, 1},
		{[]bool{false}, []float64{3}, 3.5, 0},
		{[]bool{true, false}, []float64{3, 1}, 2, 1},
		{[]bool{false, true}, []float64{3, 1}, 0, 2. / 3},                             // all: half the gap of 2 below
		{[]bool{false, false}, []float64{3, 1}, 4, 0},                                 // none: half the gap above
		{[]bool{true, true, false, false}, []float64{1, 2, 2, 0}, 0.5, 4. / 5},        // a tie of both kinds
		{[]bool{true, false, false, true}, []float64{4, 3, 2, 1}, 3.5, 2. / 3},        // equal F1 at 3.5 and below 1
		{[]bool{true, false}, []float64{1e308, 1e308 / -1}, 0, 1},                     // no overflow
		{[]bool{true, false}, []float64{inf, -inf}, math.MaxFloat64, 1},               // finite all the same
		{[]bool{true, false}, []float64{math.Nextafter(1, 2), 1}, 1, 1},               // nothing in between
		{[]bool{true, true, false}, []float64{math.NaN(), 2, 0}, 1, 2. / 3},           // NaN is missed
		{[]bool{true, true, false}, []float64{-inf, 2, 0}, 1, 2. / 3},                 // so is -Inf
		{[]bool{false, true}, []float64{math.NaN(), math.NaN()}, 0, 0},                // nothing can be predicted
		{[]bool{true, true, false}, []float64{5, 3, 4}, 2.5, 0.8},                     // all: mean gap 1
		{[]bool{true, true, true, false}, []float64{-1, -2, -3, -5}, -4, 1},           // negative scores
		{[]bool{true}, []float64{-math.MaxFloat64}, math.Inf(-1), 1},                  // nothing finite is below
		{[]bool{true, false}, []float64{inf, math.MaxFloat64}, math.MaxFloat64, 1},    // largest finite
		{[]bool{true, false, true}, []float64{0, 0, 0}, -0.5, 0.8},                    // one score only
		{[]bool{true, false}, []float64{0, math.Copysign(0, -1)}, -0.5, 2. / 3},       // zeros are equal
		{[]bool{true, false}, []float64{math.SmallestNonzeroFloat64, 0}, 0, 1},        // denormal gap
		{[]bool{true, false}, []float64{0, -math.SmallestNonzeroFloat64}, -5e-324, 1}, // and below zero
	} {
		threshold, f1 := metrics.BestF1Threshold(c.want, c.scores)
		if threshold != c.threshold || f1 != c.f1 {
			t.Errorf("%v of %v: threshold %v, F1 %v, want %v and %v", c.want, c.scores, threshold, f1, c.threshold, c.f1)
		}
	}
}

func TestPlainFunctions(t *testing.T) {
	if a := metrics.Accuracy([]int32{0, 1, -1, 2}, []int32{0, 2, -1, 2}); a != 0.5 {
		t.Errorf("accuracy %v, want 0.5: an unknown label is never right", a)
	}
	if a := metrics.Accuracy(nil, nil); !math.IsNaN(a) {
		t.Errorf("accuracy of nothing is %v", a)
	}
	if p, r, f := metrics.PrecisionRecallF1(0, 0, 0); p != 0 || r != 0 || f != 0 {
		t.Errorf("precision, recall, F1 of nothing: %v %v %v", p, r, f)
	}
	if p, r, f := metrics.PrecisionRecallF1(3, 1, 3); p != 0.75 || r != 0.5 || f != 0.6 {
		t.Errorf("precision, recall, F1: %v %v %v", p, r, f)
	}
	if m, sd := metrics.MeanSD([]float64{2, 4, 4, 4, 5, 5, 7, 9}); m != 5 || !near(sd, math.Sqrt(32./7)) {
		t.Errorf("mean %v, standard deviation %v", m, sd)
	}
	if m, sd := metrics.MeanSD([]float64{3}); m != 3 || !math.IsNaN(sd) {
		t.Errorf("mean %v, standard deviation %v of one value", m, sd)
	}
	if m, sd := metrics.MeanSD(nil); !math.IsNaN(m) || !math.IsNaN(sd) {
		t.Errorf("mean %v, standard deviation %v of nothing", m, sd)
	}
}

func TestProbabilities(t *testing.T) {
	check := func(what string, want float64) func(float64, error) {
		return func(got float64, err error) {
			t.Helper()
			if err != nil || !same(got, want) {
				t.Errorf("%s: %v, error %v, want %v", what, got, err, want)
			}
		}
	}
	half := []float64{0.5, 0.5}
	check("log loss of a coin", math.Ln2)(metrics.LogLoss([]int32{1}, half, 2))
	check("log loss of certainty", 0)(metrics.LogLoss([]int32{0}, []float64{1, 0}, 2))
	// sklearn.metrics.log_loss([1], [[1.0, 0.0]], labels=[0, 1])
	check("log loss of a certain mistake", 36.04365338911715)(metrics.LogLoss([]int32{1}, []float64{1, 0}, 2))
	check("log loss of rows that do not sum to 1", math.Log(3))(metrics.LogLoss([]int32{2}, []float64{0.2, 0.2, 0.2}, 3))
	check("log loss without the unknown", math.Ln2)(metrics.LogLoss([]int32{0, -1}, []float64{0.5, 0.5, 1, 0}, 2))
	check("log loss of nothing", math.NaN())(metrics.LogLoss([]int32{-1}, half, 2))
	check("Brier of a coin", 0.25)(metrics.Brier([]int32{1}, half, 2))
	check("Brier of a mistake", 1)(metrics.Brier([]int32{1}, []float64{1, 0}, 2))
	check("Brier of a mistake, three classes", 2)(metrics.Brier([]int32{1}, []float64{1, 0, 0}, 3))
	check("Brier of nothing", math.NaN())(metrics.Brier(nil, nil, 2))
	check("ECE of nothing", math.NaN())(metrics.ECE(nil, nil, 15))
	check("ECE of certainty", 0)(metrics.ECE([]bool{true, false}, []float64{1, 0}, 15))
	// A bin ends with its upper edge: |1-0.5|/2 + |0-0.75|/2.
	check("ECE at a bin's upper edge", 0.625)(metrics.ECE([]bool{true, false}, []float64{0.5, 0.75}, 2))
}

func TestECEByBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		bins := rapid.IntRange(1, 20).Draw(t, "bins")
		correct := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "correct")
		confidence := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "confidence")
		got, err := metrics.ECE(correct, confidence, bins)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for b := range bins {
			var size, right, sum float64
			for i, c := range confidence {
				x := c * float64(bins)
				if x > float64(b) && x <= float64(b+1) || b == 0 && c == 0 {
					size++
					sum += c
					if correct[i] {
						right++
					}
				}
			}
			if size > 0 {
				want += size / float64(n) * math.Abs(right/size-sum/size)
			}
		}
		if !near(got, want) {
			t.Fatalf("calibration error %v, by bins %v", got, want)
		}
	})
}

func TestPlainErrors(t *testing.T) {
	nan := math.NaN()
	check := func(want string) func(float64, error) {
		return func(_ float64, err error) {
			t.Helper()
			if err == nil || !strings.HasPrefix(err.Error(), "metrics: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
	check("2 wanted classes but 1 scores")(metrics.ROCAUC([]bool{true, false}, []float64{1}))
	check("document 1: its score is NaN")(metrics.ROCAUC([]bool{true, false}, []float64{1, nan}))
	check("document 0: its score is NaN")(metrics.PRAUC([]bool{true}, []float64{nan}))
	check("3 probabilities for 1 documents and 2")(metrics.LogLoss([]int32{0}, make([]float64, 3), 2))
	check("for 0 documents and 0 classes")(metrics.LogLoss(nil, nil, 0))
	check("wanted class 2 is not among")(metrics.LogLoss([]int32{2}, make([]float64, 2), 2))
	check("probability 2 is not")(metrics.Brier([]int32{0}, []float64{0, 2}, 2))
	check("NaN among the probabilities")(metrics.Brier([]int32{0}, []float64{0, nan}, 2))
	check("1 outcomes but 0 confidences")(metrics.ECE([]bool{true}, nil, 15))
	check("confidence NaN is not")(metrics.ECE([]bool{true}, []float64{nan}, 15))
	check("over 0 bins")(metrics.ECE(nil, nil, 0))
	if _, err := metrics.Confusion([]int32{0}, nil, 1); err == nil || !strings.Contains(err.Error(), "1 wanted but 0 predicted") {
		t.Errorf("error %v", err)
	}
	for want, f := range map[string]func(){
		"Accuracy of 1 wanted and 0 predicted":         func() { metrics.Accuracy([]int32{0}, nil) },
		"BestF1Threshold of 1 wanted classes and 0 sc": func() { metrics.BestF1Threshold([]bool{true}, nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "metrics: "+want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

func BenchmarkROCAUC(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	want, scores := make([]bool, 100_000), make([]float64, 100_000)
	for i := range want {
		want[i] = rng.IntN(3) == 0
		scores[i] = rng.NormFloat64()
	}
	b.SetBytes(int64(len(scores) * 8))
	for b.Loop() {
		if _, err := metrics.ROCAUC(want, scores); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMultiClass(b *testing.B) {
	const n, classes = 20_000, 10
	rng := rand.New(rand.NewPCG(3, 4))
	labels := make([]string, classes)
	want, got := make([]int32, n), make([]int32, n)
	scores, probs := make([]float64, n*classes), make([]float64, n*classes)
	for i := range want {
		want[i], got[i] = rng.Int32N(classes), rng.Int32N(classes)
	}
	for i := range scores {
		scores[i], probs[i] = rng.NormFloat64(), rng.Float64()
	}
	b.SetBytes(int64(len(scores) * 16))
	for b.Loop() {
		if _, err := metrics.MultiClass(labels, want, got, scores, probs); err != nil {
			b.Fatal(err)
		}
	}
}
