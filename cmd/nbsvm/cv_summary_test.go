package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
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

// TestGridCommand: the command that a grid ends with runs, and trains the model of its best setting.
func TestGridCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "%s\tw%d of a text, v%d!\n", []string{"good", "bad one"}[i%2], i%6, i%7)
	}
	must.OK(t, os.WriteFile("d.tsv", []byte(lines.String()), 0o600))
	out := func(line string) string { return output(t, split(line)...) }
	for _, grid := range []string{
		"--min-df 1 --grid ngrams=word:1-2+char-wb:2-3,word+char:1-2", "--grid ngrams=2,1-3 --format tsv", "--grid preset=paper,tfidf --seed 3",
		"--grid normalize=false --grid lowercase=false", "--grid model=svm,logistic --C 0.3 --class-weight 'bad one=2'", "--grid beta=auto,0.5 --grid min-df=auto,2",
		"--grid model=gbdt --grid depth=2,3 --rounds 5", "--label-sep , --grid values=tfidf,count", "--grid loss=logistic --calibrate", "--grid ngrams=char",
	} {
		var found struct {
			Command  string
			Best     int
			Settings []struct{ Setting map[string]string }
		}
		must.OK(t, json.Unmarshal([]byte(out("cv --json --folds 2 "+grid+" d.tsv")), &found))
		line, is := strings.CutPrefix(found.Command, "nbsvm ")
		if !is || !strings.Contains(out("cv --folds 2 "+grid+" d.tsv"), "\n    nbsvm "+line+"\n") {
			t.Errorf("%s: %q is not what the text has", grid, found.Command)
		}
		out(line)
		got, err := os.ReadFile("model.nbm")
		must.OK(t, err)
		want := "train -o want.nbm d.tsv"
		for name, value := range found.Settings[found.Best].Setting {
			if name == "ngrams" {
				value = strings.ReplaceAll(value, "+", ",")
			}
			if value == "false" {
				want += " --no-" + name
			} else {
				want += " --" + name + "=" + value
			}
		}
		others := regexp.MustCompile(`--grid \S+`).ReplaceAllString(grid, "")
		out(want + " " + others)
		if model, err := os.ReadFile("want.nbm"); err != nil || !bytes.Equal(model, got) {
			t.Errorf("%s: nbsvm %s trains another model than %s", grid, line, want)
		}
	}
}
