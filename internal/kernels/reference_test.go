package kernels

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// same says whether two results are the same bits; every NaN is the same.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// near checks a sum of the terms, each of them rounded to eps at most twice,
// against their exact sum.
func near(t *testing.T, what string, got float64, terms []float64, eps float64) {
	t.Helper()
	exact := new(big.Float).SetPrec(400)
	var size float64
	for _, a := range terms {
		exact.Add(exact, big.NewFloat(a))
		size += math.Abs(a)
	}
	want, _ := exact.Float64()
	if bound := float64(len(terms)+2) * eps * size; math.Abs(got-want) > bound {
		t.Errorf("%s of %d terms = %v, exactly %v: off by %v, more than %v", what, len(terms), got, want, got-want, bound)
	}
}

const (
	eps32 = 1.0 / (1 << 24)
	eps64 = 1.0 / (1 << 53)
)

// maxLength is past sixteen times the lanes, so that every seam is crossed.
const maxLength = 130

// margins is how many slices are guarded: their places relative to lines of the cache go through all there are.
var margins int

// guarded returns a slice of n elements inside a larger array whose other
// elements are guard, and a function that says whether these are untouched.
func guarded[T comparable](n int, guard T) (s []T, intact func() bool) {
	margins++
	margin := 16 + margins%16
	all := make([]T, n+2*margin)
	for i := range all {
		all[i] = guard
	}
	return all[margin : margin+n], func() bool {
		for _, v := range append(all[:margin:margin], all[margin+n:]...) {
			if v != guard {
				return false
			}
		}
		return true
	}
}

// operands are the arguments of one call, inside guards. Reading an id beyond
// the row panics, and a value from beyond it would show in every sum.
type operands struct {
	idx      []uint32
	val      []float32
	slots    []Slot
	table    []float64
	groups   []Group
	scales   []float32 // of groups
	groups64 []Group64
	group    Group // a sum or the steps of classes
	group64  Group64
	intact   func() bool
}

// clone is the same inside guards of its own.
func (o *operands) clone() *operands {
	c := guardedOperands(len(o.idx), len(o.slots))
	copy(c.idx, o.idx)
	copy(c.val, o.val)
	copy(c.slots, o.slots)
	copy(c.table, o.table)
	copy(c.groups, o.groups)
	copy(c.scales, o.scales)
	copy(c.groups64, o.groups64)
	return c
}

// sameEntries says whether those from an entry to another are the same in all tables.
func (o *operands) sameEntries(other *operands, from, to int) bool {
	return sameNumbers[float32](o.slots[from:to], other.slots[from:to]) &&
		sameNumbers[float64](o.table[from:to], other.table[from:to]) &&
		sameNumbers[float32](o.groups[from:to], other.groups[from:to]) &&
		sameNumbers[float32](o.scales[from:to], other.scales[from:to]) &&
		sameNumbers[float64](o.groups64[from:to], other.groups64[from:to])
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

func (o *operands) sameEntry(other *operands, j int) bool { return o.sameEntries(other, j, j+1) }

const (
	guardID    = math.MaxUint32
	guardValue = 1e30
)

// guardedOperands are to be filled: all are guards still.
func guardedOperands(n, entries int) *operands {
	var ok [7]func() bool
	o := &operands{}
	o.idx, ok[0] = guarded[uint32](n, guardID)
	o.val, ok[1] = guarded[float32](n, guardValue)
	o.slots, ok[2] = guarded(entries, Slot{guardValue, guardValue})
	o.table, ok[3] = guarded[float64](entries, guardValue)
	o.groups, ok[4] = guarded(entries, Group{guardValue, GroupSize - 1: guardValue})
	o.scales, ok[6] = guarded[float32](entries, guardValue)
	o.groups64, ok[5] = guarded(entries, Group64{guardValue, GroupSize - 1: guardValue})
	o.intact = func() bool { return !slices.ContainsFunc(ok[:], func(ok func() bool) bool { return !ok() }) }
	return o
}

// newOperands draws a row of n ids in a table of entries numbers; the ids are
// distinct where a kernel is to write.
func newOperands(r *rand.Rand, n, entries int, distinct bool) *operands {
	o := guardedOperands(n, entries)
	order := r.Perm(entries)
	for k := range o.idx {
		o.idx[k] = uint32(r.IntN(entries))
		if distinct {
			o.idx[k] = uint32(order[k])
		}
		// Of several magnitudes, so that another order of summation would show.
		o.val[k] = float32(r.NormFloat64() * math.Exp(4*r.NormFloat64()))
	}
	for j := range o.slots {
		o.slots[j] = Slot{U: float32(r.NormFloat64() * math.Exp(4*r.NormFloat64())), S: float32(r.ExpFloat64())}
		o.table[j] = r.NormFloat64() * math.Exp(4*r.NormFloat64())
		eachClass(&o.groups[j], float64(o.slots[j].U))
		o.scales[j] = o.slots[j].S
		eachClass(&o.groups64[j], o.table[j])
	}
	return o
}

// eachLength calls test with rows of every length, several of each, for every
// implementation.
func eachLength(t *testing.T, distinct bool, test func(t *testing.T, r *rand.Rand, o *operands)) {
	t.Helper()
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range maxLength + 1 {
			for range 4 {
				o := newOperands(r, n, maxLength+r.IntN(300), distinct)
				test(t, r, o)
				if !o.intact() {
					t.Fatalf("row of %d: an element outside the slices was written", n)
				}
			}
		}
	})
}

