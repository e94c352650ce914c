package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// findAhead is how many hashes before it is looked at a line is asked for.
const findAhead = 40

// lineKeys makes keys of eight hashes at a time.
func lineKeys() {
	TEXT("lineKeysVector", NOSPLIT, "func(keys []uint32, hashes []uint64, keyShift, subMask int)")
	keys := Load(Param("keys").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	size := Load(Param("hashes").Len(), GP64())
	shift := XMM()
	VMOVQ(param("keyShift"), shift)
	sub, tag, one := YMM(), YMM(), YMM()
	VPBROADCASTQ(param("subMask"), sub)
	VPCMPEQQ(tag, tag, tag)
	VPSRLQ(operand.Imm(63), tag, one)
	VPSRLQ(operand.Imm(48), tag, tag)
	of := func(i reg.GPVirtual, disp int) reg.VecVirtual {
		h, low := YMM(), YMM()
		VMOVDQU(operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: disp}, h)
		VPAND(tag, h, low)
		VPMAXUW(one, low, low) // 0 becomes 1
		VPSRLQ(shift, h, h)
		VPAND(sub, h, h)
		VPSLLQ(operand.Imm(16), h, h)
		VPOR(low, h, h)
		return h
	}
	i := GP64()
	XORQ(i, i)
	TESTQ(size, size)
	JE(ref("done"))
	Label("eight")
	a, b := of(i, 0), of(i, 32)
	VSHUFPS(operand.Imm(0x88), b, a, a)
	VPERMQ(operand.Imm(0xd8), a, a)
	VMOVDQU(a, operand.Mem{Base: keys, Index: i, Scale: 4})
	ADDQ(operand.Imm(8), i)
	CMPQ(i, size)
	JLT(ref("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// findRows compares all keys of a line with that of a hash at once.
func findRows() {
	TEXT("findRowsVector", NOSPLIT, "func(rows, queries []uint32, hashes []uint64, lineShift int, lines [][16]uint32, entries []uint64) (n int)")
	rows := Load(Param("rows").Base(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	end := Load(Param("hashes").Len(), GP64())
	lineShift := Load(Param("lineShift"), GP64())
	lines := Load(Param("lines").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	zero := YMM()
	VPXOR(zero, zero, zero)
	i, n := GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	// Up to the last ones, lines ahead are asked for.
	SUBQ(operand.Imm(findAhead), end)
	JLE(ref("last"))
	find := func(label string, ask bool) {
		Label(label)
		if ask {
			next := GP64()
			SHRXQ(lineShift, operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: 8 * findAhead}, next)
			SHLQ(operand.Imm(6), next)
			PREFETCHT0(operand.Mem{Base: lines, Index: next, Scale: 1})
		}
		line, query := GP64(), GP64()
		SHRXQ(lineShift, operand.Mem{Base: hashes, Index: i, Scale: 8}, line)
		SHLQ(operand.Imm(6), line)
		own, anyTag, tag := YMM(), YMM(), GP32()
		key := operand.Mem{Base: queries, Index: i, Scale: 4}
		VPBROADCASTD(key, own)
		MOVWLZX(key, tag)
		MOVL(i.As32(), query.As32())
		SHLL(operand.Imm(16), query.As32())
		ORL(tag, query.As32())
		MOVL(query.As32(), operand.Mem{Base: queries, Index: n, Scale: 4}) // n is i at most
		VPBLENDW(operand.Imm(0x55), zero, own, anyTag)
		low, high, lowAny, highAny := YMM(), YMM(), YMM(), YMM()
		first := operand.Mem{Base: lines, Index: line, Scale: 1}
		second := operand.Mem{Base: lines, Index: line, Scale: 1, Disp: 32}
		VPCMPEQD(first, own, low)
		VPCMPEQD(first, anyTag, lowAny)
		VPOR(lowAny, low, low)
		VPCMPEQD(second, own, high)
		VPCMPEQD(second, anyTag, highAny)
		VPOR(highAny, high, high)
		places, more := GP32(), GP32()
		VMOVMSKPS(low, places)
		VMOVMSKPS(high, more)
		SHLL(operand.Imm(8), more)
		ORL(more, places)
		ANDL(operand.U32(0xfffe), places) // the rank is no key
		rank, row, known := GP64(), GP64(), GP64()
		MOVL(first, rank.As32())
		TZCNTL(places, row.As32())
		LEAL(operand.Mem{Base: row, Index: rank, Scale: 1, Disp: -1}, row.As32())
		MOVL(places, more)
		NEGL(more) // negative if there is one
		ANDL(operand.U32(1<<31), more)
		ANDNL(row.As32(), more, row.As32()) // the row has no sign then
		MOVL(row.As32(), operand.Mem{Base: rows, Index: n, Scale: 4})
		PREFETCHT0(operand.Mem{Base: entries, Index: row, Scale: 8})
		// A line with a sign has more rows than keys: if no key is meant, whether one of these is is found out later.
		XORL(known.As32(), known.As32())
		SHRL(operand.Imm(31), rank.As32())
		ORL(rank.As32(), places)
		SETNE(known.As8())
		ADDQ(known, n)
		INCQ(i)
		CMPQ(i, end)
		JLT(ref(label))
	}
	find("most", true)
	Label("last")
	ADDQ(operand.Imm(findAhead), end)
	CMPQ(i, end)
	JGE(ref("done"))
	find("others", false)
	Label("done")
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// sumDistinct has both sums in one register.
func sumDistinct() {
	TEXT("sumDistinctVector", NOSPLIT, "func(seen []uint64, rows []uint32, entries []uint64, weights, squares float64) (w, s float64, n, done int)")
	seen := Load(Param("seen").Base(), GP64())
	rows := Load(Param("rows").Base(), GP64())
	end := Load(Param("rows").Len(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	size := Load(Param("entries").Len(), GP64())
	sums, ones := XMM(), XMM()
	VMOVSD(param("weights"), sums)
	VMOVHPD(param("squares"), sums, sums)
	VMOVDDUP(constant("floatOne", 0x3ff0000000000000), ones)
	i, n, zero := GP64(), GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	XORQ(zero, zero)
	Label("row")
	row, word, marks, entry := GP64(), GP64(), GP64(), GP64()
	MOVL(operand.Mem{Base: rows, Index: i, Scale: 4}, row.As32())
	CMPQ(row, size)
	JAE(ref("done"))
	MOVQ(operand.Mem{Base: entries, Index: row, Scale: 8}, entry)
	MOVL(row.As32(), word.As32())
	SHRL(operand.Imm(6), word.As32())
	MOVQ(operand.Mem{Base: seen, Index: word, Scale: 8}, marks)
	BTSQ(row, marks)
	CMOVQCS(zero, entry)
	SBBQ(operand.I8(-1), n) // one more, unless it was seen
	MOVQ(marks, operand.Mem{Base: seen, Index: word, Scale: 8})
	numbers, factors := XMM(), XMM()
	VMOVQ(entry, numbers)
	VCVTPS2PD(numbers, numbers)
	VBLENDPD(operand.Imm(2), numbers, ones, factors)
	VMULPD(factors, numbers, numbers)
	VADDPD(numbers, sums, sums)
	INCQ(i)
	CMPQ(i, end)
	JLT(ref("row"))
	Label("done")
	Store(sums, ReturnIndex(0))
	high := XMM()
	VUNPCKHPD(sums, sums, high)
	Store(high, ReturnIndex(1))
	Store(n, ReturnIndex(2))
	Store(i, ReturnIndex(3))
	RET()
}
