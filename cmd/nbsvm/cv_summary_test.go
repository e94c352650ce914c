package main

import (
	"math"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// TestComparePoints compares with what numpy says of the same numbers: mean, std(ddof=1) and std(ddof=1)/sqrt(n), of
// the metric and of its differences fold by fold.
func TestComparePoints(t *testing.T) {
	point := func(accuracies ...float64) gridPoint {
		cv := &nbsvm.CrossValidation{}
		for _, a := range accuracies {
			cv.Folds = append(cv.Folds, &metrics.Report{N: 50, Accuracy: a})
			cv.Times = append(cv.Times, nbsvm.FoldTimes{Train: 2 * time.Second, Score: 250 * time.Millisecond})
		}
		cv.Times[0].Train = 5 * time.Second
		return gridPoint{foldSummary: summariseFolds(cv)}
	}
	points := []gridPoint{point(0.80, 0.84, 0.79), point(0.82, 0.85, 0.84), point(0.82, 0.85, 0.84)}
	c := comparePoints(nil, points, "accuracy")
	if c.Best != 1 {
		t.Errorf("the best is %d, want the first of the two that are equal, 1", c.Best)
	}
	first := c.Settings[0]
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"mean", float64(first.Mean["accuracy"]), 0.81},
		{"standard deviation", float64(first.SD["accuracy"]), 0.026457513110645883},
		{"standard error", float64(first.SE["accuracy"]), 0.015275252316519451},
		{"difference", float64(first.ToBest.Mean), -0.026666666666666644},
		{"standard error of the difference", float64(first.ToBest.SE), 0.012018504251546625},
		{"difference of equals", float64(c.Settings[2].ToBest.Mean), 0},
		{"seconds of training", first.trainSeconds(), 3},
		{"documents a second", first.Times.DocumentsPerSecond, 200},
	} {
		if !(math.Abs(test.got-test.want) < 1e-14) {
			t.Errorf("%s is %v, want %v", test.name, test.got, test.want)
		}
	}
}

// TestRates are what people read.
func TestRates(t *testing.T) {
	rates := map[float64]string{0.4: "0", 17: "17", 999.4: "999", 1234: "1,230", 347206: "347,000", 9999: "10,000"}
	for rate, want := range rates {
		if got := perSecond(rate); got != want {
			t.Errorf("%v a second are told as %s, want %s", rate, got, want)
		}
	}
	for s, want := range map[float64]string{0.0123: "0.012", 4.44: "4.4", 123.4: "123"} {
		if got := seconds(s); got != want {
			t.Errorf("%v seconds are told as %s, want %s", s, got, want)
		}
	}
}
