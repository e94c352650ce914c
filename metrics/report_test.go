package metrics

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12 }

func compare(t *testing.T, r *Report, want map[string]float64) {
	t.Helper()
	seen := 0
	for key, v := range r.Values() {
		w, ok := want[key]
		switch {
		case !ok:
			t.Errorf("%s: the oracle has no such metric", key)
		case v == nil:
			t.Errorf("%s is undefined, want %v", key, w)
		case !near(*v, w):
			t.Errorf("%s = %.17g, want %.17g", key, *v, w)
		}
		seen++
	}
	if seen != len(want) {
		t.Errorf("%d metrics, want %v", seen, slices.Sorted(maps.Keys(want)))
	}
}

func TestMultiClassOracle(t *testing.T) {
	for _, c := range []struct {
		labels    []string
		want, got []int32
		scores    []float64
		probs     []float64
		metrics   map[string]float64
		confusion [][]int64
		classes   [][]float64
	}{
		{[]string{"neg", "pos"}, binaryWant, binaryGot, binaryScores, binaryProbs, binaryMetrics, binaryConfusion, binaryClasses},
		{[]string{"a", "b", "c"}, threeWant, threeGot, threeScores, threeProbs, threeMetrics, threeConfusion, threeClasses},
	} {
		r, err := multiClass(c.labels, c.want, c.got, c.scores, c.probs)
		must.OK(t, err)
		compare(t, r, c.metrics)
		if !slices.EqualFunc(r.Confusion, c.confusion, slices.Equal) {
			t.Errorf("confusion %v, want %v", r.Confusion, c.confusion)
		}
		for k, want := range c.classes {
			p := r.PerClass[k]
			got := []float64{p.Precision, p.Recall, p.F1, float64(p.Support), *p.ROCAUC, *p.PRAUC}
			if p.Label != c.labels[k] || !slices.EqualFunc(got, want, near) {
				t.Errorf("class %s: %v, want %v", p.Label, got, want)
			}
			var predicted int64
			for _, row := range c.confusion {
				predicted += row[k]
			}
			if p.Predicted != predicted {
				t.Errorf("class %s: predicted %d times, want %d", p.Label, p.Predicted, predicted)
			}
		}
	}
}

func TestMultiLabelOracle(t *testing.T) {
	r, err := multiLabel([]string{"a", "b", "c", "d"}, multiWant, multiGot, multiScores, multiProbs)
	must.OK(t, err)
	compare(t, r, multiMetrics)
	if r.Confusion != nil {
		t.Errorf("confusion %v, want none", r.Confusion)
	}
}

// TestUnknownLabels: documents of unknown labels are wrong, and the ranking and
// probability metrics are those of the other documents.
func TestUnknownLabels(t *testing.T) {
	labels := []string{"a", "b", "c"}
	known, err := multiClass(labels, threeWant, threeGot, threeScores, threeProbs)
	must.OK(t, err)
	n := len(threeWant)
	r, err := multiClass(labels,
		append(slices.Clone(threeWant), -1, -1), append(slices.Clone(threeGot), 0, 0),
		append(slices.Clone(threeScores), 9, 9, 9, -9, -9, -9), append(slices.Clone(threeProbs), 1, 0, 0, 0, 0.5, 0.5))
	must.OK(t, err)
	right := math.Round(known.Accuracy * float64(n))
	if want := right / float64(n+2); r.Unknown != 2 || r.Accuracy != want || r.MicroF1 != want {
		t.Errorf("unknown %d accuracy %v micro F1 %v, want 2 and %v", r.Unknown, r.Accuracy, r.MicroF1, want)
	}
	if !slices.EqualFunc(r.Confusion, known.Confusion, slices.Equal) {
		t.Errorf("confusion %v, want %v", r.Confusion, known.Confusion)
	}
	if a, b := r.PerClass[0], known.PerClass[0]; a.Predicted != b.Predicted+2 || a.Precision >= b.Precision || a.Recall != b.Recall {
		t.Errorf("class a with unknowns %+v, without %+v", a, b)
	}
	for _, pair := range [][2]*float64{{r.ROCAUC, known.ROCAUC}, {r.PRAUC, known.PRAUC}, {r.LogLoss, known.LogLoss}, {r.Brier, known.Brier}, {r.ECE, known.ECE}} {
		if *pair[0] != *pair[1] {
			t.Errorf("%v with unknown labels, %v without", *pair[0], *pair[1])
		}
	}
	if want := known.WeightedF1; r.WeightedF1 >= want {
		t.Errorf("weighted F1 %v with unknown labels, %v without", r.WeightedF1, want)
	}
}

