package kernels

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// twins hold implementations against the plain loops: two sets of the same arrays,
// one for each, that must remain the same throughout, guards and all.
type twins struct {
	arrays [2]struct {
		ids   []uint32
		val   []float32
		slots []Slot
		table []float64
		// The numbers of groups, whose tables may begin with any of them.
		groups   []float32
		groups64 []float64
		scales   []float32
	}
	rows [2]operands
}

const (
	twinEntries = maxLength + 30
	// Ids come in two parts: first distinct ones, then any.
	twinIDs    = 2 * twinEntries
	twinMargin = 16
)

func newTwins() *twins {
	t := new(twins)
	for i := range t.arrays {
		a := &t.arrays[i]
		a.ids = lineAligned[uint32](twinIDs + 2*twinMargin)
		a.val = lineAligned[float32](twinEntries + 2*twinMargin)
		a.slots = lineAligned[Slot](twinEntries + 2*twinMargin)
		a.table = lineAligned[float64](twinEntries + 2*twinMargin)
		a.groups = lineAligned[float32](GroupSize*twinEntries + 2*twinMargin)
		a.scales = lineAligned[float32](twinEntries + 2*twinMargin)
		a.groups64 = lineAligned[float64](GroupSize*twinEntries + 2*twinMargin)
	}
	return t
}

// lineAligned returns a slice that begins with a line of the cache.
func lineAligned[T any](n int) []T {
	const line = 64
	var zero T
	all := make([]T, n+line)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(all))) % line / unsafe.Sizeof(zero)
	return all[skip:][:n:n]
}

// fill draws all that the arrays hold.
func (t *twins) fill(r *rand.Rand, number func(*rand.Rand) float64) {
	a := &t.arrays[0]
	for k := range a.ids {
		a.ids[k] = guardID
	}
	distinct, repeated := a.ids[twinMargin:][:twinEntries], a.ids[twinMargin+twinEntries:][:twinEntries]
	for k, j := range r.Perm(twinEntries) {
		distinct[k] = uint32(j)
	}
	few := 1 + r.IntN(twinEntries)
	for k := range repeated {
		repeated[k] = uint32(r.IntN(few))
	}
	for k := range a.val {
		a.val[k] = float32(number(r))
	}
	for j := range a.slots {
		a.scales[j] = float32(number(r))
		a.slots[j] = Slot{U: float32(number(r)), S: float32(number(r))}
		a.table[j] = number(r)
	}
	for k := range a.groups {
		a.groups[k] = float32(number(r))
	}
	for k := range a.groups64 {
		a.groups64[k] = number(r)
	}
	t.match()
}

// match makes the first arrays' twins the same.
func (t *twins) match() {
	from, to := &t.arrays[0], &t.arrays[1]
	copy(to.ids, from.ids)
	copy(to.val, from.val)
	copy(to.slots, from.slots)
	copy(to.table, from.table)
	copy(to.groups, from.groups)
	copy(to.scales, from.scales)
	copy(to.groups64, from.groups64)
}

// row chooses n ids, values and the table by where they are in their arrays.
func (t *twins) row(n, id, value, entry int) {
	for i := range t.rows {
		a := &t.arrays[i]
		t.rows[i] = operands{
			idx: a.ids[id:][:n], val: a.val[value:][:n],
			slots: a.slots[entry:][:twinEntries], table: a.table[entry:][:twinEntries],
			scales: a.scales[entry:][:twinEntries],
			groups: as[Group](a.groups[entry:][:GroupSize*twinEntries]), groups64: as[Group64](a.groups64[entry:][:GroupSize*twinEntries]),
		}
	}
}

// check runs the kernel over one row and its plain loop over the other.
func (t *twins) check(tb testing.TB, k *kernel, d float64) {
	got, want := k.call(&t.rows[0], d), k.plain(&t.rows[1], d)
	if !got.same(want) || !t.matching() {
		tb.Helper()
		tb.Fatalf("%s of %d ids, d %g: %v, and by its plain loop %v; arrays are the same: %v\nids %d",
			k.name, len(t.rows[0].idx), d, got, want, t.matching(), t.rows[0].idx)
	}
}

// matching says whether the arrays are the same, as same says it.
func (t *twins) matching() bool {
	a, b := &t.arrays[0], &t.arrays[1]
	if !sameBytes(a.ids, b.ids) || !sameBytes(a.val, b.val) || !sameBytes(a.scales, b.scales) {
		return false
	}
	if sameBytes(a.slots, b.slots) && sameBytes(a.table, b.table) && sameBytes(a.groups, b.groups) && sameBytes(a.groups64, b.groups64) {
		return true
	}
	if !sameNumbers[float32](a.slots, b.slots) || !sameNumbers[float64](a.table, b.table) ||
		!sameNumbers[float32](a.groups, b.groups) || !sameNumbers[float64](a.groups64, b.groups64) {
		return false
	}
	t.match() // NaN are of several kinds
	return true
}

func sameBytes[T any](a, b []T) bool { return bytes.Equal(as[byte](a), as[byte](b)) }

// sameNumbers compares the numbers that the elements are made of.
func sameNumbers[F number, T any](a, b []T) bool {
	return sameBytes(a, b) || slices.EqualFunc(as[F](a), as[F](b), func(x, y F) bool { return same(float64(x), float64(y)) })
}

// as sees the memory of a slice as elements of another type.
func as[To, From any](s []From) []To {
	var from From
	var to To
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(from))/int(unsafe.Sizeof(to)))
}

// ordinary numbers are of several magnitudes and both signs.
func ordinary(r *rand.Rand) float64 {
	return (r.Float64() - 0.5) * float64(uint64(1)<<r.UintN(20))
}

// special numbers are any bits, and those that are rare among them.
func special(r *rand.Rand) float64 {
	switch r.UintN(4) {
	case 0:
		return specials[r.IntN(len(specials))]
	case 1:
		return float64(math.Float32frombits(r.Uint32()))
	case 2:
		return math.Float64frombits(r.Uint64())
	}
	return ordinary(r)
}

var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-39, -1e-41,
	math.MaxFloat64, math.SmallestNonzeroFloat64, -1e-310,
}

// eachAssembly runs a test with every implementation but the plain loops.
func eachAssembly(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if len(Implementations()) == 1 {
		t.Skip("there is no assembly here")
	}
	eachImplementation(t, func(t *testing.T) {
		if Active() != Implementations()[0] {
			test(t)
		}
	})
}
