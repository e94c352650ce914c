package mem

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// Number is what arrays of files hold.
type Number interface {
	bool | uint8 | uint16 | uint32 | uint64 | int32 | int64 | float32 | float64
}

// littleEndian tells whether numbers in memory look as in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Native reports whether numbers in memory look as in files, so that slices of these are views.
func Native() bool { return littleEndian }

// Copying runs fn as on a machine of the other byte order, where all is copied; for tests, which must not do anything
// else meanwhile.
func Copying(fn func()) {
	defer func(before bool) { littleEndian = before }(littleEndian)
	littleEndian = false
	fn()
}

// SizeOf returns the number of bytes of a number.
func SizeOf[T Number]() int { return int(unsafe.Sizeof(*new(T))) }

// Overlay returns the memory that a slice occupies, in the byte order of the machine.
func Overlay[T Number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*SizeOf[T]())
}

// ViewBytes gives a slice as in a file: a view of it, where that is possible.
func ViewBytes[T Number](s []T) []byte {
	if littleEndian {
		return Overlay(s)
	}
	b, _ := binary.Append(make([]byte, 0, len(s)*SizeOf[T]()), binary.LittleEndian, s) // all of fixed size
	return b
}

// View gives the numbers that lie in b, without a rest of b that is too short for one: a view of b, where the byte
// order and b's place in memory allow it. It is not nil.
func View[T Number](b []byte) []T {
	n := len(b) / SizeOf[T]()
	if n == 0 {
		return []T{}
	}
	if littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(SizeOf[T]()) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	s := make([]T, n)
	_, _ = binary.Decode(b, binary.LittleEndian, s) // b has n numbers
	return s
}

// InPlace gives the numbers that lie in b as a view of it. ok is false where the byte order does not allow it, or b's place
// in memory, which matters to some CPUs.
func InPlace(b []byte) (numbers []float32, ok bool) {
	first := unsafe.Pointer(unsafe.SliceData(b))
	anywhere := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
	if !littleEndian || !anywhere && uintptr(first)%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(first), len(b)/4), true
}

// Aligned returns data such that views of any number are possible, copied if need be.
func Aligned(data []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 == 0 {
		return data
	}
	words := make([]uint64, (len(data)+7)/8)
	b := Overlay(words)[:len(data):len(data)]
	copy(b, data)
	return b
}
