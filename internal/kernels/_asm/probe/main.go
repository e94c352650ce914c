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

// turn is where the loop of a random probe is: at the ids of idx from k on.
type turn struct{ table, idx, ahead, k reg.Register }

// entry loads an id and returns the entry that it names.
func (t turn) entry(idx reg.Register, i int) operand.Mem {
	id := GP64()
	MOVL(operand.Mem{Base: idx, Index: t.k, Scale: 4, Disp: 4 * i}, id.As32())
	return operand.Mem{Base: t.table, Index: id, Scale: 8}
}

// group is the loop of the random probes. Every turn has eight ids that are inside
// the table; it ends at the first eight of which one is not, and returns its place.
func group(prefetch bool, body func(turn)) (done reg.Register) {
	var t turn
	t.table = Load(Param("table").Base(), GP64())
	n := Load(Param("table").Len(), GP64())
	t.idx = Load(Param("idx").Base(), GP64())
	count := Load(Param("idx").Len(), GP64())
	if prefetch {
		t.ahead = Load(Param("ahead"), GP64())
		SUBQ(t.ahead, count)
		LEAQ(operand.Mem{Base: t.idx, Index: t.ahead, Scale: 4}, t.ahead)
	}
	last := YMM()
	DECQ(n)
	VMOVD(n.(reg.GPVirtual).As32(), last.AsX())
	VPBROADCASTD(last.AsX(), last)
	t.k = GP64()
	XORQ(t.k, t.k)
	SUBQ(operand.Imm(8), count)
	JLT(operand.LabelRef("end"))
	Label("loop")
	ids, least, inside := YMM(), YMM(), GP32()
	VMOVDQU(operand.Mem{Base: t.idx, Index: t.k, Scale: 4}, ids)
	VPMINUD(ids, last, least)
	VPCMPEQD(ids, least, least)
	VPMOVMSKB(least, inside)
	CMPL(inside, operand.I32(-1))
	JNE(operand.LabelRef("end"))
	body(t)
	ADDQ(operand.Imm(8), t.k)
	CMPQ(t.k, count)
	JLE(operand.LabelRef("loop"))
	Label("end")
	return t.k
}

// each accesses the entries of a turn one by one.
func each(prefetch bool, access func(i int, entry operand.Mem)) func(turn) {
	return func(t turn) {
		for i := range 8 {
			if prefetch {
				PREFETCHT0(t.entry(t.ahead, i))
			}
			access(i, t.entry(t.idx, i))
		}
	}
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
		Doc(first, "up to the first that have an id outside the table, or fewer than ahead ids", "behind them. The table has 1 to 2³¹ entries.")
	} else {
		Doc(first, "up to the first that have an id outside the table, which has 1 to 2³¹ entries.")
	}
}

func readRandom(name string, prefetch bool) {
	TEXT(name, NOSPLIT, signature(prefetch, "(sum uint64, done int)"))
	document(name+" sums entries of the table, eight ids at a time,", prefetch)
	sums := []reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	for _, s := range sums {
		XORQ(s, s)
	}
	done := group(prefetch, each(prefetch, func(i int, entry operand.Mem) { ADDQ(entry, sums[i%len(sums)]) }))
	VZEROUPPER()
	ADDQ(sums[1], sums[0])
	ADDQ(sums[3], sums[2])
	ADDQ(sums[2], sums[0])
	Store(sums[0], Return("sum"))
	Store(done, Return("done"))
	RET()
}

func modifyRandom(name string, prefetch bool) {
	TEXT(name, NOSPLIT, signature(prefetch, "(done int)"))
	document(name+" adds 1 to entries of the table, eight ids at a time,", prefetch)
	done := group(prefetch, each(prefetch, func(_ int, entry operand.Mem) { INCQ(entry) }))
	VZEROUPPER()
	Store(done, Return("done"))
	RET()
}

// readGather reads four entries with one instruction.
func readGather() {
	TEXT("readGather", NOSPLIT, signature(false, "(sum uint64, done int)"))
	document("readGather is readRandom with a gather for every four entries,", false)
	sum := YMM()
	VPXOR(sum, sum, sum)
	done := group(false, func(t turn) {
		for half := range 2 {
			ids, mask, entries := XMM(), YMM(), YMM()
			VMOVDQU(operand.Mem{Base: t.idx, Index: t.k, Scale: 4, Disp: 16 * half}, ids)
			VPCMPEQD(mask, mask, mask)
			VPXOR(entries, entries, entries) // or a gather waits for the one before
			VPGATHERDQ(mask, operand.Mem{Base: t.table, Index: ids, Scale: 8}, entries)
			VPADDQ(entries, sum, sum)
		}
	})
	storeLanes(sum)
	Store(done, Return("done"))
	RET()
}
