package score

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestLookup holds the stages against looking up one n-gram after the other.
func TestLookup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, 20).Draw(t, "bits")
		universe := uint64(1) << bits
		ids := rapid.SliceOfDistinct(rapid.Uint64Range(0, universe-1), rapid.ID).Draw(t, "ids")
		set, _, err := model.NewKeySet(universe, ids)
		must.OK(t, err)
		m := &model.Model{Universe: universe, Keys: *set}
		m.Meta.Text.Bits = bits
		weights := make(model.Float32s, len(ids))
		for row := range weights {
			weights[row] = float32(row)
		}
		m.Dense, m.Outputs = weights, 1
		m.Meta.Source, m.Meta.Values = "text", "binary"
		l := newLookup(newTable(m))
		for n := range 4 {
			l.adds = n%2 == 1
			var hashes []uint64
			var want []uint32
			var ends, wantEnds []int
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			most := rapid.SampledFrom([]int{0, 3, 50, kernels.LookupBlock, 2*kernels.LookupBlock + 300}).Draw(t, "longest")
			for range rapid.IntRange(0, 5).Draw(t, "documents") {
				first := len(want)
				for range random.IntN(most + 1) {
					h := random.Uint64N(universe)<<(64-bits) | random.Uint64N(4)
					hashes = append(hashes, h)
					row, ok := set.Rank(hashing.Key(h, bits))
					if ok && !slices.Contains(want[first:], uint32(row)) {
						want = append(want, uint32(row))
					}
				}
				ends, wantEnds = append(ends, len(hashes)), append(wantEnds, len(want))
			}
			l.find(0, hashes, ends)
			if !l.adds {
				if !slices.Equal(l.rows, want) || !slices.Equal(l.ends, wantEnds) {
					t.Fatalf("n-grams that end at %v have the rows %v that end at %v, want %v at %v", ends, l.rows, l.ends, want, wantEnds)
				}
				continue
			}
			first := 0
			for k, sums := range l.sums {
				of := docSums{rows: wantEnds[k] - first}
				for _, row := range want[first:wantEnds[k]] {
					of.weights += float64(row)
					of.squares++
				}
				if sums != of {
					t.Fatalf("document %d of those that end at %v has the sums %v, want %v", k, ends, sums, of)
				}
				first = wantEnds[k]
			}
		}
	})
}

// TestLookupForgets has more documents than a byte can number, each of which has the same
// row and one of its own.
func TestLookupForgets(t *testing.T) {
	const bits, documents = 10, 600
	ids := make([]uint64, 1<<bits)
	for i := range ids {
		ids[i] = uint64(i)
	}
	set, _, err := model.NewKeySet(1<<bits, ids)
	must.OK(t, err)
	m := &model.Model{Keys: *set, Outputs: 1, Dense: make(model.Float32s, len(ids))}
	m.Meta.Text.Bits, m.Meta.Source = bits, "text"
	l := newLookup(newTable(m))
	for n := range uint64(documents) {
		of := []uint64{5 << (64 - bits), (6 + n) << (64 - bits), 5 << (64 - bits)}
		if l.find(0, of, []int{len(of)}); !slices.Equal(l.rows, []uint32{5, uint32(6 + n)}) {
			t.Fatalf("document %d has the rows %v", n, l.rows)
		}
	}
}

// TestLookupGoesOnAfterAFault: rows of a document that was cut short, as by a fault in a file that was truncated,
// are not those of the next one.
func TestLookupGoesOnAfterAFault(t *testing.T) {
	set, _, err := model.NewKeySet(1<<4, []uint64{3, 5})
	must.OK(t, err)
	m := &model.Model{Universe: 1 << 4, Keys: *set, Outputs: 1, Dense: make(model.Float32s, 2)}
	m.Meta.Text.Bits, m.Meta.Source = 4, "text"
	l := newLookup(newTable(m))
	l.take([]uint32{0, 1}, []uint32{3, 5})
	if l.find(0, []uint64{3 << 60, 5 << 60}, []int{2}); !slices.Equal(l.rows, []uint32{0, 1}) {
		t.Errorf("the next document has the rows %v, want both", l.rows)
	}
}