// TestWeightedUnknown has scikit-learn's averages where a class is never predicted and the model does not know a label:
// precision_recall_fscore_support([0,0,1,1,1,2,3], [0,1,1,1,0,0,0], average="weighted", zero_division=0).
func TestWeightedUnknown(t *testing.T) {
	want, got := []int32{0, 0, 1, 1, 1, 2, Unknown}, []int32{0, 1, 1, 1, 0, 0, 0}
	r, err := multiClass([]string{"a", "b", "c"}, want, got, nil, nil)
	must.OK(t, err)
	if !near(r.WeightedPrecision, 0.35714285714285715) || !near(r.WeightedRecall, 0.42857142857142855) ||
		!near(r.WeightedF1, 0.38095238095238093) {
		t.Errorf("weighted %v, %v, %v", r.WeightedPrecision, r.WeightedRecall, r.WeightedF1)
	}
}

func TestMultiLabelUnknown(t *testing.T) {
	r, err := multiLabel([]string{"a", "b"}, [][]int32{{0, -1, 0}, {1}, nil}, [][]int32{{0}, {1, 1}, nil}, nil, nil)
	must.OK(t, err)
	// Sets: repetitions count once. Of three wanted labels two are found.
	if r.Unknown != 1 || !near(r.Accuracy, 2./3) || !near(r.MicroRecall, 2./3) || r.MicroPrecision != 1 || *r.HammingLoss != 0 {
		t.Errorf("report %+v", r)
	}
	if r.PerClass[0].Support != 1 || r.PerClass[1].Predicted != 1 {
		t.Errorf("repeated labels count more than once: %+v", r.PerClass)
	}
}

func TestUndefined(t *testing.T) {
	r, err := multiClass([]string{"a", "b", "c"}, []int32{-1, -1}, []int32{0, 0}, make([]float64, 6), make([]float64, 6))
	must.OK(t, err)
	if r.ROCAUC != nil || r.PRAUC != nil || r.LogLoss != nil || r.Brier != nil || r.ECE != nil {
		t.Errorf("metrics of no known document are defined: %+v", r)
	}
	r, err = multiClass([]string{"a", "b"}, []int32{0, 0}, []int32{0, 0}, make([]float64, 4), nil)
	must.OK(t, err)
	if r.ROCAUC != nil || r.PRAUC != nil || r.PerClass[0].PRAUC == nil || r.MacroF1 != 1 {
		t.Errorf("report of one class only: %+v", r)
	}
	r, err = multiLabel([]string{"a"}, [][]int32{nil}, [][]int32{nil}, nil, nil)
	must.OK(t, err)
	if r.Accuracy != 1 || r.MacroF1 != 0 || r.MicroF1 != 0 || r.WeightedF1 != 0 || r.WeightedPrecision != 0 || r.WeightedRecall != 0 {
		t.Errorf("report without any label: %+v", r)
	}
}

func TestJSONKeys(t *testing.T) {
	r, err := multiClass([]string{"a", "b"}, []int32{0, 1}, []int32{0, 0}, nil, nil)
	must.OK(t, err)
	got, err := json.Marshal(r)
	must.OK(t, err)
	const want = `{"n":2,"unknown":0,"bad":0,"accuracy":0.5,"macro_f1":0.3333333333333333,"micro_f1":0.5,` +
		`"macro_precision":0.25,"macro_recall":0.5,"micro_precision":0.5,"micro_recall":0.5,"weighted_f1":0.3333333333333333,` +
		`"weighted_precision":0.25,"weighted_recall":0.5,` +
		`"log_loss":null,"roc_auc":null,"pr_auc":null,"brier":null,"ece":null,` +
		`"per_class":[{"label":"a","support":1,"predicted":2,"precision":0.5,"recall":1,"f1":0.6666666666666666},` +
		`{"label":"b","support":1,"predicted":0,"precision":0,"recall":0,"f1":0}],"confusion":[[1,0],[1,0]]}`
	if string(got) != want {
		t.Errorf("JSON\n%s\nwant\n%s", got, want)
	}
	// Values has the same keys as the JSON object.
	var object map[string]any
	full, err := multiLabel([]string{"a"}, [][]int32{{0}}, [][]int32{{0}}, nil, nil)
	must.OK(t, err)
	if got, err = json.Marshal(full); err != nil {
		t.Fatal(err)
	}
	must.OK(t, json.Unmarshal(got, &object))
	for _, key := range []string{"n", "unknown", "bad", "per_class", "confusion"} {
		delete(object, key)
	}
	var keys []string
	for key := range full.Values() {
		keys = append(keys, key)
	}
	if want := slices.Sorted(maps.Keys(object)); !slices.Equal(slices.Sorted(slices.Values(keys)), want) {
		t.Errorf("Values has %v, JSON %v", keys, want)
	}
	for range full.Values() {
		break // stopping early is fine
	}
}

