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

// The plain loops of the slot kernels: their meaning, what runs where there is no
// assembly, and what tests hold the assembly against.

func sumSlots(slots []Slot, idx []uint32) float32 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float32
	for len(idx) >= 8 {
		g := idx[:8:8]
		l0 += slots[g[0]].U
		l1 += slots[g[1]].U
		l2 += slots[g[2]].U
		l3 += slots[g[3]].U
		l4 += slots[g[4]].U
		l5 += slots[g[5]].U
		l6 += slots[g[6]].U
		l7 += slots[g[7]].U
		idx = idx[8:]
	}
	lanes := [8]float32{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx { // fewer than eight
		lanes[k] += slots[j].U
	}
	return combined(&lanes)
}

func addSlots(slots []Slot, idx []uint32, d float32) {
	for _, j := range idx {
		s := &slots[j]
		s.U += float32(d * s.S)
	}
}

func dotSlots(slots []Slot, idx []uint32, val []float32) float32 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float32
	for len(idx) >= 8 {
		g, v := idx[:8:8], val[:8:8]
		l0 += float32(v[0] * slots[g[0]].U)
		l1 += float32(v[1] * slots[g[1]].U)
		l2 += float32(v[2] * slots[g[2]].U)
		l3 += float32(v[3] * slots[g[3]].U)
		l4 += float32(v[4] * slots[g[4]].U)
		l5 += float32(v[5] * slots[g[5]].U)
		l6 += float32(v[6] * slots[g[6]].U)
		l7 += float32(v[7] * slots[g[7]].U)
		idx, val = idx[8:], val[8:]
	}
	val = val[:len(idx)]
	lanes := [8]float32{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx { // fewer than eight
		lanes[k] += float32(val[k] * slots[j].U)
	}
	return combined(&lanes)
}

func axpySlots(slots []Slot, idx []uint32, val []float32, d float32) {
	for k, j := range idx {
		s := &slots[j]
		s.U += float32(float32(d*val[k]) * s.S)
	}
}

func sumScales(slots []Slot, idx []uint32) float32 {
	var lanes [8]float32
	for k, j := range idx {
		lanes[k%8] += slots[j].S
	}
	return combined(&lanes)
}

// combined adds the lanes of a sum in the order of the package comment.
func combined[F float32 | float64](lanes *[8]F) F {
	return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}
