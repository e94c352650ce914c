package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestAdd: sums have the bits of numbers added one after the other, as a model stores them.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomSparse(t)
		table := newTable(m)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 3 {
			rows := make([]uint32, random.IntN(200))
			for i := range rows {
				rows[i] = uint32(random.IntN(m.Keys.Size()))
			}
			n := random.IntN(len(rows) + 1)
			sums, room := make([]float64, max(table.width, m.Outputs)), make([]int32, table.width)
			table.add(sums, room, rows, n)
			want := referenceSums(m, rows[:n])
			if !slices.Equal(sums[:m.Outputs], want) {
				t.Fatalf("rows %v have the sums %v, want %v", rows[:n], sums, want)
			}
			clear(sums)
			for _, row := range rows[:n] {
				table.addTimes(sums, row, 1)
			}
			if !slices.Equal(sums[:m.Outputs], want) {
				t.Fatalf("rows %v, one by one, have the sums %v, want %v", rows[:n], sums, want)
			}
		}
	})
}

// randomSparse is a model with sparse weights.
func randomSparse(t *rapid.T) *model.Model {
	const bits = 8
	ids := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 1<<bits-1), 1, -1, rapid.ID).Draw(t, "ids")
	set, _, err := model.NewKeySet(1<<bits, ids)
	must.OK(t, err)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of numbers"), 2))
	m := &model.Model{Keys: *set, Outputs: rapid.OneOf(rapid.IntRange(2, 40), rapid.IntRange(250, 300)).Draw(t, "outputs")}
	m.Meta.Text = hashing.Options{Bits: bits}
	share, most := make([]float64, set.Size()), rapid.SampledFrom([]float64{0.05, 1}).Draw(t, "share")
	for row := range share {
		share[row] = most * random.Float64() * random.Float64()
	}
	seed := random.Uint64()
	m.Sparse = model.NewSparse(set.Size(), func(entry func(row uint32, output int, number float32)) {
		random := rand.New(rand.NewPCG(seed, 5)) // the same at every visit
		for row := range set.Size() {
			for i := range m.Outputs {
				if random.Float64() < share[row] {
					entry(uint32(row), i, float32(random.NormFloat64()))
				}
			}
		}
	})
	return m
}

// TestAddWhole: sums of more rows than 32 bits hold are exact.
func TestAddWhole(t *testing.T) {
	const n = kernels.MostWholeRows + 10
	tab := &table{weights: weights{width: kernels.WholeUnit, unit: 0.25, whole: make([]int16, 2*kernels.WholeUnit)}}
	for i := range kernels.WholeUnit {
		tab.whole[i], tab.whole[kernels.WholeUnit+i] = math.MaxInt16, int16(-i)
	}
	rows := make([]uint32, n+1)
	rows[n-1] = 1
	sums := make([]float64, kernels.WholeUnit)
	tab.add(sums, make([]int32, kernels.WholeUnit), rows, n)
	for i, sum := range sums {
		if want := (math.MaxInt16*(n-1) - float64(i)) / 4; sum != want {
			t.Fatalf("sum %d is %v, want %v", i, sum, want)
		}
	}
}

// referenceSums are those of table.add.
func referenceSums(m *model.Model, rows []uint32) []float64 {
	all := make([]float64, m.Outputs)
	for _, row := range rows {
		for output, w := range m.Sparse.All(int(row)) {
			all[output] += float64(w)
		}
	}
	return all
}
