package sparse

import (
	"slices"
	"sort"
)

// SortRow sorts ids in ascending order and moves values, if there are any, along; equal ids keep their order.
func SortRow[K uint32 | uint64, V float32 | float64](ids []K, values []V) {
	if values == nil {
		slices.Sort(ids)
		return
	}
	sort.Stable(&sortedRow[K, V]{ids, values})
}

type sortedRow[K uint32 | uint64, V float32 | float64] struct {
	ids    []K
	values []V
}

func (r *sortedRow[K, V]) Len() int           { return len(r.ids) }
func (r *sortedRow[K, V]) Less(i, k int) bool { return r.ids[i] < r.ids[k] }
func (r *sortedRow[K, V]) Swap(i, k int) {
	r.ids[i], r.ids[k] = r.ids[k], r.ids[i]
	r.values[i], r.values[k] = r.values[k], r.values[i]
}
