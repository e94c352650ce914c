package kernels

// The functions of this file are in assembly, in avx2_amd64.s or neon_arm64.s. Each does what the Go loop of its name
// does. They are declared for every platform, and called where useVectors says that they are there; the compiler leaves
// out all other calls, as it is a constant elsewhere.

// The loops over sparse rows end at the first eight ids, or rest of less than eight, of which one is outside the table,
// and say how many ids they have done. A table has 1 to 2³² entries.

//go:noescape
func sumSlotsVector(table []Slot, idx []uint32) (sum float32, done int)

//go:noescape
func addSlotsVector(table []Slot, idx []uint32, d float32) (done int)

//go:noescape
func dotSlotsVector(table []Slot, idx []uint32, val []float32) (sum float32, done int)

//go:noescape
func axpySlotsVector(table []Slot, idx []uint32, val []float32, d float32) (done int)

//go:noescape
func sumScalesVector(table []Slot, idx []uint32) (sum float32, done int)

//go:noescape
func sum64Vector(table []float64, idx []uint32) (sum float64, done int)

//go:noescape
func add64Vector(table []float64, idx []uint32, d float64) (done int)

//go:noescape
func dot64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func sumSquares64Vector(table []float64, idx []uint32, val []float32) (sum float64, done int)

//go:noescape
func axpy64Vector(table []float64, idx []uint32, val []float32, d float64) (done int)

// The loops over groups end at the first id outside the table, or a few before it.

//go:noescape
func sumGroupsVector(sum *Group, table []Group, idx []uint32) (done int)

//go:noescape
func dotGroupsVector(sum *Group, table []Group, idx []uint32, val []float32) (done int)

//go:noescape
func addGroupsVector(table []Group, scales []float32, idx []uint32, d *Group) (done int)

//go:noescape
func axpyGroupsVector(table []Group, scales []float32, idx []uint32, val []float32, d *Group) (done int)

//go:noescape
func sumGroups64Vector(sum *Group64, table []Group64, idx []uint32) (done int)

// prefetchEntries prefetches the entries of the ids at the row's end that are from or larger, prefetchGroups the lines
// of the cache.
//
//go:noescape
func prefetchEntries(table []uint64, idx []uint32, from uint32)

//go:noescape
func prefetchGroups(table *byte, idx []uint32, from uint32)

// prefetchIDs prefetches the row itself.
//
//go:noescape
func prefetchIDs(idx []uint32)

// prefetchLine prefetches the cache line of p.
//
//go:noescape
func prefetchLine(p *byte)

// splitWordsVector may end before a text that is not final does.
//
//go:noescape
func splitWordsVector(text []uint8, columns *columns, lower uint8, lowered *lowered, starts, ends *positions, final bool) (words, size int)

// hashWordsVector takes at least one word.
//
//go:noescape
func hashWordsVector(dst []uint64, lowered *lowered, start, end *uint16, a, b uint64) (done int)

//go:noescape
func hashCharsVector(dst []uint64, text []byte, bytes *[128]uint8, first *charFirst, pages []uint32, ascii *charASCII, a, b uint64, stop uint8, after bool) (n, size int)

// mixSumsVector does as many as there are fours of.
//
//go:noescape
func mixSumsVector(dst, a, b []uint64, key uint64) (done int)

// The interleavings do as many entries as there are fours of, or twos, and that of four columns is amd64's alone.

//go:noescape
func interleave2Vector(dst, a, b []uint64) (done int)

//go:noescape
func interleave3Vector(dst, a, b, c []uint64) (done int)

//go:noescape
func interleave4Vector(dst, a, b, c, d []uint64) (done int)

// The loops over dense rows take at least one, and are not ok if there is not such a row: then sums are as good as
// lost.

//go:noescape
func addRowsVector(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool)

//go:noescape
func addWholeRowsVector(sums []int32, table []int16, pitch int, rows []uint32, n, height int) (ok bool)

// What follows is amd64's alone: see onAMD64.

// columnsOfGapsVector takes four gaps at a time, as long as there are 16 bytes to read.
//
//go:noescape
func columnsOfGapsVector(dst []uint32, data, control []byte, shapes *gapShapes) (done, used int, outside bool)

// placeHashesVector does eights of hashes.
//
//go:noescape
func placeHashesVector(f *Found, hashes []uint64, keyBits, bucketBits, lines int)

//go:noescape
func findRowsVector(f *Found, size int, lines []BucketLine, orders *[256][spanLanes]uint32, entries []Entry, soon *[LookupBlock]uint32) (n int)

// keepDistinctVector and sumDistinctVector take one row at least. They end at one that has no entry.
//
//go:noescape
func keepDistinctVector(kept []uint32, seen []uint8, document uint32, rows, queries []uint32, entries []Entry) (n, done int)

//go:noescape
func sumDistinctVector(seen []uint8, document uint32, rows, queries []uint32, entries []Entry, weights, squares float64) (w, q float64, n, done int)

// countKeysVector takes one query at least.
//
//go:noescape
func countKeysVector(table []CountLine, queries []uint64, secret uint64, next uint32) (after uint32, done, full int)

//go:noescape
func findSpansVector(dst *FoundSpans, text *SpanText, chosen *ChosenSpans, starts, least, most int, divisor *spanDivisor, kept []uint64, orders *[256][spanLanes]uint32) (n int)

// mulMatrixVector takes a block or more, and a number or more.
//
//go:noescape
func mulMatrixVector(dst, matrix, x []float32)

// dotTilesVector takes four columns or more.
//
//go:noescape
func dotTilesVector(sums []float64, y *Tile, x []Tile)
