package main

import (
	"math"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of package xmath.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	log2e = 1.44269504088896338700e+00
)

// expPolynomial has xmath.Exp's p1 to p5.
var expPolynomial = [5]float64{
	1.66666666666666657415e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06,
	4.13813679705723846039e-08,
}

// sigmoids does what xmath.Sigmoid does, of four numbers that are -700 or more: the larger of 1 and e^-|x|, whichever
// the sign of x says, over their sum.
func sigmoids() {
	TEXT("sigmoidsVector", NOSPLIT, "func(x []float64)")
	at := Load(Param("x").Base(), GP64())
	left := Load(Param("x").Len(), GP64())
	number := func(name string, v float64) reg.VecVirtual {
		m, r := GLOBL("sigmoid"+name, RODATA|NOPTR), YMM()
		DATA(0, operand.U64(math.Float64bits(v)))
		VBROADCASTSD(m, r)
		return r
	}
	one, two, half := number("One", 1), number("Two", 2), number("Half", -0.5)
	least, sign := number("Least", -700), number("Sign", math.Copysign(0, -1))
	nearZero := number("NearZero", -1.0/(1<<28))
	toBits, high := number("Log2e", log2e), number("Ln2Hi", ln2Hi)
	// A CPU without AVX-512 has 16 registers, so that these stay in memory.
	four := func(name string, v float64) operand.Mem {
		m := GLOBL("sigmoid"+name, RODATA|NOPTR)
		for lane := range 4 {
			DATA(8*lane, operand.U64(math.Float64bits(v)))
		}
		return m
	}
	low := four("Ln2Lo", ln2Lo)
	constants := make([]operand.Mem, len(expPolynomial))
	for i, p := range expPolynomial {
		constants[i] = four("P"+strconv.Itoa(i+1), p)
	}
	Label("numbers")
	x, a, whole, k := YMM(), YMM(), XMM(), YMM()
	VMOVUPD(operand.Mem{Base: at}, x)
	VORPD(sign, x, a) // -|x|
	VMAXPD(least, a, a)
	VMULPD(toBits, a, k)
	VADDPD(half, k, k)
	VCVTTPD2DQY(k, whole)
	VCVTDQ2PD(whole, k)
	hi, lo, r, t, c, y := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VMULPD(high, k, hi)
	VSUBPD(hi, a, hi)
	VMULPD(low, k, lo)
	VSUBPD(lo, hi, r)
	VMULPD(r, r, t)
	VMULPD(constants[4], t, c)
	for i := 3; i >= 0; i-- {
		VADDPD(constants[i], c, c)
		VMULPD(t, c, c)
	}
	VSUBPD(c, r, c)
	VMULPD(r, c, y)
	VSUBPD(c, two, c)
	VDIVPD(c, y, y)
	VSUBPD(y, lo, y)
	VSUBPD(hi, y, y)
	VSUBPD(y, one, y)
	VPMOVSXDQ(whole, k)
	VPSLLQ(operand.Imm(52), k, k)
	VPADDQ(k, y, y)
	// Next to 0, the exponential is 1+a.
	const greater = 0x1e
	close := YMM()
	VCMPPD(operand.Imm(greater), nearZero, a, close)
	VADDPD(one, a, a)
	VBLENDVPD(close, a, y, y)
	over, sum := YMM(), YMM()
	VBLENDVPD(x, y, one, over)
	VADDPD(one, y, sum)
	VDIVPD(sum, over, over)
	VMOVUPD(over, operand.Mem{Base: at})
	ADDQ(operand.Imm(32), at)
	SUBQ(operand.Imm(4), left)
	JG(operand.LabelRef("numbers"))
	VZEROUPPER()
	RET()
}
