// This file writes the assembly of the row kernels.

package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const lanes = 8

// writeRows writes them all.
func writeRows() {
	tailMasks()
	sumSlots()
	addSlots()
	dotSlots()
	axpySlots()
	sumScales()
	sum64()
	add64()
	dot64()
	sumSquares64()
	axpy64()
	prefetchEntries()
	prefetchIDs()
	prefetchLine()
	columnsOfGaps()
}

// row is where the loop of a kernel is: at the ids from k on.
type row struct {
	table, idx, val, k reg.Register
}

// entry loads the i-th id of a turn and returns the entry that it names.
func (r row) entry(i int) operand.Mem {
	id := GP64()
	MOVL(operand.Mem{Base: r.idx, Index: r.k, Scale: 4, Disp: 4 * i}, id.As32())
	return operand.Mem{Base: r.table, Index: id, Scale: 8}
}

// value returns the i-th value of a turn.
func (r row) value(i int) operand.Mem {
	return operand.Mem{Base: r.val, Index: r.k, Scale: 4, Disp: 4 * i}
}

// loop calls body for the eight ids of every turn, then for each of the rest, whose
// lane is the place in the turn. Ids are compared with the table's length first; a turn,
// or a rest, of which one is outside ends the loop. It returns the number of ids done.
func loop(valued bool, body func(r row, lane int)) reg.Register {
	var r row
	r.table = Load(Param("table").Base(), GP64())
	last := broadcast(Load(Param("table").Len(), GP64()))
	r.idx = Load(Param("idx").Base(), GP64())
	left := Load(Param("idx").Len(), GP64())
	if valued {
		r.val = Load(Param("val").Base(), GP64())
	}
	r.k = GP64()
	XORQ(r.k, r.k)
	SUBQ(operand.Imm(lanes), left)
	JLT(operand.LabelRef("rest"))
	Label("turn")
	ids := YMM()
	VMOVDQU(operand.Mem{Base: r.idx, Index: r.k, Scale: 4}, ids)
	endUnlessInside(ids, last)
	for lane := range lanes {
		body(r, lane)
	}
	ADDQ(operand.Imm(lanes), r.k)
	SUBQ(operand.Imm(lanes), left)
	JGE(operand.LabelRef("turn"))
	Label("rest")
	ADDQ(operand.Imm(lanes), left)
	JE(operand.LabelRef("end"))
	first := GP64()
	LEAQ(leading, first)
	NEGQ(left)
	mask := YMM()
	VMOVDQU(operand.Mem{Base: first, Index: left, Scale: 4, Disp: 4 * lanes}, mask)
	NEGQ(left)
	ids = YMM()
	VPMASKMOVD(operand.Mem{Base: r.idx, Index: r.k, Scale: 4}, mask, ids) // 0 beyond the row
	endUnlessInside(ids, last)
	for lane := range lanes - 1 {
		if lane > 0 {
			CMPQ(left, operand.Imm(uint64(lane)))
			JE(operand.LabelRef("all"))
		}
		body(r, lane)
	}
	Label("all")
	ADDQ(left, r.k)
	Label("end")
	return r.k
}

// broadcast returns the last of n ids, eight times.
func broadcast(n reg.Register) reg.VecVirtual {
	last := YMM()
	DECQ(n)
	VMOVD(n.(reg.GPVirtual).As32(), last.AsX())
	VPBROADCASTD(last.AsX(), last)
	return last
}

// endUnlessInside ends the loop at ids of which one is larger than last.
func endUnlessInside(ids, last reg.VecVirtual) {
	least, inside := YMM(), GP32()
	VPMINUD(ids, last, least)
	VPCMPEQD(ids, least, least)
	VPMOVMSKB(least, inside)
	CMPL(inside, operand.I32(-1))
	JNE(operand.LabelRef("end"))
}

// leading is a mask of eight ids and one of none behind it: what begins so many before
// the second has the first so many ids.
var leading operand.Mem

func tailMasks() {
	leading = GLOBL("leading", attr.RODATA|attr.NOPTR)
	for i := range 2 * lanes {
		var all operand.U32
		if i < lanes {
			all--
		}
		DATA(4*i, all)
	}
}

// accumulators returns eight zeros.
func accumulators() []reg.VecVirtual {
	sums := make([]reg.VecVirtual, lanes)
	for l := range sums {
		sums[l] = XMM()
		VXORPS(sums[l], sums[l], sums[l])
	}
	return sums
}

// combine adds the lanes in the order of the package comment and returns the sum.
func combine(sums []reg.VecVirtual, done reg.Register, add func(ops ...operand.Op)) {
	for _, pair := range [][2]int{{0, 4}, {2, 6}, {1, 5}, {3, 7}, {0, 2}, {1, 3}, {0, 1}} {
		add(sums[pair[1]], sums[pair[0]], sums[pair[0]])
	}
	VZEROUPPER() // which leaves the sum
	Store(sums[0], Return("sum"))
	Store(done, Return("done"))
	RET()
}

