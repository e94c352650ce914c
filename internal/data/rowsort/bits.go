package rowsort

import (
	"math/bits"
	"slices"
)

// LowColumns are the columns of which a BitRow puts a row in order.
const LowColumns = 1 << 15

// BitRow puts binary rows of low columns, which are as a rule the frequent ones, in order: bits are set, and
// found again in ascending order. The zero value is ready, and has an empty row.
type BitRow struct {
	words [LowColumns / 64]uint64
	used  [LowColumns / 64 / 64]uint64 // bits of the words that are not 0
}

// Add adds a column below LowColumns, and says whether the row had it already: 1 or 0.
func (r *BitRow) Add(column uint32) (again uint32) {
	place := column / 64 % (LowColumns / 64)
	word := r.words[place]
	r.words[place] = word | 1<<(column%64)
	r.used[place/64] |= 1 << (place % 64)
	return uint32(word>>(column%64)) & 1
}

// AppendAndClear appends the row's columns, and empties it.
func (r *BitRow) AppendAndClear(dst []uint32) []uint32 {
	n := len(dst)
	dst = dst[:cap(dst)]
	for i, used := range &r.used {
		for ; used != 0; used &= used - 1 {
			place := 64*i + bits.TrailingZeros64(used)
			if len(dst)-n < 64 {
				dst = slices.Grow(dst, 64+n)
				dst = dst[:cap(dst)]
			}
			columns, k := (*[64]uint32)(dst[n:]), 0
			for word := r.words[place]; word != 0; word &= word - 1 {
				columns[k&63] = uint32(64*place + bits.TrailingZeros64(word))
				k++
			}
			n += k
			r.words[place] = 0
		}
		r.used[i] = 0
	}
	return dst[:n]
}
