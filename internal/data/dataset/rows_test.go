package dataset

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestEachColumnOf: columns in memory whose keys are in a range are those of all that are, in the same order.
func TestEachColumnOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Uint64Range(0, 20), rapid.Uint64Range(math.MaxUint64-3, math.MaxUint64))
		r := &memoryRows{}
		for frequency := rapid.Uint64Range(0, 4).Draw(t, "runs"); frequency > 0; frequency-- {
			keys := rapid.SliceOfNDistinct(key, 1, 9, rapid.ID).Draw(t, "keys")
			slices.Sort(keys)
			r.keys = append(r.keys, keys...)
			r.runs = append(r.runs, packed.Run{Frequency: frequency, Columns: uint64(len(keys))})
		}
		lo, hi := key.Draw(t, "lo"), key.Draw(t, "hi")
		type column struct {
			number         uint32
			key, frequency uint64
		}
		var got, all []column
		into := func(list *[]column) func(uint32, uint64, uint64) {
			return func(number uint32, key, frequency uint64) { *list = append(*list, column{number, key, frequency}) }
		}
		must.OK(t, r.EachColumnOf(lo, hi, into(&got)))
		if err := r.EachColumn(into(&all)); err != nil || len(all) != len(r.keys) {
			t.Fatalf("%d of %d columns, error %v", len(all), len(r.keys), err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(c column) bool { return c.key < lo || c.key > hi })
		if !slices.Equal(got, want) {
			t.Fatalf("from %d to %d: %v, want %v", lo, hi, got, want)
		}
	})
}
