package mem

import (
	"math"
	"slices"
	"testing"
	"unsafe"
)

// TestByteOrders: the way for the other byte order writes and reads the same.
func TestByteOrders(t *testing.T) {
	x := []uint32{1, 0x01020304, math.MaxUint32}
	want := []byte{1, 0, 0, 0, 4, 3, 2, 1, 255, 255, 255, 255}
	compare := func() {
		if got := ViewBytes(x); !slices.Equal(got, want) {
			t.Errorf("views %v: written %v, want %v", Native(), got, want)
		}
		if got := View[uint32](Aligned(want)); !slices.Equal(got, x) {
			t.Errorf("views %v: read %v, want %v", Native(), got, x)
		}
		if got := View[uint32](want[:11]); !slices.Equal(got, x[:2]) {
			t.Errorf("views %v: read %v, want %v", Native(), got, x[:2])
		}
		if got := View[uint32](nil); got == nil || len(got) != 0 {
			t.Errorf("views %v: read %v from nothing", Native(), got)
		}
	}
	compare()
	Copying(compare)
}

// TestPlaces: numbers are read from any place in memory, and are views where that is aligned.
func TestPlaces(t *testing.T) {
	memory := Aligned(make([]byte, 64))
	for skip := range 9 {
		b := memory[skip:][:16]
		for i := range b {
			b[i] = byte(i + skip)
		}
		got := View[uint64](b)
		for k := range got {
			want := uint64(0)
			for i := range 8 {
				want |= uint64(b[8*k+i]) << (8 * i)
			}
			if got[k] != want {
				t.Errorf("%d bytes on: %x, want %x", skip, got[k], want)
			}
		}
		same := unsafe.Pointer(unsafe.SliceData(got)) == unsafe.Pointer(unsafe.SliceData(b))
		if same != (Native() && skip%8 == 0) {
			t.Errorf("%d bytes on: a view: %v", skip, same)
		}
		if uintptr(unsafe.Pointer(unsafe.SliceData(Aligned(b))))%8 != 0 || !slices.Equal(Aligned(b), b) {
			t.Errorf("%d bytes on: not aligned, or not the same", skip)
		}
	}
}
