package kernels

// GroupSize is how many classes' numbers of a feature lie side by side.
const GroupSize = 8

// Group holds a number of each of GroupSize classes for one feature or one row, so
// that a row's dot products with all of them are sums of contiguous vectors. The sums
// of the group kernels are in four parts, term k in part k%4, which are added as (0+2)+(1+3).
type Group = [GroupSize]float32

// Group64 is a Group in double precision.
type Group64 = [GroupSize]float64

// DotGroups sets sum to Σ val[k]·table[idx[k]]. Values that are nil are all 1, as in the kernels below.
func DotGroups(sum *Group, table []Group, idx []uint32, val []float32) {
	if val == nil {
		if !useVectors || sumGroupsVector(sum, table, idx) != len(idx) {
			sumGroups(sum, table, idx)
		}
		return
	}
	checkLengths(len(idx), len(val))
	if useVectors && dotGroupsVector(sum, table, idx, val) == len(idx) {
		return
	}
	dotGroups(sum, table, idx, val)
}

// AxpyGroups adds (d·val[k])·scales[idx[k]], each product rounded, to table[idx[k]], for every k. There are as many
// scales as entries.
func AxpyGroups(table []Group, scales []float32, idx []uint32, val []float32, d *Group) {
	checkLengths(len(table), len(scales))
	if val == nil {
		if useVectors {
			idx = idx[addGroupsVector(table, scales, idx, d):]
		}
		addGroups(table, scales, idx, d)
		return
	}
	checkLengths(len(idx), len(val))
	if useVectors {
		done := axpyGroupsVector(table, scales, idx, val, d)
		idx, val = idx[done:], val[done:]
	}
	axpyGroups(table, scales, idx, val, d)
}

// DotGroups64 sets sum to Σ val[k]·table[idx[k]].
func DotGroups64(sum *Group64, table []Group64, idx []uint32, val []float32) {
	if val == nil {
		if !useVectors || sumGroups64Vector(sum, table, idx) != len(idx) {
			sumGroups(sum, table, idx)
		}
		return
	}
	checkLengths(len(idx), len(val))
	var parts [4]Group64
	for k, j := range idx {
		part, v := &parts[k%4], float64(val[k])
		for l, x := range &table[j] {
			part[l] += float64(v * x)
		}
	}
	combine(sum, &parts)
}

// The plain loops of the group kernels that have assembly: see slots.go.

func sumGroups[F float32 | float64](sum *[GroupSize]F, table [][GroupSize]F, idx []uint32) {
	var parts [4][GroupSize]F
	for k, j := range idx {
		part := &parts[k%4]
		for l, x := range &table[j] {
			part[l] += x
		}
	}
	combine(sum, &parts)
}

func dotGroups(sum *Group, table []Group, idx []uint32, val []float32) {
	var parts [4]Group
	for k, j := range idx {
		part, v := &parts[k%4], val[k]
		for l, x := range &table[j] {
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

func addGroups(table []Group, scales []float32, idx []uint32, d *Group) {
	for _, j := range idx {
		u, s := &table[j], scales[j]
		for l := range u {
			u[l] += float32(d[l] * s)
		}
	}
}

func axpyGroups(table []Group, scales []float32, idx []uint32, val []float32, d *Group) {
	for k, j := range idx {
		u, s, v := &table[j], scales[j], val[k]
		for l := range u {
			u[l] += float32(float32(d[l]*v) * s)
		}
	}
}
