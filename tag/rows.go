package tag

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// rows finds the rows of features by their keys, which rise. The first bits of a key tell where in the list to look:
// the keys are hashes, so that there is about one for each value of these bits.
type rows struct {
	keys  []uint64
	first []uint32 // by the first bits of a key, the first row with these bits or later ones; then the number of rows
	shift uint
}

// bitsFor returns the number of leading bits of a key that index a list of n keys.
func bitsFor(n int) int { return bits.Len(uint(n)) }

// newRows builds the index of sorted keys.
func newRows(keys []uint64) rows {
	width := bitsFor(len(keys))
	r := rows{keys, make([]uint32, 1<<width+1), uint(64 - width)}
	for _, key := range keys {
		r.first[key>>r.shift+1]++
	}
	for i := range len(r.first) - 1 {
		r.first[i+1] += r.first[i]
	}
	return r
}

// right reports whether the keys ascend and the index matches them.
func (r *rows) right() bool {
	if len(r.first) != 1<<bitsFor(len(r.keys))+1 || r.first[0] != 0 || int(r.first[len(r.first)-1]) != len(r.keys) {
		return false
	}
	for i, n := range r.first[1:] {
		if n < r.first[i] {
			return false
		}
	}
	for i, key := range r.keys {
		at := key >> r.shift
		if i > 0 && key <= r.keys[i-1] || uint32(i) < r.first[at] || uint32(i) >= r.first[at+1] {
			return false
		}
	}
	return true
}

// appendFound appends the rows of the keys that have one, and to ends how many there are behind the last key of each
// part of them; parts are given by their lengths. Many are asked for at once, so that misses of the cache overlap.
func (r *rows) appendFound(dst []uint32, ends []int, keys []uint64, parts []int) ([]uint32, []int) {
	for _, key := range keys {
		kernels.Prefetch(&r.first[key>>r.shift])
	}
	if len(r.keys) > 0 {
		for _, key := range keys {
			kernels.Prefetch(&r.keys[min(int(r.first[key>>r.shift]), len(r.keys)-1)])
		}
	}
	for _, n := range parts {
		for _, key := range keys[:n] {
			at := key >> r.shift
			for row := r.first[at]; row < r.first[at+1]; row++ {
				if r.keys[row] == key {
					dst = append(dst, row)
					break
				}
			}
		}
		keys = keys[n:]
		ends = append(ends, len(dst))
	}
	return dst, ends
}
