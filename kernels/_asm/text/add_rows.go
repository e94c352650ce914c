package text

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rowUnit   = 8  // kernels.RowUnit
	rowsAhead = 64 // kernels.RowsAhead
)

// addRows adds up to most units of all rows in registers, then the next ones: a sum waits
// for the one before, but not for memory, where it would lie between two rows.
func addRows(name string, vector func() reg.VecVirtual, size int) {
	const most = 4
	TEXT("addRows"+name, NOSPLIT, "func(sums, table []float64, rows []uint32, n, height int) (ok bool)")
	Pragma("noescape")
	Doc("addRows"+name+" is addRows of at least one row, if there are rows of these numbers: it is", "not ok otherwise, and the sums are as good as lost.")
	sums := Load(Param("sums").Base(), GP64())
	left := GP64()
	Load(Param("sums").Len(), left)
	table := Load(Param("table").Base(), GP64())
	first := Load(Param("rows").Base(), GP64())
	end, far := GP64(), GP64()
	Load(Param("n"), end)
	LEAQ(operand.Mem{Base: first, Index: end, Scale: 4}, end)
	Load(Param("rows").Len(), far)
	LEAQ(operand.Mem{Base: first, Index: far, Scale: 4, Disp: -4 * rowsAhead}, far)
	width := GP64()
	height := Load(Param("height"), GP64())
	MOVQ(left, width)
	SHLQ(operand.Imm(3), width) // bytes
	for units := most; units > 0; units-- {
		again, next := "units"+strconv.Itoa(units), "below"+strconv.Itoa(units)
		Label(again)
		CMPQ(left, operand.Imm(uint64(units*rowUnit)))
		JLT(ref(next))
		accumulators := make([]reg.VecVirtual, units*rowUnit*8/size)
		for i := range accumulators {
			accumulators[i] = vector()
			VMOVUPD(operand.Mem{Base: sums, Disp: i * size}, accumulators[i])
		}
		at, row := GP64(), GP64()
		MOVQ(first, at)
		loop, asked := "rows"+strconv.Itoa(units), "asked"+strconv.Itoa(units)
		Label(loop)
		CMPQ(at, far)
		JGE(ref(asked))
		MOVL(operand.Mem{Base: at, Disp: 4 * rowsAhead}, row.As32())
		IMULQ(width, row)
		for i := range units {
			PREFETCHT0(operand.Mem{Base: table, Index: row, Scale: 1, Disp: i * rowUnit * 8})
		}
		Label(asked)
		MOVL(operand.Mem{Base: at}, row.As32())
		CMPQ(row, height)
		JAE(ref("bad"))
		IMULQ(width, row)
		for i, sum := range accumulators {
			VADDPD(operand.Mem{Base: table, Index: row, Scale: 1, Disp: i * size}, sum, sum)
		}
		ADDQ(operand.Imm(4), at)
		CMPQ(at, end)
		JB(ref(loop))
		for i, sum := range accumulators {
			VMOVUPD(sum, operand.Mem{Base: sums, Disp: i * size})
		}
		ADDQ(operand.U32(units*rowUnit*8), sums)
		ADDQ(operand.U32(units*rowUnit*8), table)
		SUBQ(operand.Imm(uint64(units*rowUnit)), left)
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
