// Package rowsort puts the entries of sparse rows in the order of their columns.
package rowsort

import (
	"math/bits"
	"slices"
	"sort"
)

// Sorter sorts rows of ids. Rows that are not short are sorted digit by digit, in two to four
// passes where comparing takes six or more. It is scratch memory for one goroutine at a time; the
// zero value is ready.
type Sorter struct {
	ids    []uint32
	values []float32
	next   [1 << maxDigitBits]uint32
}

// radixFrom is the row length from which counting digits is faster (BenchmarkSorter).
const radixFrom = 40

// Sort sorts ids and moves values, if there are any, along; equal ids keep their order.
// The result is in the given slices or in the sorter's own.
func (r *Sorter) Sort(ids []uint32, values []float32) ([]uint32, []float32) {
	if values == nil && len(ids) < radixFrom {
		slices.Sort(ids)
		return ids, nil
	}
	return r.radix(ids, values)
}

func (r *Sorter) radix(ids []uint32, values []float32) ([]uint32, []float32) {
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

// digitBits is the width of a digit for n numbers of so many bits: going over all possible digits
// should not take longer than going over all numbers.
func digitBits(width, n int) int {
	most := min(max(bits.Len(uint(n)), 4), maxDigitBits)
	passes := max(1, (width+most-1)/most)
	return max(1, (width+passes-1)/passes)
}

// AddEqual combines, in place, the entries of a sorted row that have the same id; their values, if
// there are any, are added. A sum is rounded once, so that a sum of whole numbers does not depend on
// their order, even where a float32 does not hold it exactly.
func AddEqual(ids []uint32, values []float32) ([]uint32, []float32) {
	if values == nil {
		return slices.Compact(ids), nil
	}
	n := 0
	for k := 0; k < len(ids); n++ {
		id, sum := ids[k], float64(values[k])
		for k++; k < len(ids) && ids[k] == id; k++ {
			sum += float64(values[k])
		}
		ids[n], values[n] = id, float32(sum)
	}
	return ids[:n], values[:n]
}

// Sort sorts ids in ascending order and moves values along.
func Sort[K uint32 | uint64, V float32 | float64](ids []K, values []V) {
	sort.Sort(&row[K, V]{ids, values})
}

type row[K uint32 | uint64, V float32 | float64] struct {
	ids    []K
	values []V
}

func (r *row[K, V]) Len() int           { return len(r.ids) }
func (r *row[K, V]) Less(i, k int) bool { return r.ids[i] < r.ids[k] }
func (r *row[K, V]) Swap(i, k int) {
	r.ids[i], r.ids[k] = r.ids[k], r.ids[i]
	r.values[i], r.values[k] = r.values[k], r.values[i]
}
