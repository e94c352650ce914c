package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of package kernels: findAhead, and where the arrays of a Found are.
const (
	findAhead    = 40
	foundQueries = 0
	foundRows    = foundQueries + 4*lookupBlock
	foundLines   = foundRows + 4*lookupBlock
	foundKeys    = foundLines + 4*(lookupBlock+findAhead)
	lookupBlock  = 512
	lineRank     = 60 // of a line, behind its keys
	keyBits      = 15
	entryRatio   = 4
	entryTag     = 8
)

// at is an entry of an array of a Found.
func at(found, i reg.Register, array, size int) operand.Mem {
	return operand.Mem{Base: found, Index: i, Scale: uint8(size), Disp: array}
}

// entryAt is where an entry is of whose number three times are given.
func entryAt(entries, thrice reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: entries, Index: thrice, Scale: 4, Disp: disp}
}

// placeHashes does eight hashes at a time.
func placeHashes() {
	TEXT("placeHashesVector", NOSPLIT, "func(f *uint32, hashes []uint64, bucketBits, lines int)")
	f := Load(Param("f"), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	size := Load(Param("hashes").Len(), GP64())
	lineShift, bucketShift, sixtyFour := XMM(), XMM(), GP64()
	VMOVQ(param("bucketBits"), lineShift)
	MOVQ(operand.I32(64), sixtyFour)
	SUBQ(param("bucketBits"), sixtyFour)
	VMOVQ(sixtyFour, bucketShift)
	lines, keyMask, tagMask, one := YMM(), YMM(), YMM(), YMM()
	VPBROADCASTQ(param("lines"), lines)
	VPCMPEQQ(tagMask, tagMask, tagMask)
	VPSRLQ(operand.Imm(64-keyBits), tagMask, keyMask)
	VPSRLQ(operand.Imm(63), tagMask, one)
	VPSRLQ(operand.Imm(48), tagMask, tagMask)
	// Places of eight hashes, and what comes to them until the next eight, above 16 bits for the tag.
	places, eight := YMM(), YMM()
	VMOVDQU(constant("firstPlaces", 0x00010000<<32, 0x00030000<<32|0x00020000, 0x00050000<<32|0x00040000, 0x00070000<<32|0x00060000), places)
	VPBROADCASTD(constant("eightPlaces", 0x00080000), eight)
	of := func(i reg.GPVirtual, disp int) (line, key, tag reg.VecVirtual) {
		line, key, tag = YMM(), YMM(), YMM()
		h := YMM()
		VMOVDQU(operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: disp}, h)
		VPAND(tagMask, h, tag)
		VPMAXUW(one, tag, tag) // 0 becomes 1
		VPSRLQ(bucketShift, h, h)
		VPAND(keyMask, h, key)
		VPMULUDQ(lines, h, line)
		VPSRLQ(lineShift, line, line)
		return line, key, tag
	}
	narrow := func(a, b reg.VecVirtual) {
		VSHUFPS(operand.Imm(0x88), b, a, a)
		VPERMQ(operand.Imm(0xd8), a, a)
	}
	i := GP64()
	XORQ(i, i)
	TESTQ(size, size)
	JE(ref("done"))
	Label("eight")
	line, key, tag := of(i, 0)
	line2, key2, tag2 := of(i, 32)
	narrow(line, line2)
	VPSLLD(operand.Imm(6), line, line)
	VMOVDQU(line, at(f, i, foundLines, 4))
	narrow(tag, tag2)
	VPOR(places, tag, tag)
	VPADDD(eight, places, places)
	VMOVDQU(tag, at(f, i, foundQueries, 4))
	narrow(key, key2)
	VPACKUSDW(key, key, key)
	VPERMQ(operand.Imm(0xd8), key, key)
	VMOVDQU(key.AsX(), at(f, i, foundKeys, 2))
	ADDQ(operand.Imm(8), i)
	CMPQ(i, size)
	JLT(ref("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// lineKeys compares the keys of a line.
type lineKeys interface {
	// matches sets a bit for each 16 bits of a line that are those of the key.
	matches(key, line operand.Mem, second operand.Mem, bits reg.GPVirtual)
}

type line256 struct{}

func (line256) matches(key, first, second operand.Mem, bits reg.GPVirtual) {
	own, low, high := YMM(), YMM(), YMM()
	VPBROADCASTW(key, own)
	VPCMPEQW(first, own, low)
	VPCMPEQW(second, own, high)
	VPACKSSWB(high, low, low)
	VPERMQ(operand.Imm(0xd8), low, low)
	VPMOVMSKB(low, bits)
}

type line512 struct{}

func (line512) matches(key, first, _ operand.Mem, bits reg.GPVirtual) {
	own, equal := ZMM(), K()
	VPBROADCASTW(key, own)
	VPCMPEQW(first, own, equal)
	KMOVD(equal, bits)
}

// findRows compares all keys of a line with that of a hash at once.
func findRows(suffix string, v lineKeys) {
	TEXT("findRows"+suffix, NOSPLIT, "func(f *uint32, size int, lines [][16]uint32, entries [][3]uint32) (n int)")
	f := Load(Param("f"), GP64())
	end := Load(Param("size"), GP64())
	lines := Load(Param("lines").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	i, n := GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	TESTQ(end, end)
	JE(ref("done"))
	Label("hash")
	next, line, places := GP64(), GP64(), GP32()
	MOVL(at(f, i, foundLines+4*findAhead, 4), next.As32()) // of the last ones, any line
	PREFETCHT0(operand.Mem{Base: lines, Index: next, Scale: 1})
	MOVL(at(f, i, foundLines, 4), line.As32())
	inLine := func(disp int) operand.Mem { return operand.Mem{Base: lines, Index: line, Scale: 1, Disp: disp} }
	v.matches(at(f, i, foundKeys, 2), inLine(0), inLine(32), places)
	query, rank, row, more, before := GP32(), GP32(), GP32(), GP32(), GP64()
	MOVL(at(f, i, foundQueries, 4), query)
	MOVL(query, at(f, n, foundQueries, 4)) // n is i at most
	MOVL(inLine(lineRank), rank)
	// The last two are no keys: a line whose rank has a sign has more rows than keys, and any hash means one of them.
	ANDL(operand.U32(1<<30-1), places)
	MOVL(rank, more)
	ANDL(operand.U32(1<<31), more)
	ORL(more, places)
	TZCNTL(places, row)
	ADDL(rank, row)
	MOVL(row, at(f, n, foundRows, 4))
	// The entry of the last row that is known; before there is one, it may be any.
	MOVL(at(f, n, foundRows-4, 4), before.As32())
	LEAQ(operand.Mem{Base: before, Index: before, Scale: 2}, before)
	PREFETCHT0(entryAt(entries, before, 0))
	CMPL(places, operand.Imm(1))
	SBBQ(operand.I8(-1), n) // one more if there is a place
	INCQ(i)
	CMPQ(i, end)
	JLT(ref("hash"))
	Label("done")
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// distinct goes over rows that were found, and takes those with the tag of the query and without a bit in seen: keep
// writes them down, sum adds up what their entries have, both sums in one register.
func distinct(name, signature string, sum bool) {
	TEXT(name, NOSPLIT, signature)
	seen := Load(Param("seen").Base(), GP64())
	rows := Load(Param("rows").Base(), GP64())
	end := Load(Param("rows").Len(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	size := Load(Param("entries").Len(), GP64())
	i, n, zero := GP64(), GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	var kept reg.Register
	sums, ones := XMM(), XMM()
	if sum {
		XORQ(zero, zero)
		VMOVSD(param("weights"), sums)
		VMOVHPD(param("squares"), sums, sums)
		VMOVDDUP(constant("floatOne", 0x3ff0000000000000), ones)
	} else {
		kept = Load(Param("kept").Base(), GP64())
	}
	Label("row")
	row, thrice, word, marks, tag, query := GP64(), GP64(), GP64(), GP64(), GP32(), GP32()
	MOVL(operand.Mem{Base: rows, Index: i, Scale: 4}, row.As32())
	CMPQ(row, size)
	JAE(ref("done"))
	LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, thrice)
	MOVL(entryAt(entries, thrice, entryTag), tag)
	MOVWLZX(operand.Mem{Base: queries, Index: i, Scale: 4}, query)
	CMPL(tag, query)
	JNE(ref("other"))
	Label("same")
	MOVL(row.As32(), word.As32())
	SHRL(operand.Imm(6), word.As32())
	MOVQ(operand.Mem{Base: seen, Index: word, Scale: 8}, marks)
	if sum {
		entry, numbers, factors := GP64(), XMM(), XMM()
		MOVQ(entryAt(entries, thrice, 0), entry)
		BTSQ(row, marks)
		CMOVQCS(zero, entry)
		SBBQ(operand.I8(-1), n) // one more, unless it was seen
		VMOVQ(entry, numbers)
		VCVTPS2PD(numbers, numbers)
		VBLENDPD(operand.Imm(2), numbers, ones, factors)
		VMULPD(factors, numbers, numbers)
		VADDPD(numbers, sums, sums)
	} else {
		MOVL(row.As32(), operand.Mem{Base: kept, Index: n, Scale: 4}) // n is i at most
		BTSQ(row, marks)
		SBBQ(operand.I8(-1), n)
	}
	MOVQ(marks, operand.Mem{Base: seen, Index: word, Scale: 8})
	Label("next")
	INCQ(i)
	CMPQ(i, end)
	JLT(ref("row"))
	JMP(ref("done"))
	Label("other")
	TESTL(tag, tag)
	JE(ref("same"))
	JMP(ref("next"))
	Label("done")
	if sum {
		Store(sums, Return("w"))
		high := XMM()
		VUNPCKHPD(sums, sums, high)
		Store(high, Return("s"))
	}
	Store(n, Return("n"))
	Store(i, Return("done"))
	RET()
}
