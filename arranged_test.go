package nbsvm

import (
	"context"
	"reflect"
	"slices"
	"testing"
)

// TestArranged: a document has the same scores, bit for bit, from the table as from the
// model itself.
func TestArranged(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"unit rows":         func(*Options) {},
		"rows as they are":  func(o *Options) { o.Normalize = false },
		"without ratio":     func(o *Options) { o.Kind = SVM },
		"shared buckets":    func(o *Options) { o.Text.Bits = 8 },
		"counts, no table":  func(o *Options) { o.Values = Count },
		"logistic, biasing": func(o *Options) { o.Kind, o.Bias = Logistic, 3 },
	} {
		c, _ := train(t, small.input(), options(change))
		if has := c.size > 0; has != (name != "counts, no table") {
			t.Errorf("%s: a table of %d bytes", name, c.size)
		}
		plain := &Classifier{m: c.m}
		c.size = min(c.size, 1) // from the second document on
		s, want := newScorer(t, c), newScorer(t, plain)
		for i, d := range small.records() {
			got, want := predict(t, s, d.text), predict(t, want, d.text)
			if !slices.Equal(got.Margins, want.Margins) || !slices.Equal(got.Scores, want.Scores) || !slices.Equal(got.Labels, want.Labels) {
				t.Fatalf("%s: document %d has margins %v, want %v", name, i, got.Margins, want.Margins)
			}
		}
		if made := c.table.Load() != nil; made != (c.size > 0) {
			t.Errorf("%s: a table was made: %v", name, made)
		}
	}
}

// TestCompareArranged: a rival has weights of its own, also where the classifier has a
// table.
func TestCompareArranged(t *testing.T) {
	c, _ := train(t, small.input(), options())
	narrow := narrowed(t, c, 8)
	var found []*Comparison
	for _, size := range []int64{0, 1} {
		c := &Classifier{m: c.m, arranged: arranged{size: size}}
		comparison, err := c.Compare(context.Background(), small.input(), ScoreOptions{Threads: 1}, narrow)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, comparison)
	}
	if found[0].Largest == 0 || !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("%+v from the model, %+v from its table", found[0], found[1])
	}
}
