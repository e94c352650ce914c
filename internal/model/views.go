package model

import (
	"encoding/binary"
	"unsafe"
)

// number is what arrays of the file hold.
type number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// littleEndian tells whether numbers in memory look as in the file, of which slices are then
// views. Tests change it.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func sizeOf[T number]() int { return int(unsafe.Sizeof(*new(T))) }

// inMemory is the memory that a slice occupies.
func inMemory[T number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

// toBytes gives a slice as in the file: a view of it, where that is possible.
func toBytes[T number](s []T) []byte {
	if littleEndian {
		return inMemory(s)
	}
	b := make([]byte, 0, len(s)*sizeOf[T]())
	b, _ = binary.Append(b, binary.LittleEndian, s) // fails for types of no fixed size only
	return b
}

// fromBytes gives the numbers that lie in b, which must be aligned and of the
// right length: a view of b, where that is possible. It is not nil.
func fromBytes[T number](b []byte) []T {
	n := len(b) / sizeOf[T]()
	if littleEndian && n > 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	s := make([]T, n)
	binary.Decode(b, binary.LittleEndian, s) // cannot fail: b has n numbers
	return s
}

// aligned returns data such that views of any number are possible, copied if
// need be.
func aligned(data []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 == 0 {
		return data
	}
	words := make([]uint64, (len(data)+7)/8)
	b := inMemory(words)[:len(data):len(data)]
	copy(b, data)
	return b
}
