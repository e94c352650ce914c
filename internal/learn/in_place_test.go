package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// testParams returns the defaults, on one thread.
func testParams(l Learner) *Params {
	return &Params{
		Learner: l, Solver: solver.DefaultOptions(), C: 1, Alpha: 1, AlphaBySize: true, Beta: 1, Normalize: true, Threads: 1,
	}
}

// TestInPlace: siblings that are trained on some rows of a matrix have the outputs that a copy of these rows gives.
func TestInPlace(t *testing.T) {
	const rows, cols = 60, 48
	random := rand.New(rand.NewPCG(1, 2))
	x := &dataset.Matrix{Documents: roaring.New(), Keys: make([]uint64, cols), Frequencies: make([]uint32, cols)}
	x.X = &sparse.CSR{Cols: cols, Indptr: []int64{0}}
	classes := []*roaring.Bitmap{roaring.New(), roaring.New(), roaring.New()}
	own, all := roaring.New(), roaring.New()
	for i := range uint32(rows) {
		x.Documents.Add(i)
		class := random.IntN(5) // of which one is of others that are negatives, and one of others that are not
		if class < 3 {
			classes[class].Add(i)
			own.Add(i)
		}
		if class < 4 {
			all.Add(i)
		}
		var ids []uint32
		for j := range uint32(cols) {
			if j >= 40 && class < 4 { // which those that are no rows of the siblings have
				break
			}
			if random.IntN(8) == 0 || int(j)/8 == class && random.IntN(2) == 0 {
				ids = append(ids, j)
				x.Frequencies[j]++
			}
		}
		x.X.AppendRow(ids, nil)
	}
	siblings := &dataset.Dataset{Documents: rows, Classes: dataset.ClassesOf([]string{"a", "b", "c"}, classes, rows, true)}
	for _, balanced := range []bool{false, true} {
		learner := map[bool]Learner{false: NBSVM, true: SVM}[balanced]
		p := testParams(learner)
		p.Balanced = balanced
		p.Solver.Tol, p.Solver.MaxEpochs = 1e-10, 100_000
		outputs := func(inPlace bool) ([]output, int) {
			whole := newTrainer(siblings, x, p, nil)
			if !balanced {
				var err error
				whole.ratio, err = whole.newLogRatio(t.Context())
				must.OK(t, err)
			}
			on := whole.onSome
			if inPlace {
				on = whole.inPlace
			}
			trainer, columns := on(siblings, own, all)
			if inPlace != (columns == nil) {
				t.Fatalf("%d columns are listed", len(columns))
			}
			fitted, err := learner.fit(t.Context(), trainer)
			must.OK(t, err)
			for i := range fitted {
				fitted[i] = fitted[i].among(columns, len(trainer.x.Keys))
			}
			return fitted, len(trainer.x.Keys)
		}
		want, _ := outputs(false)
		got, _ := outputs(true)
		for i := range want {
			w, v := make([]float64, cols), make([]float64, cols)
			want[i].each(func(j uint32, value float32) { w[j] = float64(value) })
			got[i].each(func(j uint32, value float32) { v[j] = float64(value) })
			for j := range w {
				if math.Abs(w[j]-v[j]) > 1e-3*max(1, math.Abs(w[j])) {
					t.Errorf("%#v: output %d has the weight %v of column %d, want %v", learner, i, v[j], j, w[j])
				}
			}
		}
	}
}
