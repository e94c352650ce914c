package tests

import (
	"context"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// TestAccuracy trains with defaults on public corpora. The bars lie a little below
// what was reached when they were set: a fall below them is no noise.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("trains on real corpora")
	}
	ctx := context.Background()
	for _, test := range []struct {
		folder string
		bar    float64
	}{
		{"trec", 0.895},
		{"zh-thucnews-titles", 0.897},
	} {
		t.Run(test.folder, func(t *testing.T) {
			in := corpus.Input{Paths: []string{dataFile(t, test.folder, "train.tsv.zst")}}
			c, _ := mustTrain(t, in, nbsvm.DefaultOptions())
			report, err := c.Evaluate(ctx, in.With(dataFile(t, test.folder, "test.tsv.zst")), nbsvm.ScoreOptions{})
			must.OK(t, err)
			if t.Logf("accuracy %.4f", report.Accuracy); report.Accuracy < test.bar {
				t.Errorf("accuracy %.4f, want %.3f", report.Accuracy, test.bar)
			}
		})
	}
}

// TestAccuracyOfPaper: Wang and Manning (2012, table 2) have 79.4 % for NBSVM with
// bigrams on sentence polarity, in 10-fold cross-validation.
func TestAccuracyOfPaper(t *testing.T) {
	if testing.Short() {
		t.Skip("cross-validates on a real corpus")
	}
	preset, err := nbsvm.PresetNamed("paper")
	must.OK(t, err)
	in := corpus.Input{Paths: []string{dataFile(t, "rt-polarity", "all.tsv.zst")}}
	cv, err := nbsvm.CrossValidate(context.Background(), in, preset.Options(), 10)
	must.OK(t, err)
	var accuracies []float64
	for _, fold := range cv.Folds {
		accuracies = append(accuracies, fold.Accuracy)
	}
	mean, sd := xmath.MeanSD(accuracies)
	if t.Logf("accuracy %.4f ± %.4f", mean, sd); mean < 0.794-0.007 || mean > 0.794+0.007 {
		t.Errorf("accuracy %.4f, the paper has 0.794", mean)
	}
}
