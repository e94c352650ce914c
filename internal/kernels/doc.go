// Package kernels has the inner loops of the engine: dot products and updates of sparse rows against tables that are
// far larger than a row, and the way from text to hashes. Package kernels of the module's root exports those that other
// programs can use.
//
// Every loop works on plain slices and imports nothing of this module. The Go loops have no build tag: they define what
// a kernel computes, and tests compare every other implementation with them.
//
// # Implementations
//
// The package uses the fastest implementation that the CPU runs; [Active] returns its name. The environment variable
// NBSVM_KERNELS forces another of [Implementations], and the build tag purego leaves only the Go loops.
//
//	generic  the Go loops
//	avx2     amd64: eight accumulators of one lane each, fed by scalar loads; vector instructions
//	         check eight ids at a time. Entries are not gathered: reading them one by one
//	         is faster on the CPUs measured.
//	neon     arm64: the same as avx2 with its registers; a chain of conditional comparisons checks
//	         the ids of a turn. Words and strings are looked at in vectors; hashes are made in
//	         scalar registers, which have products of 64 bits.
//
// The group kernels work on vectors of eight classes in all of these, except that [DotGroups64] of rows with values is
// a Go loop.
//
// # Preconditions
//
// Exported functions check lengths, and panic where they do not fit: that is a programming error. Ids need not be
// sorted. If a kernel writes, the ids of a row must be distinct; otherwise the entries of those that repeat are
// undefined. An id outside the table panics, and entries of other ids of the row may have been updated by then. No
// kernel touches memory outside its slices, except that avx2 may read a few bytes behind a text from the page in which
// the text ends.
//
// # Text
//
// [Words] finds the words of a text by bit masks, and hashes those of up to 16 bytes; the caller says what each
// character is. [Chars] hashes the characters of a text. [MixSums] and [Interleave] make hashes of n-grams,
// [MarkDistinct] and [KeepMarked] make them distinct. These work on integers, so all implementations give the same
// result.
//
// [Found.Find] finds what a model knows of the hashes. [Seen.SumDistinct] adds that up for one class; for several,
// [Seen.KeepDistinct] keeps it, and [AddRows] and [AddWholeRows] add it up.
//
// # Other users
//
// [CountKeys] counts the documents of n-grams. [SpanBuckets] finds n-grams of characters for models of fastText;
// [MulMatrix] and [Exps] make softmax of many labels. [DotTiles] makes products of the columns of dense rows, for
// Newton's method. [ColumnsOfGaps] reads the columns of a row in a packed file. Only amd64 has assembly for these; Exps
// has none.
//
// # Order of summation
//
// Floating-point sums of one class are taken over eight lanes: lane l adds the terms l, l+8, l+16, … in that order,
// starting from zero, and the lanes are added as
//
//	((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))
//
// Products are rounded before they are added: there is no fused multiply-add. Eight lanes are what one AVX2 register
// or two NEON registers hold, so that each of them can give the same bits. Sums of a [Group],
// whose vectors are the classes, have four parts instead. [AddRows] and [Seen.SumDistinct] add one row after the other.
package kernels
