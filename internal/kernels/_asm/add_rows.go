package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	unitBytes = 32 // of a unit's numbers: kernels.RowUnit of float32, or kernels.WholeUnit of int16
	rowsAhead = 64 // kernels.RowsAhead
)

// numbers is the type of a table's numbers: their size, and how they are added to a vector of sums, which are twice as
// wide.
type numbers struct {
	bits int // the logarithm of their bytes
	add  func(numbers operand.Mem, sum reg.VecVirtual)
}

var float32s = numbers{2, func(numbers operand.Mem, sum reg.VecVirtual) {
	x := YMM()
	VCVTPS2PD(numbers, x)
	VADDPD(x, sum, sum)
}}

var int16s = numbers{1, func(numbers operand.Mem, sum reg.VecVirtual) {
	x := YMM()
	VPMOVSXWD(numbers, x)
	VPADDD(x, sum, sum)
}}

const vectorBytes = 32

// addRows writes AddRows.
func addRows() {
	TEXT("addRowsVector",
		NOSPLIT, "func(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool)")
	eachRow(float32s, 4)
}

// addWholeRows writes AddWholeRows, which adds up six units at once.
func addWholeRows() {
	TEXT("addWholeRowsVector",
		NOSPLIT, "func(sums []int32, table []int16, pitch int, rows []uint32, n, height int) (ok bool)")
	eachRow(int16s, 6)
}

// eachRow adds up to most units of all rows in registers, then the next ones: a sum waits for the one before, but not
// for memory, where it would lie between two rows.
func eachRow(v numbers, most int) {
	sums, table := Load(Param("sums").Base(), GP64()), Load(Param("table").Base(), GP64())
	left := GP64()
	Load(Param("sums").Len(), left)
	first := Load(Param("rows").Base(), GP64())
	end, far := GP64(), GP64()
	Load(Param("n"), end)
	LEAQ(operand.Mem{Base: first, Index: end, Scale: 4}, end)
	Load(Param("rows").Len(), far)
	LEAQ(operand.Mem{Base: first, Index: far, Scale: 4, Disp: -4 * rowsAhead}, far)
	pitch := GP64()
	Load(Param("pitch"), pitch)
	SHLQ(operand.Imm(uint64(v.bits)), pitch) // bytes
	height := Load(Param("height"), GP64())
	unit := unitBytes >> v.bits
	for units := most; units > 0; units-- {
		again, next := "units"+strconv.Itoa(units), "below"+strconv.Itoa(units)
		Label(again)
		CMPQ(left, operand.U32(units*unit))
		JLT(ref(next))
		accumulators := make([]reg.VecVirtual, units*2*unitBytes/vectorBytes)
		for i := range accumulators {
			accumulators[i] = YMM()
			VMOVUPD(operand.Mem{Base: sums, Disp: i * vectorBytes}, accumulators[i])
		}
		at, row := GP64(), GP64()
		MOVQ(first, at)
		loop, asked := "rows"+strconv.Itoa(units), "asked"+strconv.Itoa(units)
		Label(loop)
		CMPQ(at, far)
		JGE(ref(asked))
		MOVL(operand.Mem{Base: at, Disp: 4 * rowsAhead}, row.As32())
		IMULQ(pitch, row)
		prefetch(table, row, units)
		Label(asked)
		MOVL(operand.Mem{Base: at}, row.As32())
		CMPQ(row, height)
		JAE(ref("bad"))
		IMULQ(pitch, row)
		for i, sum := range accumulators {
			v.add(operand.Mem{Base: table, Index: row, Scale: 1, Disp: i * vectorBytes / 2}, sum)
		}
		ADDQ(operand.Imm(4), at)
		CMPQ(at, end)
		JB(ref(loop))
		for i, sum := range accumulators {
			VMOVUPD(sum, operand.Mem{Base: sums, Disp: i * vectorBytes})
		}
		ADDQ(operand.U32(2*units*unitBytes), sums)
		ADDQ(operand.U32(units*unitBytes), table)
		SUBQ(operand.U32(units*unit), left)
		if units == most {
			JMP(ref(again))
		}
		Label(next)
	}
	ok := GP8()
	MOVB(operand.Imm(1), ok)
	Label("end")
	VZEROUPPER()
	Store(ok, Return("ok"))
	RET()
	Label("bad")
	XORB(ok, ok)
	JMP(ref("end"))
}

// prefetch asks for the units of the row that is so many bytes behind the first.
func prefetch(table, row reg.Register, units int) {
	for disp := 0; disp < units*unitBytes; disp += 64 {
		PREFETCHT0(operand.Mem{Base: table, Index: row, Scale: 1, Disp: disp})
	}
	if units%2 == 0 { // a line more, if they begin in the middle of one
		PREFETCHT0(operand.Mem{Base: table, Index: row, Scale: 1, Disp: units*unitBytes - 4})
	}
}