func sumSlots() {
	TEXT("sumSlotsVector", NOSPLIT, "func(table []uint64, idx []uint32) (sum float32, done int)")
	sums := accumulators()
	done := loop(false, func(r row, l int) { VADDSS(r.entry(l), sums[l], sums[l]) })
	combine(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
}

func sumScales() {
	TEXT("sumScalesVector", NOSPLIT, "func(table []uint64, idx []uint32) (sum float32, done int)")
	sums := accumulators()
	done := loop(false, func(r row, l int) {
		slot := r.entry(l)
		slot.Disp = 4
		VADDSS(slot, sums[l], sums[l])
	})
	combine(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
}

func dotSlots() {
	TEXT("dotSlotsVector", NOSPLIT, "func(table []uint64, idx []uint32, val []float32) (sum float32, done int)")
	sums := accumulators()
	done := loop(true, func(r row, l int) {
		product := XMM()
		VMOVSS(r.value(l), product)
		VMULSS(r.entry(l), product, product)
		VADDSS(product, sums[l], sums[l])
	})
	combine(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
}

// step adds d·S to U: both come with one load, and U alone goes back.
func step(slot operand.Mem, d reg.Register) {
	both, product := XMM(), XMM()
	VMOVSD(slot, both)
	VMOVSHDUP(both, product)
	VMULSS(d, product, product)
	VADDSS(product, both, both)
	VMOVSS(both, slot)
}

func addSlots() {
	TEXT("addSlotsVector", NOSPLIT, "func(table []uint64, idx []uint32, d float32) (done int)")
	d := Load(Param("d"), XMM())
	done := loop(false, func(r row, l int) { step(r.entry(l), d) })
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

func axpySlots() {
	TEXT("axpySlotsVector", NOSPLIT, "func(table []uint64, idx []uint32, val []float32, d float32) (done int)")
	d := Load(Param("d"), XMM())
	done := loop(true, func(r row, l int) {
		scaled := XMM()
		VMULSS(r.value(l), d, scaled)
		step(r.entry(l), scaled)
	})
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

func sum64() {
	TEXT("sum64Vector", NOSPLIT, "func(table []float64, idx []uint32) (sum float64, done int)")
	sums := accumulators()
	done := loop(false, func(r row, l int) { VADDSD(r.entry(l), sums[l], sums[l]) })
	combine(sums, done, func(ops ...operand.Op) { VADDSD(ops[0], ops[1], ops[2]) })
}

func add64() {
	TEXT("add64Vector", NOSPLIT, "func(table []float64, idx []uint32, d float64) (done int)")
	d := Load(Param("d"), XMM())
	done := loop(false, func(r row, l int) {
		sum, at := XMM(), r.entry(l)
		VADDSD(at, d, sum)
		VMOVSD(sum, at)
	})
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

// double loads the i-th value of a turn. The load leaves nothing of what the register
// held for the conversion to wait for.
func (r row) double(i int) reg.VecVirtual {
	v := XMM()
	VMOVSS(r.value(i), v)
	VCVTSS2SD(v, v, v)
	return v
}

func dot64() {
	TEXT("dot64Vector", NOSPLIT, "func(table []float64, idx []uint32, val []float32) (sum float64, done int)")
	sums := accumulators()
	done := loop(true, func(r row, l int) {
		product := r.double(l)
		VMULSD(r.entry(l), product, product)
		VADDSD(product, sums[l], sums[l])
	})
	combine(sums, done, func(ops ...operand.Op) { VADDSD(ops[0], ops[1], ops[2]) })
}

func sumSquares64() {
	TEXT("sumSquares64Vector", NOSPLIT, "func(table []float64, idx []uint32, val []float32) (sum float64, done int)")
	sums := accumulators()
	done := loop(true, func(r row, l int) {
		product := r.double(l)
		VMULSD(product, product, product)
		VMULSD(r.entry(l), product, product)
		VADDSD(product, sums[l], sums[l])
	})
	combine(sums, done, func(ops ...operand.Op) { VADDSD(ops[0], ops[1], ops[2]) })
}

func axpy64() {
	TEXT("axpy64Vector", NOSPLIT, "func(table []float64, idx []uint32, val []float32, d float64) (done int)")
	d := Load(Param("d"), XMM())
	done := loop(true, func(r row, l int) {
		product, at := r.double(l), r.entry(l)
		VMULSD(product, d, product)
		VADDSD(at, product, product)
		VMOVSD(product, at)
	})
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

// prefetchEntries goes through a row from its end.
func prefetchEntries() {
	TEXT("prefetchEntries", NOSPLIT, "func(table []uint64, idx []uint32, from uint32)")
	table := Load(Param("table").Base(), GP64())
	idx := Load(Param("idx").Base(), GP64())
	k := Load(Param("idx").Len(), GP64())
	from := Load(Param("from"), GP32())
	SUBQ(operand.Imm(4), k)
	JLT(operand.LabelRef("end"))
	Label("turn")
	first := GP64()
	for i := range 4 {
		id := GP64()
		if i == 0 {
			id = first
		}
		MOVL(operand.Mem{Base: idx, Index: k, Scale: 4, Disp: 4 * i}, id.As32())
		PREFETCHT0(operand.Mem{Base: table, Index: id, Scale: 8})
	}
	CMPL(first.As32(), from)
	JCS(operand.LabelRef("end"))
	SUBQ(operand.Imm(4), k)
	JGE(operand.LabelRef("turn"))
	Label("end")
	RET()
}

// prefetchIDs asks for every cache line of a row.
func prefetchIDs() {
	TEXT("prefetchIDs", NOSPLIT, "func(idx []uint32)")
	at := Load(Param("idx").Base(), GP64())
	left := Load(Param("idx").Len(), GP64())
	Label("line")
	PREFETCHT0(operand.Mem{Base: at})
	ADDQ(operand.Imm(64), at)
	SUBQ(operand.Imm(16), left)
	JGT(operand.LabelRef("line"))
	RET()
}

func prefetchLine() {
	TEXT("prefetchLine", NOSPLIT, "func(p *byte)")
	PREFETCHT0(operand.Mem{Base: Load(Param("p"), GP64())})
	RET()
}
