package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotTiles keeps the sums of four columns in a register each.
func dotTiles() {
	const columns, size = 4, 64 * 8
	TEXT("dotTilesVector", NOSPLIT, "func(sums []float64, y *[64]float64, x [][64]float64)")
	to := Load(Param("sums").Base(), GP64())
	left := Load(Param("sums").Len(), GP64())
	y := Load(Param("y"), GP64())
	x := Load(Param("x").Base(), GP64())
	Label("columns")
	var sums [columns]reg.VecVirtual
	for l := range sums {
		sums[l] = YMM()
		VXORPD(sums[l], sums[l], sums[l])
	}
	k := GP64()
	XORQ(k, k)
	Label("rows")
	v := YMM()
	VMOVUPD(operand.Mem{Base: y, Index: k, Scale: 1}, v)
	for l := range sums {
		product := YMM()
		VMULPD(operand.Mem{Base: x, Index: k, Scale: 1, Disp: size * l}, v, product)
		VADDPD(product, sums[l], sums[l])
	}
	ADDQ(operand.Imm(32), k)
	CMPQ(k, operand.U32(size))
	JB(operand.LabelRef("rows"))
	VHADDPD(sums[1], sums[0], sums[0])
	VHADDPD(sums[3], sums[2], sums[2])
	VPERM2F128(operand.Imm(0x20), sums[2], sums[0], sums[1])
	VPERM2F128(operand.Imm(0x31), sums[2], sums[0], sums[3])
	VADDPD(sums[3], sums[1], sums[1])
	VADDPD(operand.Mem{Base: to}, sums[1], sums[1])
	VMOVUPD(sums[1], operand.Mem{Base: to})
	ADDQ(operand.U32(size*columns), x)
	ADDQ(operand.Imm(8*columns), to)
	SUBQ(operand.Imm(columns), left)
	JG(operand.LabelRef("columns"))
	VZEROUPPER()
	RET()
}
