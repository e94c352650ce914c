package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums returns the loop of mixSums; body does the lanes at i.
func sums(
	set string, lanes uint64, setup func(), body func(dst, a, b operand.Mem),
) (done, n reg.GPVirtual, dst, a, b operand.Mem) {
	TEXT("mixSums"+set, NOSPLIT, "func(dst, a, b []uint64, key uint64) (done int)")
	setup()
	i := GP64()
	at := func(name string) operand.Mem {
		return operand.Mem{Base: Load(Param(name).Base(), GP64()), Index: i, Scale: 8}
	}
	dst, a, b = at("dst"), at("a"), at("b")
	n = Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	XORQ(i, i)
	SUBQ(operand.Imm(lanes), n)
	JLT(ref("rest"))
	Label("loop")
	body(dst, a, b)
	ADDQ(operand.Imm(lanes), i)
	CMPQ(i, n)
	JLE(ref("loop"))
	Label("rest")
	return i, n, dst, a, b
}

func mixSums256() {
	type product struct{ low, high reg.VecVirtual }
	key, m1, m2 := YMM(), product{YMM(), YMM()}, product{YMM(), YMM()}
	// times keeps the low half of a product by three of 32 by 32 bits.
	times := func(x reg.VecVirtual, m product) {
		h, t := YMM(), YMM()
		VPSRLQ(operand.Imm(32), x, h)
		VPMULUDQ(m.low, h, h)
		VPMULUDQ(m.high, x, t)
		VPADDQ(h, t, t)
		VPSLLQ(operand.Imm(32), t, t)
		VPMULUDQ(m.low, x, x)
		VPADDQ(t, x, x)
	}
	shift := func(x reg.VecVirtual, n uint64) {
		t := YMM()
		VPSRLQ(operand.Imm(n), x, t)
		VPXOR(t, x, x)
	}
	done, _, _, _, _ := sums("Vector", 4, func() {
		VPBROADCASTQ(param("key"), key)
		set64(mix1&(1<<32-1), m1.low)
		set64(mix1>>32, m1.high)
		set64(mix2&(1<<32-1), m2.low)
		set64(mix2>>32, m2.high)
	}, func(dst, a, b operand.Mem) {
		x := YMM()
		VPADDQ(a, key, x)
		VPADDQ(b, x, x)
		shift(x, 30)
		times(x, m1)
		shift(x, 27)
		times(x, m2)
		shift(x, 31)
		VMOVDQU(x, dst)
	})
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

// columns writes the loop of an interleaving of so many columns, four entries of each at a time.
func columns(count int, body func(dst operand.Mem, from []operand.Mem)) {
	const lanes = 4
	name := "interleave" + strconv.Itoa(count) + "Vector"
	signature := "func(dst, a"
	for c := range count - 1 {
		signature += ", " + string(rune('b'+c))
	}
	TEXT(name, NOSPLIT, signature+" []uint64) (done int)")
	done := GP64()
	var from []operand.Mem
	for c := range count {
		from = append(from, operand.Mem{Base: Load(Param(string(rune('a'+c))).Base(), GP64()), Index: done, Scale: 8})
	}
	dst := Load(Param("dst").Base(), GP64())
	n := Load(Param("a").Len(), GP64())
	XORQ(done, done)
	SUBQ(operand.Imm(uint64(lanes)), n)
	JLT(ref("done"))
	Label("loop")
	body(operand.Mem{Base: dst}, from)
	ADDQ(operand.Imm(uint64(8*lanes*count)), dst)
	ADDQ(operand.Imm(uint64(lanes)), done)
	CMPQ(done, n)
	JLE(ref("loop"))
	Label("done")
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

// load256 loads four entries of each column.
func load256(from []operand.Mem) (columns []reg.VecVirtual) {
	for _, m := range from {
		y := YMM()
		VMOVDQU(m, y)
		columns = append(columns, y)
	}
	return columns
}

func interleave256() {
	// halves stores the lower halves of a and b, or the upper ones.
	halves := func(a, b reg.VecVirtual, upper bool, to operand.Mem) {
		which := operand.Imm(0x20)
		if upper {
			which = operand.Imm(0x31)
		}
		x := YMM()
		VPERM2I128(which, b, a, x)
		VMOVDQU(x, to)
	}
	columns(2, func(dst operand.Mem, from []operand.Mem) {
		in, even, odd := load256(from), YMM(), YMM()
		VPUNPCKLQDQ(in[1], in[0], even) // a0 b0 a2 b2
		VPUNPCKHQDQ(in[1], in[0], odd)  // a1 b1 a3 b3
		halves(even, odd, false, dst)
		halves(even, odd, true, dst.Offset(32))
	})
	columns(3, func(dst operand.Mem, from []operand.Mem) {
		in, ab, bc, ca, x := load256(from), YMM(), YMM(), YMM(), YMM()
		VPUNPCKLQDQ(in[1], in[0], ab)              // a0 b0 a2 b2
		VPUNPCKHQDQ(in[2], in[1], bc)              // b1 c1 b3 c3
		VSHUFPD(operand.Imm(10), in[0], in[2], ca) // c0 a1 c2 a3
		halves(ab, ca, false, dst)
		VPBLENDD(operand.Imm(0xf0), ab, bc, x)
		VMOVDQU(x, dst.Offset(32))
		halves(ca, bc, true, dst.Offset(64))
	})
	columns(4, func(dst operand.Mem, from []operand.Mem) {
		in, even, odd := load256(from), [2]reg.VecVirtual{YMM(), YMM()}, [2]reg.VecVirtual{YMM(), YMM()}
		for k := range 2 {
			VPUNPCKLQDQ(in[2*k+1], in[2*k], even[k])
			VPUNPCKHQDQ(in[2*k+1], in[2*k], odd[k])
		}
		for k, upper := range []bool{false, true} {
			halves(even[0], even[1], upper, dst.Offset(64*k))
			halves(odd[0], odd[1], upper, dst.Offset(64*k+32))
		}
	})
}
