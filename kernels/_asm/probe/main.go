// Command probe writes the assembly of the hardware probes.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	readStream("AVX2", 32, YMM)
	readStream("AVX512", 64, ZMM)
	readRandom("readRandom", false)
	readRandom("readRandomPrefetch", true)
	modifyRandom("modifyRandom", false)
	modifyRandom("modifyRandomPrefetch", true)
	readGather()
	Generate()
}

// readStream adds four vectors of width bytes a turn, each in its own register,
// for as long as there are four.
func readStream(set string, width int, vector func() reg.VecVirtual) {
	const unroll = 4
	TEXT("readStream"+set, NOSPLIT, "func(p []uint64) (sum uint64, done int)")
	Pragma("noescape")
	Doc("readStream" + set + " sums the longest prefix of p that is whole turns of the loop.")
	p := Load(Param("p").Base(), GP64())
	n := Load(Param("p").Len(), GP64())
	step := unroll * width / 8
	sums := make([]reg.VecVirtual, unroll)
	for i := range sums {
		sums[i] = vector()
		if width == 64 {
			VPXORQ(sums[i], sums[i], sums[i])
		} else {
			VPXOR(sums[i], sums[i], sums[i])
		}
	}
	done := GP64()
	XORQ(done, done)
	SUBQ(operand.Imm(uint64(step)), n)
	Label("loop")
	CMPQ(done, n)
	JGT(operand.LabelRef("end"))
	for i, s := range sums {
		VPADDQ(operand.Mem{Base: p, Index: done, Scale: 8, Disp: i * width}, s, s)
	}
	ADDQ(operand.Imm(uint64(step)), done)
	JMP(operand.LabelRef("loop"))
	Label("end")
	VPADDQ(sums[1], sums[0], sums[0])
	VPADDQ(sums[3], sums[2], sums[2])
	VPADDQ(sums[2], sums[0], sums[0])
	if width == 64 {
		high := YMM()
		VEXTRACTI64X4(operand.Imm(1), sums[0], high)
		VPADDQ(high, sums[0].AsY(), sums[0].AsY())
	}
	storeLanes(sums[0])
	Store(done, Return("done"))
	RET()
}

// storeLanes returns the sum of the lower four lanes.
func storeLanes(v reg.VecVirtual) {
	high := XMM()
	VEXTRACTI128(operand.Imm(1), v.AsY(), high)
	VPADDQ(high, v.AsX(), v.AsX())
	VPSHUFD(operand.Imm(0xee), v.AsX(), high)
	VPADDQ(high, v.AsX(), v.AsX())
	sum := GP64()
	VMOVQ(v.AsX(), sum)
	VZEROUPPER()
	Store(sum, Return("sum"))
}

// group is the loop of the random probes: four ids a turn, all below the length of
// the table; it ends at the first four of which one is not.
func group(prefetch bool, body func(table reg.Register, ids []reg.GPVirtual)) (done reg.Register) {
	table := Load(Param("table").Base(), GP64())
	n := Load(Param("table").Len(), GP64())
	idx := Load(Param("idx").Base(), GP64())
	count := Load(Param("idx").Len(), GP64())
	var ahead reg.Register
	if prefetch {
		ahead = Load(Param("ahead"), GP64())
		SUBQ(ahead, count)
	}
	SUBQ(operand.Imm(4), count)
	k := GP64()
	XORQ(k, k)
	if prefetch {
		LEAQ(operand.Mem{Base: idx, Index: ahead, Scale: 4}, ahead)
	}
	ids := []reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	Label("loop")
	CMPQ(k, count)
	JGT(operand.LabelRef("end"))
	if prefetch {
		for i, j := range ids {
			MOVL(operand.Mem{Base: ahead, Index: k, Scale: 4, Disp: 4 * i}, j.As32())
			PREFETCHT0(operand.Mem{Base: table, Index: j, Scale: 8})
		}
	}
	for i, j := range ids {
		MOVL(operand.Mem{Base: idx, Index: k, Scale: 4, Disp: 4 * i}, j.As32())
		CMPQ(j, n)
		JAE(operand.LabelRef("end"))
	}
	body(table, ids)
	ADDQ(operand.Imm(4), k)
	JMP(operand.LabelRef("loop"))
	Label("end")
	return k
}

