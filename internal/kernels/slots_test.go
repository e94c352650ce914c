package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNotFused has products that need rounding before they cancel: (1+2^-12)²
// is 1+2^-11+2^-24, which a float32 rounds to 1+2^-11.
func TestNotFused(t *testing.T) { eachImplementation(t, notFused) }

func notFused(t *testing.T) {
	const a, square = 1 + 1.0/(1<<12), 1 + 1.0/(1<<11)
	slots := []Slot{{U: -square, S: a}}
	if AddSlots(slots, []uint32{0}, a); slots[0].U != 0 {
		t.Errorf("AddSlots leaves %g of a product that rounds away", slots[0].U)
	}
	slots = []Slot{{U: -square, S: 1}}
	if AxpySlots(slots, []uint32{0}, []float32{a}, a); slots[0].U != 0 {
		t.Errorf("AxpySlots leaves %g of a product that rounds away", slots[0].U)
	}
	// The two terms are added in one lane.
	idx, val := make([]uint32, 9), make([]float32, 9)
	slots = []Slot{{}, {U: -square}, {U: a}}
	idx[0], val[0] = 1, 1
	idx[8], val[8] = 2, a
	if got := DotSlots(slots, idx, val); got != 0 {
		t.Errorf("DotSlots leaves %g of a product that rounds away", got)
	}

	const b, squareB = 1 + 1.0/(1<<27), 1 + 1.0/(1<<26)
	table := []float64{-squareB}
	if Axpy64(table, []uint32{0}, []float32{1}, 1); table[0] != 1-squareB {
		t.Errorf("Axpy64 = %v", table[0])
	}
	// 1+2^-23 is a float32; its product with 1+2^-30 needs 54 bits.
	const c, d = 1 + 1.0/(1<<23), 1 + 1.0/(1<<30)
	rounded := float64(c) * float64(d)
	table = []float64{-rounded}
	if Axpy64(table, []uint32{0}, []float32{c}, d); table[0] != 0 {
		t.Errorf("Axpy64 leaves %g of a product that rounds away", table[0])
	}
}

// TestPrefetch wants prefetching to change nothing and to take any id.
func TestPrefetch(t *testing.T) {
	eachLength(t, false, func(t *testing.T, r *rand.Rand, o *operands) {
		before := o.clone()
		slices.Sort(o.idx)
		from := uint32(r.IntN(len(o.slots)))
		PrefetchAll(o.idx)
		PrefetchAll(o.val)
		PrefetchEntries(o.slots, o.idx, from)
		PrefetchEntries(o.table, o.idx, from)
		PrefetchEntries(o.groups, o.idx, from)
		if len(o.slots) > 0 {
			Prefetch(&o.slots[0])
		}
		for k := range o.idx {
			o.idx[k] = math.MaxUint32 - uint32(k)
		}
		PrefetchEntries(o.slots, o.idx, 0)
		PrefetchEntries(o.groups, o.idx, 0)
		if !o.sameEntries(before, 0, len(o.slots)) {
			t.Errorf("prefetching for %d ids changed a table", len(o.idx))
		}
	})
}
