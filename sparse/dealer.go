package sparse

import (
	"math"
	"math/bits"
	"slices"
)

// Dealer makes rows, columns ascending, of the entries of many rows at once, which come in
// any order: it sorts all of them by column, digit by digit, and deals them to their rows.
// That takes fewer passes than sorting row by row, as digits may be longer the more there
// is to sort, and none of what a short row costs whatever its length. It is scratch memory,
// for one goroutine at a time; the zero value is ready.
type Dealer struct {
	ends                []uint32 // of the rows
	columns             []uint32
	entries, other      []uint64
	values, otherValues []float32
	valued              bool
	next, after         []uint32 // of a digit: how many entries have it, then where the next goes
}

// dealtBits is the longest digit: of as many places to write to as the second level of
// cache has room for.
const dealtBits = 12

// Entry is an entry of a row as Room takes it.
func Entry(column, row uint32) uint64 { return uint64(column)<<32 | uint64(row) }

// Room is memory for n entries, and for their values, for Deal.
func (d *Dealer) Room(n int, valued bool) (entries []uint64, values []float32) {
	d.entries, d.other = room(d.entries, n), room(d.other, n)
	d.columns = room(d.columns, n)
	if d.valued = valued; !valued {
		return d.entries, nil
	}
	d.values, d.otherValues = room(d.values, n), room(d.otherValues, n)
	return d.entries, d.values
}

// room is n elements, whatever they are, in the memory of s where it suffices; what else
// there is comes with one entry to spare, which may be written to and is not read.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n+1)[:n+1] }

// Deal makes so many rows of the first n entries that were put into Room.
func (d *Dealer) Deal(n, rows int) {
	d.sort(n, rows)
	accumulate(d.ends)
	columns, ends := d.columns, d.ends
	for k, e := range d.entries[:n] {
		end := &ends[uint32(e)]
		columns[*end] = uint32(e >> 32)
		if d.valued {
			d.otherValues[*end] = d.values[k]
		}
		*end++
	}
	if d.valued {
		d.values, d.otherValues = d.otherValues, d.values
	}
}

// sort sorts the first n entries by column, and counts those of each row.
func (d *Dealer) sort(n, rows int) {
	all := uint64(0)
	for _, e := range d.entries[:n] {
		all |= e
	}
	width := bits.Len64(all >> 32)
	passes := max(1, (width+dealtBits-1)/dealtBits)
	digit := (width + passes - 1) / passes
	mask := uint64(1)<<digit - 1
	d.next = zeros(d.next, 1<<digit)
	for _, e := range d.entries[:n] {
		d.next[e>>32&mask]++
	}
	for pass := range passes {
		accumulate(d.next)
		shift := 32 + pass*digit
		if pass+1 < passes {
			d.after = zeros(d.after, 1<<digit)
			d.pass(n, shift, mask, d.after, shift+digit, mask)
		} else {
			d.ends = zeros(d.ends, rows)
			d.pass(n, shift, mask, d.ends, 0, math.MaxUint32)
		}
		d.entries, d.other = d.other, d.entries
		d.values, d.otherValues = d.otherValues, d.values
		d.next, d.after = d.after, d.next
	}
}

// pass sorts the first n entries by the digit that is from one bit on, and counts the digits, or
// rows, that the next pass is about.
func (d *Dealer) pass(n, shift int, mask uint64, after []uint32, afterShift int, afterMask uint64) {
	to, next := d.other[:n], d.next
	if d.valued {
		values, toValues := d.values[:n], d.otherValues[:n]
		for k, e := range d.entries[:n] {
			place := &next[e>>(shift&63)&mask]
			to[*place], toValues[*place] = e, values[k]
			*place++
			after[e>>(afterShift&63)&afterMask]++
		}
		return
	}
	for _, e := range d.entries[:n] {
		place := &next[e>>(shift&63)&mask]
		to[*place] = e
		*place++
		after[e>>(afterShift&63)&afterMask]++
	}
}

// zeros is n zeros, in the memory of s where it suffices.
func zeros(s []uint32, n int) []uint32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// accumulate makes of how many there are of each where those of each begin.
func accumulate(next []uint32) {
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
}

// Row is a row that was dealt; its slices may be written to.
func (d *Dealer) Row(i int) (columns []uint32, values []float32) {
	lo, hi := uint32(0), d.ends[i]
	if i > 0 {
		lo = d.ends[i-1]
	}
	if d.valued {
		values = d.values[lo:hi]
	}
	return d.columns[lo:hi], values
}
