package vocab

import (
	"math"
	"math/bits"
	"slices"
)

// RowBuilder builds rows of ascending columns from the entries of many rows at once, which come
// in any order. It sorts all entries by column, digit by digit, and then distributes them to their
// rows. That takes fewer passes than sorting row by row, because digits may be longer the more
// there is to sort, and a short row has no cost of its own. It is scratch memory for one goroutine
// at a time; the zero value is ready.
type RowBuilder struct {
	ends                []uint32 // where the rows end in columns and values
	columns             []uint32
	entries, other      []uint64
	values, otherValues []float32
	valued              bool
	next, after         []uint32 // by digit of this pass and the next: how many entries have it, then where one goes
}

// radixBits is the length of the longest digit: a pass writes to 2^radixBits places in turn, whose
// cache lines fit the second level of cache.
const radixBits = 12

// RowEntry returns an entry of a row as it is put into the memory of Reserve.
func RowEntry(column, row uint32) uint64 { return uint64(column)<<32 | uint64(row) }

// Reserve returns memory for n entries, and for their values if they have any, which Build reads.
func (b *RowBuilder) Reserve(n int, valued bool) (entries []uint64, values []float32) {
	b.entries, b.other = room(b.entries, n), room(b.other, n)
	if b.valued = valued; !valued {
		return b.entries, nil
	}
	b.values, b.otherValues = room(b.values, n), room(b.otherValues, n)
	return b.entries, b.values
}

// room returns n elements of unknown content, and one more that may be written to and is not read, in the
// memory of s where it suffices.
func room[T any](s []T, n int) []T {
	if cap(s) <= n {
		s = make([]T, n+n/8+1) // slices.Grow would copy what is there
	}
	return s[:n+1]
}

// Release gives back the memory of many more entries than usual. Rows that were built are then not valid any more.
func (b *RowBuilder) Release() {
	const usual = 1 << 19
	if cap(b.entries) > usual {
		*b = RowBuilder{}
	}
}

// Build makes so many rows of the first n entries of what Reserve returned: see Row.
func (b *RowBuilder) Build(n, rows int) {
	b.columns = room(b.columns, n)
	b.sort(n, rows)
	accumulate(b.ends)
	ends, columns := b.ends, b.columns
	for k, e := range b.entries[:n] {
		end := &ends[uint32(e)]
		columns[*end] = uint32(e >> 32)
		if b.valued {
			b.otherValues[*end] = b.values[k]
		}
		*end++
	}
	if b.valued {
		b.values, b.otherValues = b.otherValues, b.values
	}
}

// sort sorts the first n entries by column, and counts those of each row.
func (b *RowBuilder) sort(n, rows int) {
	all := uint64(0)
	for _, e := range b.entries[:n] {
		all |= e
	}
	width := bits.Len64(all >> 32)
	passes := max(1, (width+radixBits-1)/radixBits)
	digit := (width + passes - 1) / passes
	mask := uint64(1)<<digit - 1
	b.next = zeros(b.next, 1<<digit)
	for _, e := range b.entries[:n] {
		b.next[e>>32&mask]++
	}
	for pass := range passes {
		accumulate(b.next)
		shift := 32 + pass*digit
		if pass+1 < passes {
			b.after = zeros(b.after, 1<<digit)
			b.pass(n, shift, mask, b.after, shift+digit, mask)
		} else {
			b.ends = zeros(b.ends, rows)
			b.pass(n, shift, mask, b.ends, 0, math.MaxUint32)
		}
		b.entries, b.other = b.other, b.entries
		b.values, b.otherValues = b.otherValues, b.values
		b.next, b.after = b.after, b.next
	}
}

// pass sorts the first n entries by the digit that begins at bit shift. In the same go it counts, in
// after, what the next pass sorts by: the digit, or the row, that begins at bit afterShift.
func (b *RowBuilder) pass(n, shift int, mask uint64, after []uint32, afterShift int, afterMask uint64) {
	to, next := b.other[:n], b.next
	if b.valued {
		values, toValues := b.values[:n], b.otherValues[:n]
		for k, e := range b.entries[:n] {
			place := &next[e>>(shift&63)&mask]
			to[*place], toValues[*place] = e, values[k]
			*place++
			after[e>>(afterShift&63)&afterMask]++
		}
		return
	}
	for _, e := range b.entries[:n] {
		place := &next[e>>(shift&63)&mask]
		to[*place] = e
		*place++
		after[e>>(afterShift&63)&afterMask]++
	}
}

// zeros returns n zeros, in the memory of s where it suffices.
func zeros(s []uint32, n int) []uint32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// accumulate turns numbers of elements into the places where these begin.
func accumulate(next []uint32) {
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
}

// Row returns a row that was built; its slices may be written to.
func (b *RowBuilder) Row(i int) (columns []uint32, values []float32) {
	lo, hi := uint32(0), b.ends[i]
	if i > 0 {
		lo = b.ends[i-1]
	}
	if b.valued {
		values = b.values[lo:hi]
	}
	return b.columns[lo:hi], values
}
