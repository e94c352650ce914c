package kernels

import "unsafe"

// The functions of this file change nothing but time: they ask for memory that will
// be needed soon. Without assembly they do nothing, but for Prefetch.

// PrefetchAll asks for all of a slice: the ids of a row, say.
func PrefetchAll[T uint32 | uint64 | float32](s []T) {
	if useVectors {
		prefetchIDs(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T)))/4))
	}
}

// Fetch brings all of a large slice, which is looked at in any order next, into the second level of cache. It reads
// all lines: the CPU sees them come one after the other and runs ahead, which it does not for lines that it is
// asked for. A quarter of a mebibyte took a fifth of the time (Zen 3).
func Fetch[T uint32 | uint64](s []T) { fetch(s) }

// fetch is not inlined, or the compiler would leave the loads out.
//
//go:noinline
func fetch[T uint32 | uint64](s []T) (sum T) {
	line := 64 / int(unsafe.Sizeof(sum))
	for ; len(s) >= line; s = s[line:] {
		sum += s[0]
	}
	return sum
}

// Prefetch asks for what p points to, up to the end of its cache line. Without
// assembly it reads a byte of it, which a CPU need not wait for.
func Prefetch[T any](p *T) {
	if useVectors {
		prefetchLine((*byte)(unsafe.Pointer(p)))
	} else {
		touch((*byte)(unsafe.Pointer(p)))
	}
}

// touch is not inlined, or the compiler would leave the load out.
//
//go:noinline
func touch(p *byte) byte { return *p }

// PrefetchEntries asks for the entries of those ids of an ascending row that are from or
// larger; if from is 0, ids may come in any order.
func PrefetchEntries[T Slot | float64 | uint64 | Group](table []T, idx []uint32, from uint32) {
	switch {
	case !useVectors || len(table) == 0:
	case unsafe.Sizeof(table[0]) == 8:
		prefetchEntries(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(table))), len(table)), idx, from)
	default:
		prefetchGroups((*byte)(unsafe.Pointer(unsafe.SliceData(table))), idx, from)
	}
}
