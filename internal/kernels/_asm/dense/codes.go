package dense

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// addCodes takes two registers of sums at a time.
func addCodes() {
	const registers, lanes = 2, 16
	TEXT("addCodesVector", NOSPLIT, "func(sums []uint16, codes []uint8, factor uint32)")
	sums := Load(Param("sums").Base(), GP64())
	left := Load(Param("sums").Len(), GP64())
	codes := Load(Param("codes").Base(), GP64())
	single, factor := XMM(), YMM()
	number := Load(Param("factor"), GP32())
	VMOVD(number, single)
	VPBROADCASTW(single, factor)
	Label("codes")
	var products [registers]reg.VecVirtual
	for i := range products {
		products[i] = YMM()
		VPMOVZXBW(operand.Mem{Base: codes, Disp: lanes * i}, products[i])
	}
	for _, p := range products { // the high half of (code·256)·factor is code·factor/256
		VPSLLW(operand.Imm(8), p, p)
	}
	for _, p := range products {
		VPMULHUW(factor, p, p)
	}
	for i, p := range products {
		VPADDUSW(operand.Mem{Base: sums, Disp: 2 * lanes * i}, p, p)
		VMOVDQU(p, operand.Mem{Base: sums, Disp: 2 * lanes * i})
	}
	ADDQ(operand.Imm(2*lanes*registers), sums)
	ADDQ(operand.Imm(lanes*registers), codes)
	SUBQ(operand.Imm(lanes*registers), left)
	JG(operand.LabelRef("codes"))
	VZEROUPPER()
	RET()
}
