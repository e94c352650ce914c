package kernels

import "fmt"

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
			if sum, done := sumSlotsVector(slots, idx); done == len(idx) {
				return sum
			}
		}
		return sumSlots(slots, idx)
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(slots) > 0 {
		if sum, done := dotSlotsVector(slots, idx, val); done == len(idx) {
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
			idx = idx[addSlotsVector(slots, idx, d):]
		}
		addSlots(slots, idx, d)
		return
	}
	checkLengths(len(idx), len(val))
	if useVectors && len(slots) > 0 {
		done := axpySlotsVector(slots, idx, val, d)
		idx, val = idx[done:], val[done:]
	}
	axpySlots(slots, idx, val, d)
}

// SumScales returns Σ slots[idx[k]].S, in the order of DotSlots: the squared length of
// a binary row.
func SumScales(slots []Slot, idx []uint32) float32 {
	if useVectors && len(slots) > 0 {
		if sum, done := sumScalesVector(slots, idx); done == len(idx) {
			return sum
		}
	}
	return sumScales(slots, idx)
}

func checkLengths(idx, val int) {
	if idx != val {
		panic(fmt.Sprintf("kernels: %d ids but %d values", idx, val))
	}
}

// The plain loops of the slot kernels: their meaning, what runs where there is no
// assembly, and what tests hold the assembly against.

func sumSlots(slots []Slot, idx []uint32) float32 {
	var lanes [8]float32
	for k, j := range idx {
		lanes[k%8] += slots[j].U
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
	var lanes [8]float32
	for k, j := range idx {
		lanes[k%8] += float32(val[k] * slots[j].U)
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
