package vocab

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// A stored block has a head, where its partitions end, a code of as many bytes as the largest needs for every entry,
// values, and then texts, each after its length. Numbers are in the byte order of the machine, as no other reads them.
// Codes are written and read as eight bytes, so that there are as many to spare behind the last.
const (
	documentBits = partitionBits // of a code, for one of MaxDocuments; the number of the n-gram is above them
	spareBytes   = 8
)

// storedHead is the head of a stored block.
type storedHead struct {
	Documents, Entries, Values uint32
	Width                      uint32 // bytes of a code
}

// Store appends the block to dst, for Load. It must have been counted, and not been looked up.
func (b *Block) Store(dst []byte) []byte {
	all := uint64(0) // bits of all numbers
	for _, e := range b.entries {
		all |= e >> 32
	}
	h := storedHead{
		Documents: uint32(b.documents), Entries: uint32(len(b.entries)), Values: uint32(len(b.values)),
		Width: uint32(bits.Len64(all)+documentBits+7) / 8,
	}
	dst = append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h))...)
	dst = append(dst, mem.Overlay(b.ends[:])...)
	width, from := int(h.Width), len(dst)
	dst = slices.Grow(dst, width*len(b.entries)+spareBytes)[:from+width*len(b.entries)+spareBytes]
	codes := dst[from:]
	for _, e := range b.entries {
		binary.LittleEndian.PutUint64(codes, e>>32<<documentBits|e&(1<<documentBits-1))
		codes = codes[width:]
	}
	dst = append(dst, mem.Overlay(b.values)...)
	for _, text := range b.Texts {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}

// Load makes it the block that was stored in src. take returns memory of so many words, which the block keeps.
func (b *Block) Load(src []byte, take func(words int) mem.Memory) {
	var h storedHead
	src = src[copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), src):]
	src = src[copy(mem.Overlay(b.ends[:]), src):]
	b.documents, b.Memory = int(h.Documents), take(int(h.Entries))
	b.entries = b.Memory.Words
	width := int(h.Width)
	mask := uint64(1)<<(8*width) - 1
	for i := range b.entries {
		code := binary.LittleEndian.Uint64(src) & mask
		src = src[width:]
		b.entries[i] = code>>documentBits<<32 | code&(1<<documentBits-1)
	}
	src = src[spareBytes:]
	b.values = grow(b.values, int(h.Values))
	src = src[copy(mem.Overlay(b.values), src):]
	b.Texts = nil
	for src = bytes.Clone(src); len(src) > 0; {
		size, n := binary.Uvarint(src)
		src = src[n:]
		b.Texts = append(b.Texts, src[:size:size])
		src = src[size:]
	}
}

// grow returns a slice of n elements, which hold anything, in the memory of s if that suffices.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
