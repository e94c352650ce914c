package nbsvm

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// filler makes rows of the matrix; each worker has its own.
type filler struct {
	rows   hashing.Rows
	sorter rowSorter
}

// fill writes a block's rows into the matrix. single has the ids of columns of one
// document, which are numbered from singles on.
func (f *filler) fill(d *design, at place, documents int, singles uint32, single []uint32) {
	x := d.x
	for k := range documents {
		columns, values := f.rows.Row(k)
		columns, values = f.sorter.sort(columns, values)
		if values == nil {
			columns = slices.Compact(columns)
		} else {
			columns, values = merge(columns, values)
			copy(x.Values[at.entry:], values)
		}
		own, _ := slices.BinarySearch(columns, singles)
		for n, j := range columns[own:] {
			d.ids[at.own], columns[own+n] = single[j-singles], at.own
			at.own++
		}
		copy(x.Indices[at.entry:], columns)
		at.row, at.entry = at.row+1, at.entry+int64(len(columns))
		x.Indptr[at.row] = at.entry
	}
}

// merge makes entries of a sorted row that are of the same column one.
func merge(columns []uint32, values []float32) ([]uint32, []float32) {
	n := 0
	for k, j := range columns {
		if n > 0 && columns[n-1] == j {
			values[n-1] += values[k]
			continue
		}
		columns[n], values[n] = j, values[k]
		n++
	}
	return columns[:n], values[:n]
}

// rowSorter sorts rows of ids; those that are not short digit by digit, which takes
// two to four passes where comparing takes six or more.
type rowSorter struct {
	ids    []uint32
	values []float32
	next   [1 << maxDigitBits]uint32
}

// radixFrom is the row length from which counting digits is faster (BenchmarkRowSorter).
const radixFrom = 40

// sort sorts ids and moves values, if there are any, along; equal ids keep their order.
// The result is in the given slices or in the sorter's own.
func (r *rowSorter) sort(ids []uint32, values []float32) ([]uint32, []float32) {
	if values == nil && len(ids) < radixFrom {
		slices.Sort(ids)
		return ids, nil
	}
	return r.radix(ids, values)
}

func (r *rowSorter) radix(ids []uint32, values []float32) ([]uint32, []float32) {
	all := uint32(0)
	for _, id := range ids {
		all |= id
	}
	r.ids = slices.Grow(r.ids[:0], len(ids))[:len(ids)]
	to, toValues := r.ids, []float32(nil)
	if values != nil {
		r.values = slices.Grow(r.values[:0], len(ids))[:len(ids)]
		toValues = r.values
	}
	width := digitBits(bits.Len32(all), len(ids))
	mask := uint32(1)<<width - 1
	for shift := 0; all>>shift != 0; shift += width {
		next := r.next[:mask+1]
		clear(next)
		for _, id := range ids {
			next[id>>(shift&31)&mask]++
		}
		sum := uint32(0)
		for digit, n := range next {
			next[digit] = sum
			sum += n
		}
		if values == nil {
			for _, id := range ids {
				place := &next[id>>(shift&31)&mask]
				to[*place] = id
				*place++
			}
		} else {
			for k, id := range ids {
				place := &next[id>>(shift&31)&mask]
				to[*place], toValues[*place] = id, values[k]
				*place++
			}
		}
		ids, to = to, ids
		values, toValues = toValues, values
	}
	return ids, values
}

const maxDigitBits = 11

// digitBits is the width of the digits of a number of so many bits, for so many
// numbers: passing over all possible digits should not take longer than over all
// numbers.
func digitBits(width, n int) int {
	most := min(max(bits.Len(uint(n)), 4), maxDigitBits)
	passes := max(1, (width+most-1)/most)
	return max(1, (width+passes-1)/passes)
}
