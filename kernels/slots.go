package kernels

import (
	"fmt"
	"unsafe"
)

// Slot is the state of one feature in the folded dual problem: with w the
// weight and s the column's scale (its log-count ratio, say), a binary feature
// has the value s wherever it occurs, so that a row's dot product is the sum of
// U = w·s and a step d adds d·s² to U. One 8-byte slot is then all that a
// non-zero touches, and no values are stored.
type Slot struct {
	U float32 // w·s
	S float32 // s²
}

// DotSlots returns Σ val[k]·slots[idx[k]].U: the dot product of a row. Values that are nil
// are all 1.
func DotSlots(slots []Slot, idx []uint32, val []float32) float32 {
	if val == nil {
		if useVectors && len(slots) > 0 {
			if sum, done := sumSlotsVector(parts[uint64](slots), idx); done == len(idx) {
				return sum
			}
		}
		return sumSlots(slots, idx)
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(slots) > 0 {
		if sum, done := dotSlotsVector(parts[uint64](slots), idx, val); done == len(idx) {
			return sum
		}
	}
	return dotSlots(slots, idx, val)
}

// AxpySlots adds (d·val[k])·S, each product rounded, to U in every slot that idx
// names: a row's update. The ids must be distinct. Values that are nil are all 1.
func AxpySlots(slots []Slot, idx []uint32, val []float32, d float32) {
	if val == nil {
		if useVectors && len(slots) > 0 {
			idx = idx[addSlotsVector(parts[uint64](slots), idx, d):]
		}
		addSlots(slots, idx, d)
		return
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(slots) > 0 {
		done := axpySlotsVector(parts[uint64](slots), idx, val, d)
		idx, val = idx[done:], val[done:]
	}
	axpySlots(slots, idx, val, d)
}

// SumScales returns Σ slots[idx[k]].S, in the order of DotSlots: the squared length of
// a binary row.
func SumScales(slots []Slot, idx []uint32) float32 {
	if useVectors && len(slots) > 0 {
		if sum, done := sumScalesVector(parts[uint64](slots), idx); done == len(idx) {
			return sum
		}
	}
	return sumScales(slots, idx)
}

// parts are entries as assembly takes them, each of them a W of the same size.
func parts[W, T any](entries []T) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(entries))), len(entries))
}

func checkLengths(idx, val int) {
	if idx != val {
		panic(fmt.Sprintf("kernels: %d ids but %d values", idx, val))
	}
}
