// Package dense writes the assembly of the kernels for dense vectors.
package dense

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX2 writes them all.
func AVX2() {
	exps()
	mulMatrix()
	addCodes()
}

// exps finds the largest number, then takes eight exponentials at a time.
func exps() {
	TEXT("expsVector", NOSPLIT, "func(x []float32, constants *[12]float32) (sum float64)")
	Pragma("noescape")
	Doc("expsVector is exps of eight numbers or more.")
	x := Load(Param("x").Base(), GP64())
	end := Load(Param("x").Len(), GP64())
	of := Load(Param("constants"), GP64())
	LEAQ(operand.Mem{Base: x, Index: end, Scale: 4}, end)
	constant := func(k int) operand.Mem { return operand.Mem{Base: of, Disp: 4 * k} }
	every := func(k int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSS(constant(k), v)
		return v
	}

	largest, half := YMM(), XMM()
	at := GP64()
	VMOVUPS(operand.Mem{Base: x}, largest)
	MOVQ(x, at)
	Label("largest")
	v := YMM()
	VMOVUPS(operand.Mem{Base: at}, v)
	VMAXPS(largest, v, largest) // the one that is there already, if one of them is NaN
	ADDQ(operand.Imm(32), at)
	CMPQ(at, end)
	JB(operand.LabelRef("largest"))
	VEXTRACTF128(operand.Imm(1), largest, half)
	VMAXPS(largest.AsX(), half, largest.AsX())
	VPERMILPS(operand.Imm(0x4e), largest.AsX(), half)
	VMAXPS(largest.AsX(), half, largest.AsX())
	VPERMILPS(operand.Imm(0xb1), largest.AsX(), half)
	VMAXPS(largest.AsX(), half, largest.AsX())
	VBROADCASTSS(largest.AsX(), largest)

	least, log2e, magic, high, low, one := every(0), every(1), every(2), every(3), every(4), every(11)
	sums := [2]reg.VecVirtual{YMM(), YMM()}
	for _, sum := range sums {
		VXORPD(sum, sum, sum)
	}
	Label("loop")
	t, shifted, n, r, y, product := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(operand.Mem{Base: x}, t)
	VSUBPS(largest, t, t)
	VMAXPS(t, least, t) // t, if it is NaN
	VMULPS(log2e, t, shifted)
	VADDPS(magic, shifted, shifted)
	VSUBPS(magic, shifted, n)
	VMULPS(high, n, product)
	VSUBPS(product, t, r)
	VMULPS(low, n, product)
	VSUBPS(product, r, r)
	VBROADCASTSS(constant(5), y)
	for k := 6; k <= 10; k++ {
		VMULPS(y, r, y)
		next := YMM()
		VBROADCASTSS(constant(k), next)
		VADDPS(next, y, y)
	}
	VMULPS(r, r, product)
	VMULPS(product, y, y)
	VADDPS(r, y, y)
	VADDPS(one, y, y)
	VPSLLD(operand.Imm(23), shifted, shifted)
	VPADDD(shifted, y, y)
	VSUBPS(t, t, t)
	VADDPS(t, y, y)
	VMOVUPS(y, operand.Mem{Base: x})
	wide, top := YMM(), XMM()
	VCVTPS2PD(y.AsX(), wide)
	VADDPD(wide, sums[0], sums[0])
	VEXTRACTF128(operand.Imm(1), y, top)
	VCVTPS2PD(top, wide)
	VADDPD(wide, sums[1], sums[1])
	ADDQ(operand.Imm(32), x)
	CMPQ(x, end)
	JB(operand.LabelRef("loop"))
	VADDPD(sums[1], sums[0], sums[0]) // l0+l4 to l3+l7
	upper := XMM()
	VEXTRACTF128(operand.Imm(1), sums[0], upper)
	VADDPD(upper, sums[0].AsX(), upper) // with those of 2 and 3
	swapped := XMM()
	VPERMILPD(operand.Imm(1), upper, swapped)
	VADDSD(swapped, upper, upper)
	VZEROUPPER()
	Store(upper, Return("sum"))
	RET()
}
