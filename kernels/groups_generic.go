package kernels

// The plain loops of the group kernels that have assembly: see slots_generic.go.

func sumGroups(sum *Group, slots []GroupSlot, idx []uint32) {
	var parts [4]Group
	for k, j := range idx {
		part := &parts[k%4]
		for l, x := range &slots[j][0] {
			part[l] += x
		}
	}
	combine(sum, &parts)
}

func sumGroupScales(sum *Group, slots []GroupSlot, idx []uint32) {
	var parts [4]Group
	for k, j := range idx {
		part := &parts[k%4]
		for l, x := range &slots[j][1] {
			part[l] += x
		}
	}
	combine(sum, &parts)
}

func dotGroups(sum *Group, slots []GroupSlot, idx []uint32, val []float32) {
	var parts [4]Group
	for k, j := range idx {
		part, v := &parts[k%4], val[k]
		for l, x := range &slots[j][0] {
			part[l] += float32(v * x)
		}
	}
	combine(sum, &parts)
}

// combine adds the four parts of a sum.
func combine[F float32 | float64](sum *[GroupSize]F, parts *[4][GroupSize]F) {
	for l := range sum {
		sum[l] = (parts[0][l] + parts[2][l]) + (parts[1][l] + parts[3][l])
	}
}

func addGroups(slots []GroupSlot, idx []uint32, d *Group) {
	for _, j := range idx {
		u, s := &slots[j][0], &slots[j][1]
		for l := range u {
			u[l] += float32(d[l] * s[l])
		}
	}
}

func axpyGroups(slots []GroupSlot, idx []uint32, val []float32, d *Group) {
	for k, j := range idx {
		u, s, v := &slots[j][0], &slots[j][1], val[k]
		for l := range u {
			u[l] += float32(float32(d[l]*v) * s[l])
		}
	}
}

func sumGroups64(sum *Group64, table []Group64, idx []uint32) {
	var parts [4]Group64
	for k, j := range idx {
		part := &parts[k%4]
		for l, x := range &table[j] {
			part[l] += x
		}
	}
	combine(sum, &parts)
}

func addGroups64(table []Group64, idx []uint32, d *Group64) {
	for _, j := range idx {
		at := &table[j]
		for l := range at {
			at[l] += d[l]
		}
	}
}
