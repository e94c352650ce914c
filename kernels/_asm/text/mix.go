package text

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums is the loop of mixSums; body does the lanes at i.
func sums(set string, lanes uint64, setup func(), body func(dst, a, b operand.Mem)) (done, n reg.GPVirtual, dst, a, b operand.Mem) {
	TEXT("mixSums"+set, NOSPLIT, "func(dst, a, b []uint64, key uint64) (done int)")
	Pragma("noescape")
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

func mixSums512() {
	key, m1, m2 := ZMM(), ZMM(), ZMM()
	mix := func(x reg.VecVirtual) {
		t := ZMM()
		VPSRLQ(operand.Imm(30), x, t)
		VPXORQ(t, x, x)
		VPMULLQ(m1, x, x)
		VPSRLQ(operand.Imm(27), x, t)
		VPXORQ(t, x, x)
		VPMULLQ(m2, x, x)
		VPSRLQ(operand.Imm(31), x, t)
		VPXORQ(t, x, x)
	}
	done, n, dst, a, b := sums("AVX512", 8, func() {
		Doc("mixSumsAVX512 is MixSums.")
		VPBROADCASTQ(param("key"), key)
		set64(mix1, m1)
		set64(mix2, m2)
	}, func(dst, a, b operand.Mem) {
		x := ZMM()
		VPADDQ(a, key, x)
		VPADDQ(b, x, x)
		mix(x)
		VMOVDQU64(x, dst)
	})
	ADDQ(operand.Imm(8), n)
	SUBQ(done, n)
	JE(ref("done"))
	k, x := firstOf(n), ZMM()
	VPADDQ_Z(a, key, k, x)
	VPADDQ_Z(b, x, k, x)
	mix(x)
	VMOVDQU64(x, k, dst)
	ADDQ(n, done)
	Label("done")
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
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
		Doc("mixSumsVector is MixSums, as far as four are left.")
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

// columns is the loop of an interleaving of so many columns; body does the lanes.
func columns(set string, count, lanes int, setup func(), body func(dst operand.Mem, from []operand.Mem)) {
	name := "interleave" + strconv.Itoa(count) + set
	signature := "func(dst, a"
	for c := range count - 1 {
		signature += ", " + string(rune('b'+c))
	}
	TEXT(name, NOSPLIT, signature+" []uint64) (done int)")
	Pragma("noescape")
	Doc(name + " is Interleave, as far as " + strconv.Itoa(lanes) + " are left.")
	setup()
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

func interleave512(count int) {
	// Place p of the result is entry p/count of column p%count. Of the first two
	// columns it is taken by one permutation, the third is laid over.
	order := make([]reg.VecVirtual, count)
	third := make([]reg.OpmaskVirtual, count)
	spread := make([]reg.VecVirtual, count)
	columns("AVX512", count, 8, func() {
		for v := range count {
			var pick, lay [8]uint64
			var mask uint64
			for p := range 8 {
				entry, column := (8*v+p)/count, (8*v+p)%count
				pick[p] = uint64(entry + 8*(column&1))
				if column == 2 {
					pick[p] = 0
					lay[p] = uint64(entry)
					mask |= 1 << p
				}
			}
			suffix := strconv.Itoa(count) + strconv.Itoa(v)
			order[v] = ZMM()
			VMOVDQU64(constant("order"+suffix, pick[:]...), order[v])
			if count == 3 {
				spread[v], third[v] = ZMM(), K()
				VMOVDQU64(constant("third"+suffix, lay[:]...), spread[v])
				t := GP32()
				MOVL(operand.U32(mask), t)
				KMOVB(t, third[v])
			}
		}
	}, func(dst operand.Mem, from []operand.Mem) {
		column := make([]reg.VecVirtual, count)
		for c := range column {
			column[c] = ZMM()
			VMOVDQU64(from[c], column[c])
		}
		for v := range count {
			x := ZMM()
			VMOVDQA64(order[v], x)
			VPERMI2Q(column[1], column[0], x)
			if count == 3 {
				VPERMQ(column[2], spread[v], third[v], x)
			}
			VMOVDQU64(x, dst.Offset(64*v))
		}
	})
}

func interleave256() {
	columns("Vector", 2, 4, func() {}, func(dst operand.Mem, from []operand.Mem) {
		a, b, low, high, x := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVDQU(from[0], a)
		VMOVDQU(from[1], b)
		VPUNPCKLQDQ(b, a, low)
		VPUNPCKHQDQ(b, a, high)
		VPERM2I128(operand.Imm(0x20), high, low, x)
		VMOVDQU(x, dst)
		VPERM2I128(operand.Imm(0x31), high, low, x)
		VMOVDQU(x, dst.Offset(32))
	})
}
