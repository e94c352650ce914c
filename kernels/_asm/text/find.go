package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// findAhead is how many hashes before it is looked at a line is asked for.
const findAhead = 40

// findRows compares all keys of a line with that of a hash at once.
func findRows() {
	TEXT("findRowsVector", NOSPLIT, "func(rows, queries []uint32, hashes []uint64, lineShift, keyShift, subMask int, lines [][16]uint32, entries []uint64) (n int)")
	Pragma("noescape")
	Doc("findRowsVector is findRows.")
	rows := Load(Param("rows").Base(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	size := Load(Param("hashes").Len(), GP64())
	lineShift := Load(Param("lineShift"), GP64())
	keyShift := Load(Param("keyShift"), GP64())
	sub := Load(Param("subMask"), GP64())
	lines := Load(Param("lines").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	zero := YMM()
	VPXOR(zero, zero, zero)
	i, n := GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	TESTQ(size, size)
	JE(ref("done"))
	Label("hash")
	{
		next := GP64()
		LEAQ(operand.Mem{Base: i, Disp: findAhead}, next)
		CMPQ(next, size)
		CMOVQGE(i, next)
		SHRXQ(lineShift, operand.Mem{Base: hashes, Index: next, Scale: 8}, next)
		SHLQ(operand.Imm(6), next)
		PREFETCHT0(operand.Mem{Base: lines, Index: next, Scale: 1})
	}
	h, line, key, query := GP64(), GP64(), GP64(), GP64()
	MOVQ(operand.Mem{Base: hashes, Index: i, Scale: 8}, h)
	SHRXQ(lineShift, h, line)
	SHLQ(operand.Imm(6), line)
	SHRXQ(keyShift, h, key)
	ANDQ(sub, key)
	SHLQ(operand.Imm(16), key)
	MOVWLZX(h.As16(), h.As32())
	CMPL(h.As32(), operand.Imm(1))
	ADCL(operand.Imm(0), h.As32()) // the tag: 0 becomes 1
	ORL(h.As32(), key.As32())
	MOVL(i.As32(), query.As32())
	SHLL(operand.Imm(16), query.As32())
	ORL(h.As32(), query.As32())
	MOVL(query.As32(), operand.Mem{Base: queries, Index: n, Scale: 4})
	own, anyTag := YMM(), YMM()
	VMOVD(key.As32(), own.AsX())
	VPBROADCASTD(own.AsX(), own)
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
	CMPQ(i, size)
	JLT(ref("hash"))
	Label("done")
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
