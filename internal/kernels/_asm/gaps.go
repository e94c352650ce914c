package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// shapeBytes is where the lengths begin among the shapes of gaps.
const shapeBytes = 256 * 16

// columnsOfGaps reads four gaps a turn: their bytes are put in place by a shuffle, which the control byte selects,
// and added up by two shifts of a vector.
func columnsOfGaps() {
	one := GLOBL("one", attr.RODATA|attr.NOPTR)
	for lane := range 4 {
		DATA(4*lane, operand.U32(1))
	}
	TEXT("columnsOfGapsVector",
		NOSPLIT, "func(dst []uint32, data, control []byte, shapes *[4352]uint8) (done, used int, outside bool)")
	dst := Load(Param("dst").Base(), GP64())
	left := Load(Param("dst").Len(), GP64())
	data := Load(Param("data").Base(), GP64())
	end := Load(Param("data").Len(), GP64())
	control := Load(Param("control").Base(), GP64())
	shapes := Load(Param("shapes"), GP64())
	at, k := GP64(), GP64()
	XORQ(at, at)
	XORQ(k, k)
	last, over, ones := XMM(), XMM(), XMM()
	VPCMPEQD(last, last, last) // the column before, from -1
	VPXOR(over, over, over)
	VMOVDQU(one, ones)
	SUBQ(operand.Imm(16), end)
	SHRQ(operand.Imm(2), left) // turns
	JE(operand.LabelRef("end"))
	Label("turn")
	CMPQ(at, end)
	JGT(operand.LabelRef("end"))
	code, shape := GP64(), GP64()
	MOVBQZX(operand.Mem{Base: control, Index: k, Scale: 1}, code)
	MOVQ(code, shape)
	SHLQ(operand.Imm(4), shape)
	gaps, sums, shifted := XMM(), XMM(), XMM()
	VMOVDQU(operand.Mem{Base: data, Index: at, Scale: 1}, gaps)
	VPSHUFB(operand.Mem{Base: shapes, Index: shape, Scale: 1}, gaps, gaps)
	VPOR(gaps, over, over)
	MOVBQZX(operand.Mem{Base: shapes, Index: code, Scale: 1, Disp: shapeBytes}, code)
	ADDQ(code, at)
	VPADDD(ones, gaps, sums)
	VPSLLDQ(operand.Imm(4), sums, shifted)
	VPADDD(shifted, sums, sums)
	VPSLLDQ(operand.Imm(8), sums, shifted)
	VPADDD(shifted, sums, sums)
	VPADDD(last, sums, sums)
	VPOR(sums, over, over)
	VPSHUFD(operand.Imm(0xff), sums, last)
	to := GP64()
	MOVQ(k, to)
	SHLQ(operand.Imm(4), to)
	VMOVDQU(sums, operand.Mem{Base: dst, Index: to, Scale: 1})
	INCQ(k)
	CMPQ(k, left)
	JLT(operand.LabelRef("turn"))
	Label("end")
	SHLQ(operand.Imm(2), k)
	Store(k, ReturnIndex(0))
	Store(at, ReturnIndex(1))
	tops := GP32()
	VMOVMSKPS(over, tops)
	TESTL(tops, tops)
	outside := GP8()
	SETNE(outside)
	Store(outside, ReturnIndex(2))
	RET()
}
