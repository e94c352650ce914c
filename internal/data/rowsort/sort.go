// Package rowsort puts the entries of sparse rows in the order of their columns.
package rowsort

import (
	"slices"
	"sort"
)

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

// Sort sorts ids in ascending order and moves values, if there are any, along; equal ids keep their order.
func Sort[K uint32 | uint64, V float32 | float64](ids []K, values []V) {
	if values == nil {
		slices.Sort(ids)
		return
	}
	sort.Stable(&row[K, V]{ids, values})
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
