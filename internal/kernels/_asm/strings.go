// This file writes the assembly that looks for what ends a plain part of a JSON
// string.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Control characters are those up to lastControl.
const lastControl = 0x1f

// writeStrings looks at a vector a turn, for as long as there is a whole one.
func writeStrings() {
	const width = 32
	TEXT("plainPrefixVector", NOSPLIT, "func(text []uint8) (n int)")
	quote, slash, control := everyByte('"'), everyByte('\\'), everyByte(lastControl)
	text := Load(Param("text").Base(), GP64())
	left := Load(Param("text").Len(), GP64())
	n := GP64()
	XORQ(n, n)
	SUBQ(operand.Imm(width), left)
	JLT(operand.LabelRef("end"))
	Label("loop")
	bits := special(operand.Mem{Base: text, Index: n, Scale: 1}, quote, slash, control)
	TESTQ(bits, bits)
	JNE(operand.LabelRef("found"))
	ADDQ(operand.Imm(width), n)
	CMPQ(n, left)
	JLE(operand.LabelRef("loop"))
	JMP(operand.LabelRef("end"))
	Label("found")
	TZCNTQ(bits, bits)
	ADDQ(bits, n)
	Label("end")
	VZEROUPPER()
	Store(n, Return("n"))
	RET()
}

// everyByte returns a vector that has a byte everywhere.
func everyByte(b byte) reg.VecVirtual {
	c, v := GP32(), YMM()
	MOVL(operand.U32(uint32(b)), c)
	VMOVD(c, v.AsX())
	VPBROADCASTB(v.AsX(), v)
	return v
}

// special has a bit for every byte that is not plain.
func special(text operand.Mem, quote, slash, control reg.VecVirtual) reg.GPVirtual {
	v, quotes, slashes, controls, bits := YMM(), YMM(), YMM(), YMM(), GP64()
	VMOVDQU(text, v)
	VPCMPEQB(quote, v, quotes)
	VPCMPEQB(slash, v, slashes)
	VPMINUB(control, v, controls)
	VPCMPEQB(v, controls, controls)
	VPOR(quotes, slashes, slashes)
	VPOR(slashes, controls, controls)
	VPMOVMSKB(controls, bits.As32()) // the upper half is cleared
	return bits
}
