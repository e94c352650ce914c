// This file writes the assembly of the group kernels.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// parts are the terms that a sum takes up side by side.
const parts = 4

// writeGroups writes them all.
func writeGroups() {
	sumGroups("sumGroupsVector", "float32", 1, VADDPS, nil)
	sumGroups("dotGroupsVector", "float32", 1, VADDPS, VMULPS)
	addGroups("addGroupsVector", false)
	addGroups("axpyGroupsVector", true)
	sumGroups("sumGroups64Vector", "float64", 2, VADDPD, nil)
	prefetchGroups()
}

type operation func(ops ...operand.Op)

// groupRow is where the loop of a kernel is: at the id at k.
type groupRow struct {
	table, n, idx, count, val, k reg.Register
}

// begin loads what all kernels have in common.
func begin(valued bool) *groupRow {
	r := &groupRow{
		table: Load(Param("table").Base(), GP64()), n: Load(Param("table").Len(), GP64()),
		idx: Load(Param("idx").Base(), GP64()), count: Load(Param("idx").Len(), GP64()),
		k: GP64(),
	}
	if valued {
		r.val = Load(Param("val").Base(), GP64())
	}
	XORQ(r.k, r.k)
	return r
}

// id returns the i-th from k; one outside the table ends the loop.
func (r *groupRow) id(i int) reg.GPVirtual {
	id := GP64()
	MOVL(operand.Mem{Base: r.idx, Index: r.k, Scale: 4, Disp: 4 * i}, id.As32())
	CMPQ(id, r.n)
	JCC(operand.LabelRef("end"))
	return id
}

// groupShift is the logarithm of the bytes of a group's vector.
const groupShift = 5

// loop calls body for turns of several ids and then for each of the rest.
func (r *groupRow) loop(turn int, body func(i int)) {
	full := GP64()
	MOVQ(r.count, full)
	SUBQ(operand.Imm(uint64(turn)), full)
	JLT(operand.LabelRef("rest"))
	Label("turn")
	for i := range turn {
		body(i)
	}
	ADDQ(operand.Imm(uint64(turn)), r.k)
	CMPQ(r.k, full)
	JLE(operand.LabelRef("turn"))
	Label("rest")
}

// sumGroups writes a kernel that adds up entries of so many vectors, times a value where mul is not nil.
func sumGroups(name, number string, vectors int, add, mul operation) {
	valued := mul != nil
	arguments := "sum *[8]" + number + ", table [][8]" + number + ", idx []uint32"
	if valued {
		arguments += ", val []float32"
	}
	TEXT(name, NOSPLIT, "func("+arguments+") (done int)")
	sums := make([][]reg.VecVirtual, parts)
	for p := range sums {
		for range vectors {
			v := YMM()
			VXORPS(v, v, v)
			sums[p] = append(sums[p], v)
		}
	}
	r := begin(valued)
	term := func(i, part int) {
		at := r.id(i)
		SHLQ(operand.Imm(uint64(groupShift+vectors-1)), at)
		var value reg.VecVirtual
		if valued {
			value = YMM()
			VBROADCASTSS(operand.Mem{Base: r.val, Index: r.k, Scale: 4, Disp: 4 * i}, value)
		}
		for v := range vectors {
			entry := operand.Mem{Base: r.table, Index: at, Scale: 1, Disp: 32 * v}
			if !valued {
				add(entry, sums[part][v], sums[part][v])
				continue
			}
			product := YMM()
			mul(entry, value, product)
			add(product, sums[part][v], sums[part][v])
		}
	}
	r.loop(parts, func(i int) { term(i, i) })
	for p := range parts - 1 {
		CMPQ(r.k, r.count)
		JGE(operand.LabelRef("end"))
		term(0, p)
		INCQ(r.k)
	}
	Label("end")
	to := Load(Param("sum"), GP64())
	for v := range vectors {
		add(sums[2][v], sums[0][v], sums[0][v])
		add(sums[3][v], sums[1][v], sums[1][v])
		add(sums[1][v], sums[0][v], sums[0][v])
		VMOVUPS(sums[0][v], operand.Mem{Base: to, Disp: 32 * v})
	}
	VZEROUPPER()
	Store(r.k, ReturnIndex(0))
	RET()
}

// eachID calls body for every id, one at a time.
func (r *groupRow) eachID(body func()) {
	Label("turn")
	CMPQ(r.k, r.count)
	JGE(operand.LabelRef("end"))
	body()
	INCQ(r.k)
	JMP(operand.LabelRef("turn"))
	Label("end")
	VZEROUPPER()
	Store(r.k, ReturnIndex(0))
	RET()
}

func addGroups(name string, valued bool) {
	arguments := "table [][8]float32, scales []float32, idx []uint32"
	if valued {
		arguments += ", val []float32"
	}
	TEXT(name, NOSPLIT, "func("+arguments+", d *[8]float32) (done int)")
	r := begin(valued)
	from, scales, d := Load(Param("d"), GP64()), Load(Param("scales").Base(), GP64()), YMM()
	VMOVUPS(operand.Mem{Base: from}, d)
	r.eachID(func() {
		at, s := r.id(0), YMM()
		VBROADCASTSS(operand.Mem{Base: scales, Index: at, Scale: 4}, s)
		SHLQ(operand.Imm(groupShift), at)
		u := operand.Mem{Base: r.table, Index: at, Scale: 1}
		product, step := YMM(), d
		if valued {
			step = YMM()
			VBROADCASTSS(operand.Mem{Base: r.val, Index: r.k, Scale: 4}, step)
			VMULPS(step, d, step)
		}
		VMULPS(s, step, product)
		VADDPS(u, product, product)
		VMOVUPS(product, u)
	})
}

// prefetchGroups goes through a row from its end.
func prefetchGroups() {
	TEXT("prefetchGroups", NOSPLIT, "func(table *byte, idx []uint32, from uint32)")
	table := Load(Param("table"), GP64())
	idx := Load(Param("idx").Base(), GP64())
	k := Load(Param("idx").Len(), GP64())
	from := Load(Param("from"), GP32())
	Label("turn")
	DECQ(k)
	JLT(operand.LabelRef("end"))
	id := GP64()
	MOVL(operand.Mem{Base: idx, Index: k, Scale: 4}, id.As32())
	CMPL(id.As32(), from)
	JCS(operand.LabelRef("end"))
	SHLQ(operand.Imm(groupShift), id)
	PREFETCHT0(operand.Mem{Base: table, Index: id, Scale: 1})
	JMP(operand.LabelRef("turn"))
	Label("end")
	RET()
}
