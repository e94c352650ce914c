package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
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

// rankingOf counts documents as a sample does.
func rankingOf(want []bool, scores []float64) *ranking {
	r := new(ranking)
	for i, s := range scores {
		if want[i] {
			r.pos = append(r.pos, s)
		}
	}
	r.begin()
	for i, s := range scores {
		if !want[i] {
			r.count(s)
		}
	}
	return r
}

// calibrationError is the expected calibration error of predictions.
func calibrationError(correct []bool, confidence []float64) float64 {
	var c calibration
	for i, p := range confidence {
		c.add(correct[i], p)
	}
	return c.expected()
}

// same is equality with NaN equal to itself, up to rounding.
func same(a, b float64) bool { return near(a, b) || math.IsNaN(a) && math.IsNaN(b) }

func TestROCAUCByPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, scores := ranked(t)
		got := rankingOf(want, scores).rocAUC()
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
		got := rankingOf(want, scores).averagePrecision()
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

func TestProbabilities(t *testing.T) {
	// report has only the documents' probabilities, of so many classes.
	report := func(want []int32, probs []float64, classes int) *Report {
		t.Helper()
		r, err := multiClass(make([]string, classes), want, make([]int32, len(want)), nil, probs)
		must.OK(t, err)
		return r
	}
	check := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil && math.IsNaN(want) {
			return
		}
		if got == nil || !same(*got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	half := []float64{0.5, 0.5}
	check("log loss of a coin", report([]int32{1}, half, 2).LogLoss, math.Ln2)
	check("log loss of certainty", report([]int32{0}, []float64{1, 0}, 2).LogLoss, 0)
	// sklearn.metrics.log_loss([1], [[1.0, 0.0]], labels=[0, 1])
	check("log loss of a certain mistake", report([]int32{1}, []float64{1, 0}, 2).LogLoss, 36.04365338911715)
	check("log loss of rows that do not sum to 1", report([]int32{2}, []float64{0.2, 0.2, 0.2}, 3).LogLoss, math.Log(3))
	check("log loss without the unknown", report([]int32{0, -1}, []float64{0.5, 0.5, 1, 0}, 2).LogLoss, math.Ln2)
	check("log loss of nothing", report([]int32{-1}, half, 2).LogLoss, math.NaN())
	check("Brier of a coin", report([]int32{1}, half, 2).Brier, 0.25)
	check("Brier of a mistake", report([]int32{1}, []float64{1, 0}, 2).Brier, 1)
	check("Brier of a mistake, three classes", report([]int32{1}, []float64{1, 0, 0}, 3).Brier, 2)
	check("Brier of nothing", report([]int32{-1}, half, 2).Brier, math.NaN())
	ece := func(correct []bool, confidence []float64) *float64 {
		e := calibrationError(correct, confidence)
		return &e
	}
	check("ECE of nothing", ece(nil, nil), math.NaN())
	check("ECE of certainty", ece([]bool{true, false}, []float64{1, 0}), 0)
	// A bin ends with its upper edge: |1-0.2|/2 + |0-0.25|/2.
	check("ECE at a bin's upper edge", ece([]bool{true, false}, []float64{0.2, 0.25}), 0.525)
}

func TestECEByBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		correct := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "correct")
		confidence := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "confidence")
		got := calibrationError(correct, confidence)
		var want float64
		for b := range calibrationBins {
			var size, right, sum float64
			for i, c := range confidence {
				x := c * calibrationBins
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
