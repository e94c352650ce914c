// Package checksum computes CRC-32C of numbers as they lie in files: little-endian.
package checksum

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"
)

// Castagnoli is the table of CRC-32C, for which processors have instructions.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// number is what arrays hold.
type number interface {
	bool | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// littleEndian tells whether numbers in memory look as in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Add takes a slice into a checksum: its length, then its numbers.
func Add[T number](sum uint32, s []T) uint32 {
	sum = crc32.Update(sum, Castagnoli, binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
	if littleEndian {
		size := len(s) * int(unsafe.Sizeof(*new(T)))
		return crc32.Update(sum, Castagnoli, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return portable(sum, s)
}

// portable adds numbers that lie in memory in any way.
func portable[T number](sum uint32, s []T) uint32 {
	const step = 1 << 12
	var b []byte
	for lo := 0; lo < len(s); lo += step {
		b, _ = binary.Append(b[:0], binary.LittleEndian, s[lo:min(lo+step, len(s))]) // all of fixed size
		sum = crc32.Update(sum, Castagnoli, b)
	}
	return sum
}