// panics returns what f panics with, as text; "" if it does not.
func panics(f func()) (message string) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case error:
			message = v.Error()
		case string:
			message = v
		}
	}()
	f()
	return ""
}

func TestOutOfRange(t *testing.T) { eachImplementation(t, outOfRange) }

func outOfRange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, entries = 21, 64
	for _, k := range kernels {
		for at := range n {
			for _, id := range []uint32{entries, entries + 1, 1 << 31, math.MaxUint32} {
				o := newOperands(r, n, entries, true)
				named := make([]bool, entries)
				for _, j := range o.idx {
					named[j] = true
				}
				o.idx[at] = id
				before := o.clone()
				if got := panics(func() { k.call(o, 1) }); !strings.Contains(got, "index out of range") {
					t.Errorf("%s with id %d of a table of %d at position %d: panic %q", k.name, id, entries, at, got)
				}
				if !o.intact() {
					t.Errorf("%s with id %d at position %d wrote outside its table", k.name, id, at)
				}
				for j := range entries {
					if !named[j] && !o.sameEntry(before, j) {
						t.Errorf("%s with id %d at position %d changed entry %d, which is not of the row", k.name, id, at, j)
					}
				}
			}
		}
	}
}

func TestLengthMismatch(t *testing.T) { eachImplementation(t, lengthMismatch) }

func lengthMismatch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range kernels {
		if !k.valued {
			continue
		}
		for _, lengths := range [][2]int{{9, 8}, {8, 9}, {0, 1}, {1, 0}, {16, 3}} {
			o := newOperands(r, 20, 64, true)
			o.idx, o.val = o.idx[:lengths[0]], o.val[:lengths[1]]
			if got := panics(func() { k.call(o, 1) }); !strings.HasPrefix(got, "kernels: ") {
				t.Errorf("%s with %d ids and %d values: panic %q", k.name, lengths[0], lengths[1], got)
			}
		}
	}
}

func TestEmpty(t *testing.T) { eachImplementation(t, empty) }

func empty(t *testing.T) {
	for _, k := range kernels {
		if got := k.call(&operands{}, 1); !got.same(result{}) {
			t.Errorf("%s of nothing = %v", k.name, got)
		}
	}
}

// TestReadOnly checks that a sum leaves its operands alone, and that a kernel
// allocates nothing.
func TestReadOnly(t *testing.T) { eachImplementation(t, readOnly) }

func readOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, k := range kernels {
		o := newOperands(r, 45, 64, true)
		if n := testing.AllocsPerRun(10, func() { k.call(o, 0.5) }); n != 0 {
			t.Errorf("%s allocates %v times", k.name, n)
		}
		if k.writes {
			continue
		}
		first := k.call(o, 0)
		if again := k.call(o, 0); !first.same(again) {
			t.Errorf("%s gives %v, then %v", k.name, first, again)
		}
	}
}
