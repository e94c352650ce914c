package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of package kernels.
const (
	fnvStart = 2166136261
	fnvPrime = 16777619
)

// findSpans takes eight starts at a time, and makes their spans longer byte by byte. What is kept is gathered, which is
// faster here than reading words one by one: few spans are kept, and nothing is to be done with the others.
func findSpans() {
	TEXT("findSpansVector", NOSPLIT, "func(dst *[1544]uint32, text *[88]uint8, chosen *[24]uint64, starts, least, most int, divisor *[4]uint32, kept []uint64, orders *[256][8]uint32) (n int)")
	dst, text := Load(Param("dst"), GP64()), Load(Param("text"), GP64())
	chosen, kept, orders := Load(Param("chosen"), GP64()), Load(Param("kept").Base(), GP64()),
		Load(Param("orders"), GP64())
	starts := Load(Param("starts"), GP64())
	least, most := Load(Param("least"), GP64()), Load(Param("most"), GP64())
	of := Load(Param("divisor"), GP64())
	start, prime, buckets, factor := YMM(), YMM(), YMM(), YMM()
	every := func(v uint64, to reg.VecVirtual) {
		x := GP32()
		MOVL(operand.U32(uint32(v)), x)
		VMOVD(x, to.AsX())
		VPBROADCASTD(to.AsX(), to)
	}
	every(fnvStart, start)
	every(fnvPrime, prime)
	VPBROADCASTD(operand.Mem{Base: of}, buckets)
	VPBROADCASTD(operand.Mem{Base: of, Disp: 4}, factor)
	first, second := XMM(), XMM()
	VMOVD(operand.Mem{Base: of, Disp: 8}, first)
	VMOVD(operand.Mem{Base: of, Disp: 12}, second)
	DECQ(least)

	Label("starts")
	hash := YMM()
	VMOVDQA(start, hash)
	n := GP64()
	XORQ(n, n)
	Label("bytes")
	x := YMM()
	VPMOVSXBD(operand.Mem{Base: text, Index: n, Scale: 1}, x)
	VPXOR(x, hash, hash)
	VPMULLD(prime, hash, hash)
	CMPQ(n, least)
	JLT(ref("next"))
	these := GP64()
	MOVBQZX(operand.Mem{Base: chosen, Index: n, Scale: 8}, these)
	TESTQ(these, these)
	JE(ref("next"))
	even, odd := YMM(), YMM()
	VPMULUDQ(factor, hash, even)
	VPSRLQ(operand.Imm(32), hash, odd)
	VPMULUDQ(factor, odd, odd)
	VPSRLQ(operand.Imm(32), even, even)
	VPBLENDD(operand.Imm(0xaa), odd, even, even)
	rest := YMM()
	VPSUBD(even, hash, rest)
	VPSRLD(first, rest, rest)
	VPADDD(even, rest, rest)
	VPSRLD(second, rest, rest)
	VPMULLD(buckets, rest, rest)
	VPSUBD(rest, hash, rest)
	TESTQ(kept, kept)
	JE(ref("pack"))
	place, all, bits, low := YMM(), YMM(), YMM(), YMM()
	VPSRLD(operand.Imm(5), rest, place)
	VPCMPEQD(all, all, all)
	VPSRLD(operand.Imm(27), all, low) // 31
	VPXOR(bits, bits, bits)           // or the gather waits for the one before
	VPGATHERDD(all, operand.Mem{Base: kept, Index: place, Scale: 4}, bits)
	VPANDN(low, rest, low)
	VPSLLVD(low, bits, bits)
	tops := GP32()
	VMOVMSKPS(bits, tops)
	ANDL(tops, these.As32())
	Label("pack")
	order, count := GP64(), GP64()
	MOVQ(these, order)
	SHLQ(operand.Imm(5), order)
	packed := YMM()
	VMOVDQU(operand.Mem{Base: orders, Index: order, Scale: 1}, packed)
	VPERMD(rest, packed, packed)
	VMOVDQU(packed, operand.Mem{Base: dst})
	POPCNTQ(these, count)
	LEAQ(operand.Mem{Base: dst, Index: count, Scale: 4}, dst)
	Label("next")
	INCQ(n)
	CMPQ(n, most)
	JLT(ref("bytes"))
	ADDQ(operand.Imm(8), text)
	INCQ(chosen)
	SUBQ(operand.Imm(8), starts)
	JG(ref("starts"))
	VZEROUPPER()
	found := Load(Param("dst"), GP64())
	SUBQ(found, dst)
	SHRQ(operand.Imm(2), dst)
	Store(dst, Return("n"))
	RET()
}
