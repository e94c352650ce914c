// Package kernels holds the inner loops of the engine: dot products and
// updates of sparse rows against tables that are far larger than a row, and the way
// from text to hashes.
//
// Every loop works on plain slices and knows nothing of the packages above it.
// The Go loops of this package have no build tag: they are the meaning of each
// kernel and the oracle of every faster implementation.
//
// # Implementations
//
// The fastest implementation that the CPU can run is used; [Active] names it. The
// environment variable NBSVM_KERNELS forces another of [Implementations], and the
// build tag purego leaves only the Go loops.
//
//	generic  the Go loops
//	avx2     amd64: eight accumulators of one lane each, fed by scalar loads; the vector
//	         instructions check eight ids at a time. nbsvm bench cpu shows why there is no
//	         gather of entries: reading them one by one is faster on the CPUs measured.
//	avx512   amd64 with VBMI2: text and scoring alone. Words are found 63 bytes at a time
//	         and hashed eight at a time; all else is avx2's.
//	neon     arm64: the same with its registers; the ids of a turn are checked by a chain
//	         of conditional comparisons. Of text, words and strings are looked at in vectors;
//	         hashes are made in scalar registers, which have products of 64 bits.
//
// The group kernels work on vectors of eight classes in both, but for DotGroups64 and
// AxpyGroups64, which are Go loops.
//
// # Preconditions
//
// Lengths are checked by the exported functions (a mismatch is a programming
// error and panics). Ids are not promised to be sorted; where a kernel writes,
// they must be distinct, or the entries of those that repeat are not promised. An id
// outside the table panics; entries that other ids of the row name may have been
// updated by then. No kernel touches memory outside its slices, but that avx2 may read
// a few bytes behind a text from the page that the text ends in.
//
// # Text
//
// [Words] finds the words of a text by bit masks, and hashes those of up to 16 bytes; what a character is, the caller
// says. [Chars] hashes the characters of a text. [MixSums] and [Interleave] make hashes of n-grams, [MarkDistinct] and
// [KeepMarked] make them distinct. Integers have one result, so all implementations give the same.
//
// [FindRows] finds what a model knows of them; [SumDistinct] adds it up for one class, [AddRows] and [AddRatioRows] for
// several.
//
// # Models of fastText
//
// [SpanBuckets] finds n-grams of characters, [MulMatrix] and [Exps] make softmax of many labels. Only amd64 has
// assembly for them.
//
// # Bounds of similarities
//
// [AddCodes] adds up, for many documents at once, what a feature adds to the upper bound of their similarity to
// another. Only amd64 has assembly for it.
//
// # Packed rows
//
// [ColumnsOfGaps] reads the columns of a row as it lies in a packed file.
//
// # Order of summation
//
// Floating-point sums of one class are taken over eight lanes: lane l adds the terms
// l, l+8, l+16, … in that order, starting from zero, and the lanes are added as
//
//	((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))
//
// Products are rounded before they are added (no fused multiply-add). Eight
// lanes are what one AVX2 register holds, two NEON registers hold and half an
// AVX-512 register holds, so that each of them can give the same bits. Sums of a
// [Group], whose vectors are the classes, have four parts instead. [AddRows] and
// [SumDistinct] add one row after the other.
package kernels
