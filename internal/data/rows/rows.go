// Package rows makes random sparse rows, for benchmarks to work on.
package rows

import (
	"math/rand/v2"
	"slices"
)

// Random returns count rows of length ids, one after the other. The ids of a row
// are below entries, distinct and ascending; length is at most entries.
func Random(r *rand.Rand, entries, length, count int) []uint32 {
	ids := make([]uint32, 0, count*length)
	for range count {
		row := ids[len(ids):len(ids):cap(ids)]
		for len(row) < length {
			for len(row) < length {
				row = append(row, r.Uint32N(uint32(entries)))
			}
			slices.Sort(row)
			row = slices.Compact(row)
		}
		ids = ids[:len(ids)+length]
	}
	return ids
}
