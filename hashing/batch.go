package hashing

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// batch makes the n-gram hashes of a document distinct all at once, where they are
// few: the place of the first of them is written into a table, where the others find
// it. Hashes that find another's are tried again under another key, all occurrences of
// one together. Nothing is cleared, nothing is searched, and nothing has to be guessed.
// The key is drawn anew for every Extractor, as seen's.
type batch struct {
	key   uint64 // odd
	table []uint16
	left  []uint32
	marks []uint8
}

// maxBatch is the maximum number of n-grams in a batch.
const maxBatch = kernels.MaxDistinct

// entries returns the size of a table for n hashes.
func (b *batch) entries(n int) []uint16 {
	size := 1 << bits.Len(uint(spare*max(n, 1)))
	if len(b.table) < size {
		b.table = make([]uint16, size)
	}
	return b.table[:size]
}

// distinct keeps the first of each hash, in order, and returns how many they are. What is
// behind them then is not promised.
func (b *batch) distinct(hashes []uint64) int {
	n, key := len(hashes), b.key
	b.left, b.marks = slices.Grow(b.left[:0], n)[:n], slices.Grow(b.marks[:0], n)[:n]
	left := b.left[:kernels.MarkDistinct(b.marks, b.left, hashes, b.entries(n), key)]
	for len(left) > 0 {
		key *= golden
		left = b.again(left, hashes, key)
	}
	return kernels.KeepMarked(hashes, b.marks)
}

// again returns kernels.MarkDistinct of the hashes that are left.
func (b *batch) again(left []uint32, hashes []uint64, key uint64) []uint32 {
	table := b.entries(len(left))
	shift := 65 - bits.Len(uint(len(table)))
	for _, i := range slices.Backward(left) {
		table[hashes[i]*key>>shift] = uint16(i)
	}
	n := 0
	for _, i := range left {
		h := hashes[i]
		place := uint32(table[h*key>>shift])
		b.marks[i] = uint8((uint64(place^i) - 1) >> 63)
		other := hashes[place] ^ h
		left[n] = i
		n += int((other | -other) >> 63)
	}
	return left[:n]
}
