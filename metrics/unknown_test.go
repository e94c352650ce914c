package metrics

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestDescribeUnknown(t *testing.T) {
	for _, test := range []struct {
		name    string
		known   []string
		unknown map[string]int64
		want    string
	}{
		{"none", []string{"a", "b"}, nil, ""},
		{"others", []string{"a", "b"}, map[string]int64{"x": 1, "z": 7, "y": 7}, `"y" (7), "z" (7), "x" (1)`},
		{"many", []string{"a", "b"}, map[string]int64{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7}, `"7" (7), "6" (6), "5" (5), "4" (4), "3" (3) and 2 more`},
		{"case", []string{"ham", "spam"}, map[string]int64{"Spam": 2}, `"Spam" (2); "Spam" looks like the model's "spam"`},
		{"form", []string{"caf\u00e9", "tea"}, map[string]int64{"cafe\u0301": 2}, "\"cafe\\u0301\" (2); \"cafe\\u0301\" looks like the model's \"caf\u00e9\""},
		{"space", []string{"news", "world news"}, map[string]int64{"news ": 1}, `"news " (1); "news " looks like the model's "news"`},
		{"prefix of the data", []string{"neg", "pos"}, map[string]int64{"__label__pos": 3}, `"__label__pos" (3); "__label__pos" looks like the model's "pos"`},
		{"prefix of the model", []string{"__label__neg", "__label__pos"}, map[string]int64{"Pos": 3}, `"Pos" (3); "Pos" looks like the model's "__label__pos"`},
		{"numbers", []string{"0", "1"}, map[string]int64{"1.0": 3, "+1": 1}, `"1.0" (3), "+1" (1); "1.0" looks like the model's "1"`},
		{"terminals", []string{"a", "b"}, map[string]int64{"\x1b[2J": 1}, `"\x1b[2J" (1)`},
	} {
		r := NewAccumulator(test.known, false).r
		r.UnknownLabels = test.unknown
		if got := r.DescribeUnknown(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// bruteAverages are scikit-learn's macro and weighted precision, recall and F1, over all labels of sets that are wanted
// or predicted, by their definitions.
func bruteAverages(want, got [][]string) (macro, weighted [3]float64) {
	support, classes := 0.0, map[string]bool{}
	for i := range want {
		support += float64(len(want[i]))
		for _, label := range slices.Concat(want[i], got[i]) {
			classes[label] = true
		}
	}
	for label := range classes {
		var tp, wanted, predicted float64
		for i := range want {
			w, g := slices.Contains(want[i], label), slices.Contains(got[i], label)
			if w {
				wanted++
			}
			if g {
				predicted++
			}
			if w && g {
				tp++
			}
		}
		for m, values := range [3][2]float64{{tp, predicted}, {tp, wanted}, {2 * tp, wanted + predicted}} {
			if values[1] > 0 {
				macro[m] += values[0] / values[1] / float64(len(classes))
				weighted[m] += values[0] / values[1] * wanted / max(support, 1)
			}
		}
	}
	return macro, weighted
}

// TestUnknownClasses compares averages over labels, some of which the model does not know, with their definitions.
func TestUnknownClasses(t *testing.T) {
	known := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		multi := rapid.Bool().Draw(t, "multi")
		least, most := 1, 1
		if multi {
			least, most = 0, 4
		}
		n := rapid.IntRange(1, 30).Draw(t, "n")
		a := NewAccumulator(known, multi)
		var want, got [][]string
		for range n {
			w := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "B", "d", "e"}), least, most, rapid.ID).Draw(t, "want")
			g := rapid.SliceOfNDistinct(rapid.SampledFrom(known), least, min(most, 3), rapid.ID).Draw(t, "got")
			want, got = append(want, w), append(got, g)
			var wanted, predicted []int32
			for _, label := range w {
				k := int32(slices.Index(known, label))
				if k < 0 {
					k = a.UnknownClass(label)
				}
				wanted = append(wanted, k)
			}
			for _, label := range g {
				predicted = append(predicted, int32(slices.Index(known, label)))
			}
			must.OK(t, a.Add(wanted, predicted, nil, nil))
		}
		r, err := a.Report()
		must.OK(t, err)
		macro, weighted := bruteAverages(want, got)
		for m, values := range [][2]float64{
			{r.MacroPrecision, macro[0]},
			{r.MacroRecall, macro[1]},
			{r.MacroF1, macro[2]},
			{r.WeightedPrecision, weighted[0]},
			{r.WeightedRecall, weighted[1]},
			{r.WeightedF1, weighted[2]},
		} {
			if !near(values[0], values[1]) {
				t.Fatalf("average %d is %v, by its definition %v", m, values[0], values[1])
			}
		}
		for k, class := range r.PerClass {
			support := 0
			for _, labels := range want {
				if slices.Contains(labels, class.Label) {
					support++
				}
			}
			if class.Support != int64(support) {
				t.Fatalf("%s: support %d, want %d", class.Label, class.Support, support)
			}
			if k > len(known) && class.Label <= r.PerClass[k-1].Label {
				t.Fatalf("%s follows %s", class.Label, r.PerClass[k-1].Label)
			}
			for j, documents := range r.Confusion[min(k, len(r.Confusion)):][:min(1, len(r.Confusion))] {
				for g, count := range documents {
					n := int64(0)
					for i := range want {
						if want[i][0] == class.Label && got[i][0] == r.PerClass[g].Label {
							n++
						}
					}
					if count != n {
						t.Fatalf("%d: %s is predicted as %s %d times, not %d", j, class.Label, r.PerClass[g].Label, n, count)
					}
				}
			}
		}
	})
}
