package sparse

import (
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
	next                [1 << dealtBits]uint32
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
	d.sort(n)
	entries := d.entries[:n]
	d.ends = slices.Grow(d.ends[:0], rows)[:rows]
	clear(d.ends)
	for _, e := range entries {
		d.ends[uint32(e)]++
	}
	accumulate(d.ends)
	columns, ends := d.columns, d.ends
	for k, e := range entries {
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

// sort sorts the first n entries by column.
func (d *Dealer) sort(n int) {
	from, to := d.entries[:n], d.other[:n]
	all := uint64(0)
	for _, e := range from {
		all |= e
	}
	width := bits.Len64(all >> 32)
	passes := max(1, (width+dealtBits-1)/dealtBits)
	digit := (width + passes - 1) / passes
	mask := uint64(1)<<digit - 1
	for shift := 32; all>>shift != 0; shift += digit {
		next := d.next[:mask+1]
		clear(next)
		for _, e := range from {
			next[e>>(shift&63)&mask]++
		}
		accumulate(next)
		if !d.valued {
			for _, e := range from {
				place := &next[e>>(shift&63)&mask]
				to[*place] = e
				*place++
			}
		} else {
			for k, e := range from {
				place := &next[e>>(shift&63)&mask]
				to[*place], d.otherValues[*place] = e, d.values[k]
				*place++
			}
			d.values, d.otherValues = d.otherValues, d.values
		}
		from, to = to, from
		d.entries, d.other = d.other, d.entries
	}
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
