package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// render writes labels and scores with all their digits.
func render(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
	if p == nil {
		return append(dst, "bad\n"...)
	}
	dst = fmt.Append(dst, p[0].Labels)
	for _, score := range p[0].Scores {
		dst = append(dst, ' ')
		dst = strconv.AppendFloat(dst, score, 'g', -1, 64)
	}
	return append(dst, '\n')
}

// agreementShapes have two classes, several, and any number of them.
func agreementShapes() map[string]shape {
	return map[string]shape{
		"two classes": small,
		"five":        small.with(func(s *shape) { s.classes = 5 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	}
}

// sumOrder is by how much sums of some hundred float32 products differ, in another order.
const sumOrder = 1e-5

// samePrediction says whether two predictions are one but for the order of summation.
func samePrediction(a, b *nbsvm.Prediction) bool {
	same := slices.Equal(a.Labels, b.Labels) && len(a.Margins) == len(b.Margins)
	for i := range a.Margins {
		same = same && near(a.Margins[i], b.Margins[i], sumOrder)
	}
	for i := range a.Scores {
		same = same && near(a.Scores[i], b.Scores[i], sumOrder)
	}
	return same
}

// sameReport says whether two reports are one but for the order in which margins were summed.
func sameReport(a, b *metrics.Report) bool {
	x, y := *a, *b
	for _, m := range [][2]**float64{{&x.LogLoss, &y.LogLoss}, {&x.Brier, &y.Brier}, {&x.ECE, &y.ECE}} {
		if (*m[0] == nil) != (*m[1] == nil) || *m[0] != nil && !near(**m[0], **m[1], sumOrder) {
			return false
		}
		*m[0], *m[1] = nil, nil
	}
	return reflect.DeepEqual(&x, &y)
}

// stratified deals the documents of each class (of each combination of labels) out to folds, in an order that the
// seed gives; each class goes on where the last one stopped.
func stratified(ds *dataset.Dataset, folds int, seed uint64) []*roaring.Bitmap {
	classes := map[string][]int{}
	var order []string
	for doc := range ds.Documents {
		labels := fmt.Sprint(ds.Classes.LabelsOf(doc))
		if classes[labels] == nil {
			order = append(order, labels)
		}
		classes[labels] = append(classes[labels], doc)
	}
	all := make([]*roaring.Bitmap, folds)
	for k := range all {
		all[k] = roaring.New()
	}
	dealt, random := 0, xmath.SplitMix(seed)
	for _, labels := range order {
		xmath.Shuffle(&random, classes[labels])
		for _, doc := range classes[labels] {
			all[dealt%folds].Add(uint32(doc))
			dealt++
		}
	}
	return all
}

// TestCrossValidateFold: a fold's report is what Train and Evaluate give for the
// same split.
func TestCrossValidateFold(t *testing.T) {
	ctx := context.Background()
	for kind, s := range agreementShapes() {
		for _, name := range []string{"default", "tfidf", "calibrated", "bnb"} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				o := options(everyVariant()[name])
				cv, err := nbsvm.CrossValidate(ctx, s.input(), o, 3)
				must.OK(t, err)
				if cv.Documents != s.docs || len(cv.Folds) != 3 || len(cv.Labels) != s.classes {
					t.Fatalf("%d documents, %d folds, labels %q", cv.Documents, len(cv.Folds), cv.Labels)
				}
				ds := readAll(t, s.input(), &o)
				docs := s.records()
				for k, test := range stratified(ds, 3, o.Seed) {
					var inside, outside []record
					for i, d := range docs {
						if test.Contains(uint32(i)) {
							outside = append(outside, d)
						} else {
							inside = append(inside, d)
						}
					}
					in := s.input()
					in.Stdin = bytes.NewReader(tsv(inside))
					c, _ := mustTrain(t, in, o)
					in.Stdin = bytes.NewReader(tsv(outside))
					report, err := c.Evaluate(ctx, in, nbsvm.ScoreOptions{})
					must.OK(t, err)
					if !sameReport(report, cv.Folds[k]) {
						t.Errorf("fold %d: cross-validation reports accuracy %v and F1 %v, training on the files %v and %v", k,
							cv.Folds[k].Accuracy, cv.Folds[k].MicroF1, report.Accuracy, report.MicroF1)
					}
				}
			})
		}
	}
}

// untimed is a cross-validation without its times; those of a fold that took none are left.
func untimed(cv *nbsvm.CrossValidation) nbsvm.CrossValidation {
	untimed := *cv
	timed := func(took nbsvm.FoldTimes) bool { return took.Train > 0 && took.Score > 0 }
	untimed.Times = slices.DeleteFunc(slices.Clone(cv.Times), timed)
	return untimed
}

// TestCrossValidateAll: of several settings, each gets what it gets alone, whether or not
// they share their matrix; of texts, and of a packed corpus.
func TestCrossValidateAll(t *testing.T) {
	for kind, s := range agreementShapes() {
		t.Run(kind, func(t *testing.T) {
			var settings []nbsvm.Options
			for _, name := range []string{"default", "interp", "logistic", "bnb", "calibrated"} {
				settings = append(settings, options(everyVariant()[name], func(o *nbsvm.Options) { o.Text.Families = bigrams }))
			}
			settings = append(settings, options(func(o *nbsvm.Options) { o.Text.Families, o.MinDF = bigrams, 3 }), settings[0])
			settings[6].C = 0.01
			po := settings[0].Pack()
			po.MinDF = 1
			for where, open := range map[string]func() corpus.Input{
				"texts": s.input,
				"corpus": func() corpus.Input {
					path := pack(t, s.input(), po, 0)
					in := packedFile(path)
					in.LabelSep = s.input().LabelSep
					return in
				},
			} {
				all, err := nbsvm.CrossValidateAll(t.Context(), open(), settings, 3, nil)
				must.OK(t, err)
				for i, o := range settings {
					alone, err := nbsvm.CrossValidate(t.Context(), open(), o, 3)
					must.OK(t, err)
					if !reflect.DeepEqual(untimed(alone), untimed(all[i])) {
						t.Errorf("%s, setting %d: accuracy %v among others, %v alone", where, i, all[i].Folds[0].Accuracy, alone.Folds[0].Accuracy)
					}
				}
			}
			settings[1].Text.Families[0].NgramHi = 3
			if _, err := nbsvm.CrossValidateAll(t.Context(), s.input(), settings, 3, nil); err == nil || !strings.Contains(err.Error(), "give files, not standard input") {
				t.Errorf("other n-grams: %v", err)
			}
			in := s.input()
			text, err := io.ReadAll(in.Stdin)
			must.OK(t, err)
			in.Paths = []string{filepath.Join(t.TempDir(), "documents.tsv")}
			must.OK(t, os.WriteFile(in.Paths[0], text, 0o600))
			settings[2].Text.Families[1] = hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 3}
			settings[0].Values = nbsvm.Count // read with bnb's, which does without counts
			all, err := nbsvm.CrossValidateAll(t.Context(), in, settings[:4], 3, nil)
			must.OK(t, err)
			for i, o := range settings[:4] {
				alone, err := nbsvm.CrossValidate(t.Context(), in, o, 3)
				if err != nil || !reflect.DeepEqual(untimed(alone), untimed(all[i])) {
					t.Errorf("other n-grams, setting %d: %+v among others, %+v alone, %v", i, all[i], alone, err)
				}
			}
		})
	}
}

// marshalled is a report as JSON.
func marshalled(t testing.TB, r *metrics.Report) string {
	t.Helper()
	data, err := json.Marshal(r)
	must.OK(t, err)
	return string(data)
}
