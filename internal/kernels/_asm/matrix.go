package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mulMatrix keeps the sums of a block in four registers.
func mulMatrix() {
	const registers = 4
	TEXT("mulMatrixVector", NOSPLIT, "func(dst, matrix, x []float32)")
	dst := Load(Param("dst").Base(), GP64())
	left := Load(Param("dst").Len(), GP64())
	matrix := Load(Param("matrix").Base(), GP64())
	x := Load(Param("x").Base(), GP64())
	end := Load(Param("x").Len(), GP64())
	LEAQ(operand.Mem{Base: x, Index: end, Scale: 4}, end)
	Label("block")
	var sums [registers]reg.VecVirtual
	for i := range sums {
		sums[i] = YMM()
		VXORPS(sums[i], sums[i], sums[i])
	}
	at := GP64()
	MOVQ(x, at)
	Label("column")
	v := YMM()
	VBROADCASTSS(operand.Mem{Base: at}, v)
	for i := range sums {
		product := YMM()
		VMULPS(operand.Mem{Base: matrix, Disp: 32 * i}, v, product)
		VADDPS(product, sums[i], sums[i])
	}
	ADDQ(operand.U32(32*registers), matrix)
	ADDQ(operand.Imm(4), at)
	CMPQ(at, end)
	JB(operand.LabelRef("column"))
	for i := range sums {
		VMOVUPS(sums[i], operand.Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(operand.U32(32*registers), dst)
	SUBQ(operand.Imm(8*registers), left)
	JG(operand.LabelRef("block"))
	VZEROUPPER()
	RET()
}