func TestReportErrors(t *testing.T) {
	ab := []string{"a", "b"}
	nan := math.NaN()
	one := []int32{0}
	for want, f := range map[string]func() (*Report, error){
		"labels must have 1 element": func() (*Report, error) { return multiClass(nil, one, one, nil, nil) },
		"no documents":               func() (*Report, error) { return multiClass(ab, nil, nil, nil, nil) },
		"document 0: a wanted class must be from 0 to 1, or Unknown, got 2": func() (*Report, error) {
			return multiClass(ab, []int32{2}, one, nil, nil)
		},
		"a wanted class must be from 0 to 1, or Unknown, got -2": func() (*Report, error) {
			return multiClass(ab, []int32{-2}, one, nil, nil)
		},
		"a predicted class must be from 0 to 1, got -1": func() (*Report, error) {
			return multiClass(ab, one, []int32{-1}, nil, nil)
		},
		"document 0: scores must have 2 elements, one for each class, got 3": func() (*Report, error) {
			return multiClass(ab, one, one, make([]float64, 3), nil)
		},
		"document 0: probs must have 2 elements, one for each class, got 4": func() (*Report, error) {
			return multiClass(ab, one, one, nil, make([]float64, 4))
		},
		"document 0, class 1: scores must not be NaN": func() (*Report, error) {
			return multiClass(ab, one, one, []float64{0, nan}, nil)
		},
		"document 0, class 0: probs must not be NaN": func() (*Report, error) {
			return multiClass(ab, one, one, nil, []float64{nan, 0})
		},
		"document 0, class 1: the probability must be from 0 to 1, got 1.5": func() (*Report, error) {
			return multiClass(ab, one, one, nil, []float64{0, 1.5})
		},
		"the probability must be from 0 to 1, got -1": func() (*Report, error) {
			return multiLabel(ab, [][]int32{nil}, [][]int32{nil}, nil, []float64{0, -1})
		},
		"a wanted class must be from 0 to 1, or Unknown, got 2": func() (*Report, error) {
			return multiLabel(ab, [][]int32{{0, 2}}, [][]int32{nil}, nil, nil)
		},
		"document 0: a wanted class must be from 0 to 1, or Unknown, got -2": func() (*Report, error) {
			return multiLabel(ab, [][]int32{{-1, -2}}, [][]int32{nil}, nil, nil)
		},
		"a predicted class must be from 0 to 1, got 5": func() (*Report, error) {
			return multiLabel(ab, [][]int32{nil}, [][]int32{{5}}, nil, nil)
		},
		"document 0: a predicted class must be from 0 to 1, got -1": func() (*Report, error) {
			return multiLabel(ab, [][]int32{nil}, [][]int32{{-1}}, nil, nil)
		},
	} {
		r, err := f()
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), "metrics: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("report %v, error %v, want %q", r, err, want)
		}
	}
}

func TestWriteText(t *testing.T) {
	r, err := multiClass([]string{"neg", "pos"},
		[]int32{0, 0, 0, 1, 1, -1}, []int32{0, 0, 1, 1, 1, 1},
		[]float64{1, -1, 1, -1, -1, 1, -2, 2, -3, 3, 0, 0}, nil)
	must.OK(t, err)
	var b strings.Builder
	must.OK(t, r.WriteText(&b))
	const want = `  documents                6
  unknown labels           1
  accuracy            0.6667
  macro f1            0.4889
  micro f1            0.6667
  weighted f1         0.6222
  macro precision     0.5000
  macro recall        0.5556
  micro precision     0.6667
  micro recall        0.6667
  weighted precision  0.6667
  weighted recall     0.6667
  roc auc             1.0000
  pr auc              1.0000

  label  support  predicted  precision  recall      f1  roc auc  pr auc
  neg          3          2     1.0000  0.6667  0.8000   1.0000  1.0000
  pos          2          4     0.5000  1.0000  0.6667   1.0000  1.0000

confusion matrix: rows are true labels, columns are predicted labels
       neg  pos
  neg    2    1
  pos    0    2
`
	if b.String() != want {
		t.Errorf("text\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteTextManyLabels(t *testing.T) {
	const classes = maxConfusion + 1
	labels := make([]string, classes)
	var want, got []int32
	for k := range labels {
		labels[k] = fmt.Sprintf("label%04d", k)
		want, got = append(want, int32(k)), append(got, int32(k))
	}
	labels[7] = "tab\there \x1b[31m"
	labels[8] = strings.Repeat("é", 40)
	for range 3 {
		want, got = append(want, 7, 8, 8), append(got, 8, 7, 7)
	}
	r, err := multiClass(labels, want, got, nil, nil)
	must.OK(t, err)
	var b strings.Builder
	must.OK(t, r.WriteText(&b))
	text := b.String()
	if len(r.MostConfused) != 2 || r.MostConfused[0] != (Confused{labels[8], labels[7], 6, 6.0 / 7}) {
		t.Errorf("most confused are %v", r.MostConfused)
	}
	if r.Confusion != nil || strings.Contains(text, "across") {
		t.Error("a matrix of confusions for very many labels")
	}
	for _, want := range []string{
		"… and 981 more labels, whose median f1 is 1.0000\n",
		"\"tab\\there \\x1b[31m\"",
		strings.Repeat("é", 31) + "…",
		"most frequent confusions\n  true label ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	last := strings.Split(strings.TrimSpace(text), "\n")
	if line := last[len(last)-2]; !strings.HasSuffix(line, " 6          0.8571") || !strings.HasPrefix(line, "  ééé") {
		t.Errorf("the most frequent confusion is %q", line)
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line %q ends in spaces", line)
		}
	}
}
