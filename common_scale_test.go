package nbsvm

import (
	"math"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestCommonScale compares with the definition: the root mean square of the ratios of siblings, over all occurrences of
// a feature below nodes of several classes, and one more with the mean over all features.
func TestCommonScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const classes, cols = 5, 7
		parents := []int32{5, 6, 5, 6, 6, paths.Root, paths.Root} // of which the last two are inner nodes
		rows := rapid.IntRange(classes, 30).Draw(t, "rows")
		valued := rapid.Bool().Draw(t, "valued")
		weighted := valued || rapid.Bool().Draw(t, "weighted") // only its maker can say of a matrix that it has values
		x := &matrix.Matrix{Documents: roaring.New(), Keys: make([]uint64, cols), Frequencies: make([]uint32, cols)}
		x.X = &sparse.CSR{Cols: cols, Indptr: []int64{0}}
		ds := &dataset.Dataset{Documents: rows}
		sets := make([]*roaring.Bitmap, classes)
		for k := range sets {
			sets[k] = roaring.New()
		}
		var full [][]float64 // what is counted, by row
		var values [][]float64
		class := make([]int, rows)
		for i := range rows {
			class[i] = rapid.IntRange(0, classes-1).Draw(t, "class")
			sets[class[i]].Add(uint32(i))
			x.Documents.Add(uint32(i))
			mass := 1.0
			if weighted {
				mass = rapid.Float64Range(0.5, 2).Draw(t, "weight")
				ds.Weights = append(ds.Weights, float32(mass))
				mass = float64(ds.Weights[i])
			}
			row, counted := make([]float64, cols), make([]float64, cols)
			var some []float32
			var ids []uint32
			for j := range cols {
				if rapid.Bool().Draw(t, "there") {
					v := float32(1)
					if valued {
						v = rapid.Float32Range(0.5, 3).Draw(t, "value")
					}
					x.Frequencies[j]++
					ids, some = append(ids, uint32(j)), append(some, v)
					row[j], counted[j] = float64(v), float64(mass*float64(v))
				}
			}
			x.X.Indices = append(x.X.Indices, ids...)
			if valued {
				x.X.Values = append(x.X.Values, some...)
			}
			x.X.Indptr = append(x.X.Indptr, int64(len(x.X.Indices)))
			x.X.Rows++
			full, values = append(full, counted), append(values, row)
		}
		ds.Classes = dataset.ClassesOf([]string{"a", "b", "c", "d", "e"}, sets, rows, false)
		tree, err := paths.Grown(classes, parents)
		must.OK(t, err)
		h := &hierarchy{Tree: tree, nodes: ds.Classes.Labels}
		h.gather(sets)
		o := DefaultOptions().forKind()
		o.Threads = rapid.IntRange(1, 3).Draw(t, "threads")
		got, err := newCommonScale(t.Context(), newTrainer(ds, x, &o, nil), h)
		must.OK(t, err)
		var squares, counts [cols]float64
		for node := int32(5); node < 7; node++ {
			of := func(j int, in func(k int) bool) (sum float64) {
				for i, row := range full {
					if parents[class[i]] == node && in(class[i]) {
						sum += row[j]
					}
				}
				return sum
			}
			any := func(int) bool { return true }
			var siblings []int
			for k := range classes {
				if parents[k] == node {
					siblings = append(siblings, k)
				}
			}
			for _, k := range siblings {
				is := func(other int) bool { return other == k }
				isNot := func(other int) bool { return other != k }
				var p, q, used float64
				for j := range cols {
					if of(j, any) > 0 {
						p, q, used = p+of(j, is), q+of(j, isNot), used+1
					}
				}
				alpha := bayes.BySize(o.Alpha, p, q)
				p, q = p+used*alpha.Pos, q+used*alpha.Neg
				for j := range cols {
					if of(j, any) > 0 {
						r := math.Log((alpha.Pos+of(j, is))/p) - math.Log((alpha.Neg+of(j, isNot))/q)
						squares[j] += of(j, any) * r * r / float64(len(siblings))
					}
				}
			}
			for j := range cols {
				counts[j] += of(j, any)
			}
		}
		var sum, count float64
		for j := range cols {
			sum += squares[j]
			count += counts[j]
		}
		mean := leastSquare
		if count > 0 {
			mean = max(mean, sum/count)
		}
		for j := range cols {
			if want := math.Sqrt((squares[j] + mean) / (counts[j] + 1)); math.Abs(float64(got.columns[j])-want) > 1e-6*want {
				t.Fatalf("column %d has the scale %v, want %v", j, got.columns[j], want)
			}
		}
		for i, row := range values {
			square := 0.0
			for j, v := range row {
				square += v * v * float64(got.columns[j]) * float64(got.columns[j])
			}
			if want := 1 / math.Sqrt(square); square > 0 && math.Abs(got.rows[i]-want) > 1e-9*want {
				t.Fatalf("row %d has the scale %v, want %v", i, got.rows[i], want)
			}
		}
	})
}