// signature is that of a random probe.
func signature(prefetch bool, results string) string {
	if prefetch {
		return "func(table []uint64, idx []uint32, ahead int) " + results
	}
	return "func(table []uint64, idx []uint32) " + results
}

// document is the comment of a random probe; it says where the probe ends.
func document(first string, prefetch bool) {
	Pragma("noescape")
	if prefetch {
		Doc(first, "up to the first four that have an id outside the table, or fewer than ahead", "ids behind them.")
	} else {
		Doc(first, "up to the first four that have an id outside the table.")
	}
}

func readRandom(name string, prefetch bool) {
	TEXT(name, NOSPLIT, signature(prefetch, "(sum uint64, done int)"))
	document(name+" sums entries of the table, four ids at a time,", prefetch)
	sums := []reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	for _, s := range sums {
		XORQ(s, s)
	}
	done := group(prefetch, func(table reg.Register, ids []reg.GPVirtual) {
		for i, j := range ids {
			ADDQ(operand.Mem{Base: table, Index: j, Scale: 8}, sums[i])
		}
	})
	ADDQ(sums[1], sums[0])
	ADDQ(sums[3], sums[2])
	ADDQ(sums[2], sums[0])
	Store(sums[0], Return("sum"))
	Store(done, Return("done"))
	RET()
}

func modifyRandom(name string, prefetch bool) {
	TEXT(name, NOSPLIT, signature(prefetch, "(done int)"))
	document(name+" adds 1 to entries of the table, four ids at a time,", prefetch)
	done := group(prefetch, func(table reg.Register, ids []reg.GPVirtual) {
		for _, j := range ids {
			INCQ(operand.Mem{Base: table, Index: j, Scale: 8})
		}
	})
	Store(done, Return("done"))
	RET()
}

// readGather reads four entries with one instruction, whose indices are signed.
func readGather() {
	TEXT("readGather", NOSPLIT, signature(false, "(sum uint64, done int)"))
	document("readGather is readRandom with gathers, for tables of 1 to 2³¹ entries,", false)
	table := Load(Param("table").Base(), GP64())
	n := Load(Param("table").Len(), GP64())
	idx := Load(Param("idx").Base(), GP64())
	count := Load(Param("idx").Len(), GP64())
	last := XMM()
	DECQ(n)
	VMOVD(n.(reg.GPVirtual).As32(), last)
	VPBROADCASTD(last, last)
	sum := YMM()
	VPXOR(sum, sum, sum)
	k := GP64()
	XORQ(k, k)
	SUBQ(operand.Imm(4), count)
	ids, least, entries, mask, inside := XMM(), XMM(), YMM(), YMM(), GP32()
	Label("loop")
	CMPQ(k, count)
	JGT(operand.LabelRef("end"))
	VMOVDQU(operand.Mem{Base: idx, Index: k, Scale: 4}, ids)
	VPMINUD(ids, last, least)
	VPCMPEQD(ids, least, least)
	VMOVMSKPS(least, inside)
	CMPL(inside, operand.Imm(15))
	JNE(operand.LabelRef("end"))
	VPCMPEQD(mask, mask, mask)
	VPXOR(entries, entries, entries) // or a gather waits for the one before
	VPGATHERDQ(mask, operand.Mem{Base: table, Index: ids, Scale: 8}, entries)
	VPADDQ(entries, sum, sum)
	ADDQ(operand.Imm(4), k)
	JMP(operand.LabelRef("loop"))
	Label("end")
	storeLanes(sum)
	Store(k, Return("done"))
	RET()
}
