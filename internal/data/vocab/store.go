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
//
// A code is the number of the n-gram above the gap between its document and that of the entry before in the partition:
// few documents lie between, so that a code takes three bytes where document and number would take four.
const spareBytes = 8

// storedHead is the head of a stored block.
type storedHead struct {
	Documents, Entries, Values uint32
	Width                      uint16 // bytes of a code
	GapBits                    uint16 // of these
}

// gaps visits the entries of all partitions with the gap between their document and the one before.
func (b *Block) gaps(visit func(i int, gap uint64)) {
	i := 0
	for _, end := range b.ends {
		before := uint64(0)
		for ; i < int(end); i++ {
			document := b.entries[i] & (1<<32 - 1)
			visit(i, document-before)
			before = document
		}
	}
}

// Store appends the block to dst, for Load. It must have been counted, and not been looked up.
func (b *Block) Store(dst []byte) []byte {
	numbers, gaps := uint64(0), uint64(0) // bits of all
	b.gaps(func(i int, gap uint64) {
		numbers |= b.entries[i] >> 32
		gaps |= gap
	})
	gapBits := bits.Len64(gaps)
	h := storedHead{
		Documents: uint32(b.documents), Entries: uint32(len(b.entries)), Values: uint32(len(b.values)),
		Width: uint16(bits.Len64(numbers)+gapBits+7) / 8, GapBits: uint16(gapBits),
	}
	dst = append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h))...)
	dst = append(dst, mem.Overlay(b.ends[:])...)
	width, from := int(h.Width), len(dst)
	dst = slices.Grow(dst, width*len(b.entries)+spareBytes)[:from+width*len(b.entries)+spareBytes]
	codes := dst[from:]
	b.gaps(func(i int, gap uint64) {
		binary.LittleEndian.PutUint64(codes, b.entries[i]>>32<<(gapBits&63)|gap)
		codes = codes[width:]
	})
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
	width, gapBits := int(h.Width), h.GapBits&63
	mask, gapMask := uint64(1)<<(8*width)-1, uint64(1)<<gapBits-1
	i := 0
	for _, end := range b.ends {
		document := uint64(0)
		for ; i < int(end); i++ {
			code := binary.LittleEndian.Uint64(src) & mask
			src = src[width:]
			document += code & gapMask
			b.entries[i] = code>>gapBits<<32 | document
		}
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
