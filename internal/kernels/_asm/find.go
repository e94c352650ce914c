package main

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
	foundMatches = foundKeys + 2*lookupBlock
	foundFirsts  = foundMatches + 4*(lookupBlock+packLanes)
	lookupBlock  = 512
	packLanes    = 16
	lineKeys     = 30
	lineFirst    = 60 // of a line, behind its keys
	keyBits      = 15
	entryTag     = 8
)

// at returns an entry of an array of a Found.
func at(found, i reg.Register, array, size int) operand.Mem {
	return operand.Mem{Base: found, Index: i, Scale: uint8(size), Disp: array}
}

// entryAt returns where an entry is of whose number three times are given.
func entryAt(entries, thrice reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: entries, Index: thrice, Scale: 4, Disp: disp}
}

// placeHashes does eight hashes at a time.
func placeHashes() {
	TEXT("placeHashesVector", NOSPLIT, "func(f *uint32, hashes []uint64, keyBits, bucketBits, lines int)")
	f := Load(Param("f"), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	size := Load(Param("hashes").Len(), GP64())
	lineShift, bucketShift, tagShift, sixtyFour := XMM(), XMM(), XMM(), GP64()
	VMOVQ(param("bucketBits"), lineShift)
	MOVQ(operand.I32(64), sixtyFour)
	SUBQ(param("bucketBits"), sixtyFour)
	VMOVQ(sixtyFour, bucketShift)
	MOVQ(operand.I32(64), sixtyFour)
	SUBQ(param("keyBits"), sixtyFour)
	VMOVQ(sixtyFour, tagShift)
	lines, keyMask, tagMask := YMM(), YMM(), YMM()
	VPBROADCASTQ(param("lines"), lines)
	VPCMPEQQ(tagMask, tagMask, tagMask)
	VPSRLQ(operand.Imm(64-keyBits), tagMask, keyMask)
	VPSRLQ(operand.Imm(48), tagMask, tagMask)
	// Places of eight hashes, and what comes to them until the next eight, above 16 bits for the tag.
	places, eight := YMM(), YMM()
	VMOVDQU(constant("firstPlaces",
		0x00010000<<32, 0x00030000<<32|0x00020000, 0x00050000<<32|0x00040000, 0x00070000<<32|0x00060000), places)
	VPBROADCASTD(constant("eightPlaces", 0x00080000), eight)
	of := func(i reg.GPVirtual, disp int) (line, key, tag reg.VecVirtual) {
		line, key, tag = YMM(), YMM(), YMM()
		h := YMM()
		VMOVDQU(operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: disp}, h)
		VPSRLQ(tagShift, h, tag)
		VPAND(tagMask, tag, tag)
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

// findLanes is how many hashes are packed at once.
const findLanes = 8

// rowFinder compares keys with lines, and gathers what matched.
type rowFinder struct{ keys, exponent, bias, orders reg.Register }

// constants sets what pack needs, at the start.
func (f *rowFinder) constants() {
	keys, exponent, bias, orders := YMM(), YMM(), YMM(), GP64()
	VPCMPEQD(keys, keys, keys)
	VPSRLD(operand.Imm(24), keys, exponent)
	VPSRLD(operand.Imm(25), keys, bias)
	VPSRLD(operand.Imm(32-lineKeys), keys, keys)
	Load(Param("orders"), orders)
	*f = rowFinder{keys, exponent, bias, orders}
}

// matches sets a bit for each 16 bits of a line that are those of the key.
func (f *rowFinder) matches(key, first, second operand.Mem) (bits reg.GPVirtual) {
	own, low, high := YMM(), YMM(), YMM()
	VPBROADCASTW(key, own)
	VPCMPEQW(first, own, low)
	VPCMPEQW(second, own, high)
	VPACKSSWB(high, low, low)
	VPERMQ(operand.Imm(0xd8), low, low)
	bits = GP32()
	VPMOVMSKB(low, bits)
	return bits
}

// pack writes the rows and queries of those hashes that matched from n on, and returns how many these are. It takes
// the place of a bit from the exponent of the number that it is.
func (f *rowFinder) pack(matches, ofLines, queries, toRows, toQueries operand.Mem) (count reg.GPVirtual) {
	firsts, bits, lowest, zero, order := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVDQU(ofLines, firsts)
	VPAND(matches, f.keys, bits)
	VPSRLD(operand.Imm(31), firsts, lowest)
	VPSLLD(operand.Imm(31), lowest, lowest)
	VPOR(lowest, bits, bits)
	VPXOR(zero, zero, zero)
	VPSUBD(bits, zero, lowest)
	VPAND(bits, lowest, lowest)
	VPCMPEQD(zero, bits, zero)
	some, row := GP64(), GP64()
	VMOVMSKPS(zero, some.As32())
	XORL(operand.U32(0xff), some.As32())
	VCVTDQ2PS(lowest, lowest)
	VPSRLD(operand.Imm(23), lowest, lowest)
	VPAND(f.exponent, lowest, lowest)
	VPSUBD(f.bias, lowest, lowest)
	VPADDD(firsts, lowest, lowest)
	MOVQ(some, row)
	SHLQ(operand.Imm(5), row)
	VMOVDQU(operand.Mem{Base: f.orders, Index: row, Scale: 1}, order)
	VPERMD(lowest, order, lowest)
	VPERMD(queries, order, order)
	VMOVDQU(lowest, toRows)
	VMOVDQU(order, toQueries)
	count = GP64()
	POPCNTQ(some, count)
	return count
}

// findRows compares all keys of a line with that of a hash at once. When all hashes have been compared, it gathers
// those that matched, many at a time, which takes half as long as at each hash. Entries are asked for one at a hash: a
// CPU drops what is asked for faster than memory answers.
func findRows() {
	v := new(rowFinder)
	TEXT("findRowsVector", NOSPLIT, "func(f *uint32, size int, lines [][16]uint32, orders *[256][8]uint32, entries [][3]uint32, soon *[512]uint32) (n int)")
	f := Load(Param("f"), GP64())
	end := Load(Param("size"), GP64())
	lines := Load(Param("lines").Base(), GP64())
	entries, soon := Load(Param("entries").Base(), GP64()), Load(Param("soon"), GP64())
	v.constants()
	i, n := GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	TESTQ(end, end)
	JE(ref("done"))
	Label("hash")
	next, line, first := GP64(), GP64(), GP32()
	MOVL(at(f, i, foundLines+4*findAhead, 4), next.As32()) // of the last ones, any line
	PREFETCHT0(operand.Mem{Base: lines, Index: next, Scale: 1})
	MOVL(operand.Mem{Base: soon, Index: i, Scale: 4}, next.As32())
	LEAQ(operand.Mem{Base: next, Index: next, Scale: 2}, next)
	PREFETCHT0(entryAt(entries, next, 0))
	MOVL(at(f, i, foundLines, 4), line.As32())
	inLine := func(disp int) operand.Mem { return operand.Mem{Base: lines, Index: line, Scale: 1, Disp: disp} }
	MOVL(v.matches(at(f, i, foundKeys, 2), inLine(0), inLine(32)), at(f, i, foundMatches, 4))
	MOVL(inLine(lineFirst), first)
	MOVL(first, at(f, i, foundFirsts, 4))
	INCQ(i)
	CMPQ(i, end)
	JLT(ref("hash"))

	// Behind the last hash, nothing matches.
	zeros := YMM()
	VPXOR(zeros, zeros, zeros)
	for disp := 0; disp < 4*findLanes; disp += 32 {
		VMOVDQU(zeros, at(f, i, foundMatches+disp, 4))
		VMOVDQU(zeros, at(f, i, foundFirsts+disp, 4))
	}
	XORQ(i, i)
	Label("pack")
	// What is written behind those that matched has been read: n is i at most.
	count := v.pack(at(f, i, foundMatches, 4), at(f, i, foundFirsts, 4), at(f, i, foundQueries, 4),
		at(f, n, foundRows, 4), at(f, n, foundQueries, 4))
	ADDQ(count, n)
	ADDQ(operand.Imm(uint64(findLanes)), i)
	CMPQ(i, end)
	JLT(ref("pack"))
	Label("done")
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// distinct goes over rows that were found until one has no entry or another tag than its query, and takes those that
// this document has not had: keep writes them down, sum adds up what their entries have, both sums in one register.
func distinct(name, signature string, sum bool) {
	TEXT(name, NOSPLIT, signature)
	seen := Load(Param("seen").Base(), GP64())
	document := GP32()
	MOVL(param("document"), document)
	rows := Load(Param("rows").Base(), GP64())
	end := Load(Param("rows").Len(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	size := Load(Param("entries").Len(), GP64())
	i, n, zero := GP64(), GP64(), GP64()
	XORQ(i, i)
	XORQ(n, n)
	XORQ(zero, zero)
	var kept reg.Register
	sums, ones := XMM(), XMM()
	if sum {
		VMOVSD(param("weights"), sums)
		VMOVHPD(param("squares"), sums, sums)
		VMOVDDUP(constant("floatOne", 0x3ff0000000000000), ones)
	} else {
		kept = Load(Param("kept").Base(), GP64())
	}
	Label("row")
	row, thrice, last, tag, query := GP64(), GP64(), GP32(), GP32(), GP32()
	MOVL(operand.Mem{Base: rows, Index: i, Scale: 4}, row.As32())
	CMPQ(row, size)
	JAE(ref("done"))
	LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, thrice)
	MOVL(entryAt(entries, thrice, entryTag), tag)
	MOVWLZX(operand.Mem{Base: queries, Index: i, Scale: 4}, query)
	CMPL(tag, query)
	JNE(ref("done"))
	MOVBLZX(operand.Mem{Base: seen, Index: row, Scale: 1}, last)
	MOVB(document.As8(), operand.Mem{Base: seen, Index: row, Scale: 1})
	XORL(document, last)
	if sum {
		entry, numbers, factors := GP64(), XMM(), XMM()
		MOVQ(entryAt(entries, thrice, 0), entry)
		CMPL(last, operand.Imm(1)) // carries if it is the document
		CMOVQCS(zero, entry)
		VMOVQ(entry, numbers)
		VCVTPS2PD(numbers, numbers)
		VBLENDPD(operand.Imm(2), numbers, ones, factors)
		VMULPD(factors, numbers, numbers)
		VADDPD(numbers, sums, sums)
	} else {
		MOVL(row.As32(), operand.Mem{Base: kept, Index: n, Scale: 4}) // n is i at most
		CMPL(last, operand.Imm(1))
	}
	SBBQ(operand.I8(-1), n) // one more, unless it was the document
	INCQ(i)
	CMPQ(i, end)
	JLT(ref("row"))
	Label("done")
	if sum {
		Store(sums, Return("w"))
		high := XMM()
		VUNPCKHPD(sums, sums, high)
		Store(high, Return("q"))
	}
	Store(n, Return("n"))
	Store(i, Return("done"))
	RET()
}
