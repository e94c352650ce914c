// Command rows writes the assembly of the row kernels.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const lanes = 8

func main() {
	ConstraintExpr("!purego")
	sumSlots()
	addSlots()
	dotSlots()
	axpySlots()
	sum64()
	add64()
	sumScales()
	prefetchEntries()
	prefetchIDs()
	prefetchLine()
	Generate()
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

// value is the i-th value of a turn.
func (r row) value(i int) operand.Mem {
	return operand.Mem{Base: r.val, Index: r.k, Scale: 4, Disp: 4 * i}
}

// loop calls body for the eight ids of every turn, then for each of the rest, whose
// lane is the place in the turn. Ids are compared with the table's length first; one
// that is outside ends the loop. It returns the number of ids done.
func loop(valued bool, body func(r row, lane int)) reg.Register {
	var r row
	r.table = Load(Param("table").Base(), GP64())
	n := Load(Param("table").Len(), GP64())
	r.idx = Load(Param("idx").Base(), GP64())
	count := Load(Param("idx").Len(), GP64())
	if valued {
		r.val = Load(Param("val").Base(), GP64())
	}
	last := YMM()
	DECQ(n)
	VMOVD(n.(reg.GPVirtual).As32(), last.AsX())
	VPBROADCASTD(last.AsX(), last)
	r.k = GP64()
	XORQ(r.k, r.k)
	full := GP64()
	MOVQ(count, full)
	SUBQ(operand.Imm(lanes), full)
	JLT(operand.LabelRef("rest"))
	Label("turn")
	ids, least, inside := YMM(), YMM(), GP32()
	VMOVDQU(operand.Mem{Base: r.idx, Index: r.k, Scale: 4}, ids)
	VPMINUD(ids, last, least)
	VPCMPEQD(ids, least, least)
	VPMOVMSKB(least, inside)
	CMPL(inside, operand.I32(-1))
	JNE(operand.LabelRef("end"))
	for lane := range lanes {
		body(r, lane)
	}
	ADDQ(operand.Imm(lanes), r.k)
	CMPQ(r.k, full)
	JLE(operand.LabelRef("turn"))
	Label("rest")
	for lane := range lanes - 1 {
		CMPQ(r.k, count)
		JGE(operand.LabelRef("end"))
		id := GP32()
		MOVL(operand.Mem{Base: r.idx, Index: r.k, Scale: 4}, id)
		CMPL(n.(reg.GPVirtual).As32(), id)
		JCS(operand.LabelRef("end"))
		rest := r
		body(rest.at(lane), lane)
		INCQ(r.k)
	}
	Label("end")
	return r.k
}

// at makes the lane-th id of a turn the one at k.
func (r row) at(lane int) row {
	r.idx = shifted(r.idx, lane)
	if r.val != nil {
		r.val = shifted(r.val, lane)
	}
	return r
}

// shifted is a pointer so many entries of four bytes before p.
func shifted(p reg.Register, entries int) reg.Register {
	if entries == 0 {
		return p
	}
	before := GP64()
	LEAQ(operand.Mem{Base: p, Disp: -4 * entries}, before)
	return before
}

// accumulators are eight zeros.
func accumulators() []reg.VecVirtual {
	sums := make([]reg.VecVirtual, lanes)
	for l := range sums {
		sums[l] = XMM()
		VXORPS(sums[l], sums[l], sums[l])
	}
	return sums
}

// meet adds the lanes in the order of the package comment and returns the sum.
func meet(sums []reg.VecVirtual, done reg.Register, add func(ops ...operand.Op)) {
	for _, pair := range [][2]int{{0, 4}, {2, 6}, {1, 5}, {3, 7}, {0, 2}, {1, 3}, {0, 1}} {
		add(sums[pair[1]], sums[pair[0]], sums[pair[0]])
	}
	Store(sums[0], Return("sum"))
	Store(done, Return("done"))
	VZEROUPPER()
	RET()
}

// document is a kernel's comment, and what all of them have in common.
func document(text string) {
	Pragma("noescape")
	Doc(text, "It ends at the first id outside the table, which has 1 to 2³² entries, or, in", "whole turns of eight, before it.")
}

func sumSlots() {
	TEXT("sumSlotsAVX2", NOSPLIT, "func(table []uint64, idx []uint32) (sum float32, done int)")
	document("sumSlotsAVX2 is SumSlots.")
	sums := accumulators()
	done := loop(false, func(r row, l int) { VADDSS(r.entry(l), sums[l], sums[l]) })
	meet(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
}

func sumScales() {
	TEXT("sumScalesAVX2", NOSPLIT, "func(table []uint64, idx []uint32) (sum float32, done int)")
	document("sumScalesAVX2 is SumScales.")
	sums := accumulators()
	done := loop(false, func(r row, l int) {
		slot := r.entry(l)
		slot.Disp = 4
		VADDSS(slot, sums[l], sums[l])
	})
	meet(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
}

func dotSlots() {
	TEXT("dotSlotsAVX2", NOSPLIT, "func(table []uint64, idx []uint32, val []float32) (sum float32, done int)")
	document("dotSlotsAVX2 is DotSlots.")
	sums := accumulators()
	done := loop(true, func(r row, l int) {
		product := XMM()
		VMOVSS(r.value(l), product)
		VMULSS(r.entry(l), product, product)
		VADDSS(product, sums[l], sums[l])
	})
	meet(sums, done, func(ops ...operand.Op) { VADDSS(ops[0], ops[1], ops[2]) })
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
	TEXT("addSlotsAVX2", NOSPLIT, "func(table []uint64, idx []uint32, d float32) (done int)")
	document("addSlotsAVX2 is AddSlots.")
	d := Load(Param("d"), XMM())
	done := loop(false, func(r row, l int) { step(r.entry(l), d) })
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

func axpySlots() {
	TEXT("axpySlotsAVX2", NOSPLIT, "func(table []uint64, idx []uint32, val []float32, d float32) (done int)")
	document("axpySlotsAVX2 is AxpySlots.")
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
	TEXT("sum64AVX2", NOSPLIT, "func(table []float64, idx []uint32) (sum float64, done int)")
	document("sum64AVX2 is Sum64.")
	sums := accumulators()
	done := loop(false, func(r row, l int) { VADDSD(r.entry(l), sums[l], sums[l]) })
	meet(sums, done, func(ops ...operand.Op) { VADDSD(ops[0], ops[1], ops[2]) })
}

func add64() {
	TEXT("add64AVX2", NOSPLIT, "func(table []float64, idx []uint32, d float64) (done int)")
	document("add64AVX2 is Add64.")
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

// prefetchEntries goes through a row from its end.
func prefetchEntries() {
	TEXT("prefetchEntries", NOSPLIT, "func(table []uint64, idx []uint32, from uint32)")
	Pragma("noescape")
	Doc("prefetchEntries prefetches the entries of the ids at the row's end that are from or larger.")
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
	Pragma("noescape")
	Doc("prefetchIDs prefetches the row itself.")
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
	Pragma("noescape")
	Doc("prefetchLine prefetches the cache line of p.")
	PREFETCHT0(operand.Mem{Base: Load(Param("p"), GP64())})
	RET()
}
