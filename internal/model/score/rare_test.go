package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/keyset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRareRows: whatever the room, sums have the bits of numbers added one after the
// other, as a model stores them, and there are as many common rows as have room.
func TestRareRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomSparse(t)
		least := foundBytes(m) + rareBytes(allNumbers(m))
		most := least + rapid.Int64Range(0, max(wholeBytes(m)-least, 0)).Draw(t, "room")
		table, order := newTable(m, most, someMet(m)), tableOrder(m, someMet(m))
		size := foundBytes(m) + int64(len(table.numbers)*4) + rareBytes(len(table.rare))
		if size > max(most, least) {
			t.Fatalf("%d bytes, at most %d are wanted", size, most)
		}
		if most >= wholeBytes(m) && len(table.rare) > 0 {
			t.Fatalf("%d rare numbers, though all rows have room", len(table.rare))
		}
		var a adder
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 3 {
			rows := make([]uint32, random.IntN(200))
			of := make([]uint32, len(rows)) // the model
			for i := range rows {
				rows[i] = uint32(random.IntN(m.Keys.Size()))
				of[i] = order[rows[i]]
			}
			n := random.IntN(len(rows) + 1)
			sums := make([]float64, table.width)
			a.add(table, sums, rows, n)
			if want := referenceSums(m, of[:n]); !slices.Equal(sums[:m.Outputs], want) {
				t.Fatalf("rows %v of %d common ones have the sums %v, want %v", rows[:n], table.common, sums, want)
			}
		}
	})
}

// TestTableBytes: a model whose table would be too large with all rows common has one with
// rare rows, unless even that is too large.
func TestTableBytes(t *testing.T) {
	const rows, outputs = 1 << 14, 4096
	ids := make([]uint64, rows)
	for i := range ids {
		ids[i] = uint64(i)
	}
	set, _, err := keyset.New(rows, ids)
	must.OK(t, err)
	m := &model.Model{Keys: *set, Outputs: outputs, Meta: model.Meta{Source: "text", Values: "binary"}}
	few := func(entry func(row uint32, output int, number float32)) { entry(0, 0, 1) }
	m.Sparse = model.NewSparse(rows, few)
	if got := tableBytes(m); got != mostWideTable {
		t.Errorf("%d bytes, want at most %d", got, mostWideTable)
	}
	m.Sparse = model.NewSparse(rows, func(entry func(row uint32, output int, number float32)) {
		for i := range mostWideTable / int(unsafe.Sizeof(rareNumber{})) {
			entry(uint32(i%rows), i/rows, 1)
		}
	})
	if got := tableBytes(m); got != 0 {
		t.Errorf("%d bytes for more numbers than have room", got)
	}
}

// randomSparse is a model with sparse weights.
func randomSparse(t *rapid.T) *model.Model {
	const bits = 8
	ids := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 1<<bits-1), 1, -1, rapid.ID).Draw(t, "ids")
	set, _, err := keyset.New(1<<bits, ids)
	must.OK(t, err)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of numbers"), 2))
	m := &model.Model{Keys: *set, Outputs: rapid.OneOf(rapid.IntRange(2, 40), rapid.IntRange(250, 300)).Draw(t, "outputs")}
	m.Meta.Text = hashing.Options{Bits: bits}
	share := make([]float64, set.Size())
	for row := range share {
		share[row] = random.Float64() * random.Float64()
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

// referenceSums are those of adder.add.
func referenceSums(m *model.Model, rows []uint32) []float64 {
	all := make([]float64, m.Outputs)
	for _, row := range rows {
		for output, w := range m.Sparse.All(int(row)) {
			all[output] += float64(w)
		}
	}
	return all
}

// TestTablePays: what counts towards a table is the numbers that rows have, not the outputs that they could be for.
func TestTablePays(t *testing.T) {
	ids := []uint64{3, 200}
	set, _, err := keyset.New(256, ids)
	must.OK(t, err)
	m := &model.Model{Keys: *set, Outputs: 5000}
	m.Meta.Text = hashing.Options{Bits: 8}
	m.Sparse = model.NewSparse(len(ids), func(entry func(row uint32, output int, number float32)) {
		for output := range 10 {
			entry(1, 7*output, 1)
		}
	})
	s := sharedTable{size: wholeBytes(m), from: 2 * (1 + 10 + 10), met: newMet(len(ids))} // a row without numbers has a 0
	if s.count(m, []uint32{0, 1}); s.made.Load() != nil {
		t.Error("a table is made before it pays")
	}
	if s.count(m, []uint32{1}); s.made.Load() == nil {
		t.Error("no table is made, though it pays")
	}
}

// TestAddWhole: sums of more rows than 32 bits hold are exact.
func TestAddWhole(t *testing.T) {
	const n = kernels.MostWholeRows + 10
	tab := &table{width: kernels.WholeUnit, unit: 0.25, whole: make([]int16, 2*kernels.WholeUnit)}
	for i := range kernels.WholeUnit {
		tab.whole[i], tab.whole[kernels.WholeUnit+i] = math.MaxInt16, int16(-i)
	}
	rows := make([]uint32, n+1)
	rows[n-1] = 1
	sums := make([]float64, kernels.WholeUnit)
	new(adder).add(tab, sums, rows, n)
	for i, sum := range sums {
		if want := (math.MaxInt16*(n-1) - float64(i)) / 4; sum != want {
			t.Fatalf("sum %d is %v, want %v", i, sum, want)
		}
	}
}
