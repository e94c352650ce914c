package osfile

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Castagnoli is the table of CRC-32C, for which processors have instructions.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AddChecksum takes a slice into a checksum: its length, then its numbers as they lie in files, little-endian.
func AddChecksum[T mem.Number](sum uint32, s []T) uint32 {
	sum = crc32.Update(sum, Castagnoli, binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
	return crc32.Update(sum, Castagnoli, mem.ViewBytes(s))
}
