package kernels

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
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += slots[idx[6]].U
		fallthrough
	case 6:
		l5 += slots[idx[5]].U
		fallthrough
	case 5:
		l4 += slots[idx[4]].U
		fallthrough
	case 4:
		l3 += slots[idx[3]].U
		fallthrough
	case 3:
		l2 += slots[idx[2]].U
		fallthrough
	case 2:
		l1 += slots[idx[1]].U
		fallthrough
	case 1:
		l0 += slots[idx[0]].U
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

func addSlots(slots []Slot, idx []uint32, d float32) {
	for len(idx) >= 4 {
		g := idx[:4:4]
		s0, s1, s2, s3 := &slots[g[0]], &slots[g[1]], &slots[g[2]], &slots[g[3]]
		s0.U += float32(d * s0.S)
		s1.U += float32(d * s1.S)
		s2.U += float32(d * s2.S)
		s3.U += float32(d * s3.S)
		idx = idx[4:]
	}
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
	switch len(idx) { // the rest: term k goes to lane k
	case 7:
		l6 += float32(val[6] * slots[idx[6]].U)
		fallthrough
	case 6:
		l5 += float32(val[5] * slots[idx[5]].U)
		fallthrough
	case 5:
		l4 += float32(val[4] * slots[idx[4]].U)
		fallthrough
	case 4:
		l3 += float32(val[3] * slots[idx[3]].U)
		fallthrough
	case 3:
		l2 += float32(val[2] * slots[idx[2]].U)
		fallthrough
	case 2:
		l1 += float32(val[1] * slots[idx[1]].U)
		fallthrough
	case 1:
		l0 += float32(val[0] * slots[idx[0]].U)
	}
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
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
	return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}
