package nbsvm

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/model"
)

// TestScoreTable: a document has the same scores, bit for bit, from the table as from the
// model itself.
func TestScoreTable(t *testing.T) {
	shapes := agreementShapes()
	shapes["seventeen"] = small.with(func(s *shape) { s.classes = 17 })
	for kind, shape := range shapes {
		for name, change := range map[string]func(*Options){
			"unit rows":         func(*Options) {},
			"rows as they are":  func(o *Options) { o.Normalize = false },
			"without ratio":     func(o *Options) { o.Kind = SVM },
			"shared buckets":    func(o *Options) { o.Text.Bits = 8 },
			"counts, no table":  func(o *Options) { o.Values = Count },
			"logistic, biasing": func(o *Options) { o.Kind, o.Bias = Logistic, 3 },
			"naive Bayes":       func(o *Options) { o.Kind = Multinomial },
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				c, _ := mustTrain(t, shape.input(), options(change))
				if has := c.table.size > 0; has != (name != "counts, no table") {
					t.Errorf("a table of %d bytes", c.table.size)
				}
				checkScoreTable(t, c.m, c.table.size, shape.records())
				if c.m.Outputs == 1 {
					return
				}
				checkScoreTable(t, withRatios(c.m), c.table.size, shape.records())
				for _, size := range []int64{1, c.table.size / 2, c.table.size * 3 / 4, c.table.size} { // the smaller, the more rows are rare
					checkScoreTable(t, withSparse(c.m), min(c.table.size, size), shape.records())
				}
			})
		}
	}
}

// checkScoreTable scores with a table of at most so many bytes from the second document on,
// and without.
func checkScoreTable(t *testing.T, m *model.Model, size int64, docs []record) {
	t.Helper()
	c := &Classifier{m: m, table: scoreTable{size: size}}
	s, want := newScorer(t, c), newScorer(t, &Classifier{m: m})
	for i, d := range docs {
		got, want := predict(t, s, d.text), predict(t, want, d.text)
		if !slices.Equal(got.Margins, want.Margins) || !slices.Equal(got.Scores, want.Scores) || !slices.Equal(got.Labels, want.Labels) {
			t.Fatalf("document %d has margins %v, want %v", i, got.Margins, want.Margins)
		}
	}
	if made := c.table.made.Load() != nil; made != (size > 0) {
		t.Errorf("a table was made: %v", made)
	}
}

// withSparse has some of a model's weights as sparse ones; some rows have none.
func withSparse(m *model.Model) *model.Model {
	other, k := *m, m.Outputs
	other.Dense, other.Sparse = nil, &model.Sparse{RowPtr: []uint64{0}}
	var weights model.Float32s
	row := make([]float64, k)
	for r := range m.IDs.Len() {
		rowWeights(m, r, row)
		for i := range k {
			if r%5 > 0 && (r+i)%3 > 0 {
				other.Sparse.Output, weights = append(other.Sparse.Output, uint16(i)), append(weights, float32(row[i]))
			}
		}
		other.Sparse.RowPtr = append(other.Sparse.RowPtr, uint64(len(weights)))
	}
	other.Sparse.Value = weights
	return &other
}

// withRatios is withSparse, and a ratio for every output, as none is trained but may be
// read.
func withRatios(m *model.Model) *model.Model {
	other := withSparse(m)
	if m.SparseRatio == nil {
		return other
	}
	c := &Classifier{m: m}
	var ratios model.Float32s
	for r := range m.IDs.Len() {
		for i := range m.Outputs {
			ratios = append(ratios, float32(c.ratio(r, i)))
		}
	}
	other.Ratio, other.SparseRatio = ratios, nil
	return other
}

// TestCompareScoreTable: a baseline has weights of its own, also where the classifier has a
// table.
func TestCompareScoreTable(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	quantized := quantize(t, c, 8)
	var found []*Comparison
	for _, size := range []int64{0, c.table.size} {
		c := &Classifier{m: c.m, table: scoreTable{size: size}}
		comparison, err := c.Compare(context.Background(), small.input(), ScoreOptions{Threads: 1}, quantized)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, comparison)
	}
	if found[0].Largest == 0 || !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("%+v from the model, %+v from its table", found[0], found[1])
	}
}
