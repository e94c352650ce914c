package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how many entries before they are looked up their lines are asked for: gathers
// alone overlap few misses.
const ahead = 32

// askAhead asks for the lines of the eight entries that are ahead of done, if there are so
// many. left is the size that inEights has.
func askAhead(done, left reg.GPVirtual, ask func(k int)) {
	limit := GP64()
	LEAQ(operand.Mem{Base: done, Disp: ahead}, limit)
	CMPQ(limit, left)
	JG(ref("asked"))
	for k := range 8 {
		ask(k)
	}
	Label("asked")
}

// lookupBuckets looks up eight hashes at a time.
func lookupBuckets() {
	TEXT("lookupBucketsAVX512", NOSPLIT, "func(rows, queries []uint32, hashes []uint64, shift int, words []uint64) (done, n int)")
	Pragma("noescape")
	Doc("lookupBucketsAVX512 is lookupBuckets for as many hashes as there are eights of.")
	one, minus, low := set64(1, ZMM()), set64(^uint64(0), ZMM()), set64(31, ZMM())
	oneTag, tagMask := YMM(), YMM()
	VPCMPEQD(tagMask, tagMask, tagMask)
	VPSRLD(operand.Imm(31), tagMask, oneTag)
	VPSRLD(operand.Imm(16), tagMask, tagMask)
	place, step := YMM(), YMM()
	VMOVDQU(eachID(), place)
	VPSLLD(operand.Imm(16), place, place)
	VMOVDQU(eightIDs(), step)
	VPSLLD(operand.Imm(16), step, step)
	shift, far := XMM(), Load(Param("shift"), GP64())
	VMOVQ(far, shift)
	ADDQ(operand.Imm(5), far)
	rows := Load(Param("rows").Base(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	left := GP64()
	Load(Param("hashes").Len(), left)
	words := Load(Param("words").Base(), GP64())
	inEights(left, "n", func(done, n reg.GPVirtual) {
		askAhead(done, left, func(k int) {
			word := GP64()
			SHRXQ(far, operand.Mem{Base: hashes, Index: done, Scale: 8, Disp: 8 * (ahead + k)}, word)
			PREFETCHT0(operand.Mem{Base: words, Index: word, Scale: 8})
		})
		h, at, bit, word, below := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
		VMOVDQU64(operand.Mem{Base: hashes, Index: done, Scale: 8}, h)
		VPSRLQ(shift, h, at)
		VPANDQ(low, at, bit)
		VPSLLVQ(bit, one, bit)
		VPSRLQ(operand.Imm(5), at, at)
		all := K()
		KXNORB(all, all, all)
		VPXORQ(word, word, word)
		VPGATHERQQ(operand.Mem{Base: words, Index: at, Scale: 8}, all, word)
		known := K()
		VPTESTMQ(bit, word, known)
		VPADDQ(minus, bit, below)
		VPANDQ(word, below, below)
		VPOPCNTQ(below, below)
		VPSRLQ(operand.Imm(32), word, word)
		VPADDQ(word, below, below)
		row, own := YMM(), YMM()
		VPMOVQD(below, row)
		VPMOVQD(h, own)
		VPAND(tagMask, own, own)
		VPMAXUD(oneTag, own, own)
		VPOR(place, own, own)
		VPADDD(step, place, place)
		VPCOMPRESSD_Z(row, known, row)
		VPCOMPRESSD_Z(own, known, own)
		VMOVDQU(row, operand.Mem{Base: rows, Index: n, Scale: 4})
		VMOVDQU(own, operand.Mem{Base: queries, Index: n, Scale: 4})
		count(known, n)
	})
}

// taggedRows compares eight tags at a time.
func taggedRows() {
	TEXT("taggedRowsAVX512", NOSPLIT, "func(rows, queries []uint32, entries [][3]uint32) (done, kept int)")
	Pragma("noescape")
	Doc("taggedRowsAVX512 is taggedRows for as many rows as there are eights of.")
	rows := Load(Param("rows").Base(), GP64())
	left := GP64()
	Load(Param("rows").Len(), left)
	queries := Load(Param("queries").Base(), GP64())
	entries := Load(Param("entries").Base(), GP64())
	size, tagMask := YMM(), YMM()
	VPCMPEQD(tagMask, tagMask, tagMask)
	VPSRLD(operand.Imm(16), tagMask, tagMask)
	VMOVQ(address(Param("entries").Len()), size.AsX())
	VPBROADCASTD(size.AsX(), size)
	inEights(left, "kept", func(done, kept reg.GPVirtual) {
		askAhead(done, left, func(k int) {
			place := GP64()
			MOVL(operand.Mem{Base: rows, Index: done, Scale: 4, Disp: 4 * (ahead + k)}, place.As32())
			LEAQ(operand.Mem{Base: place, Index: place, Scale: 2}, place)
			PREFETCHT0(operand.Mem{Base: entries, Index: place, Scale: 4})
		})
		row, place, tag, query, own := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVDQU(operand.Mem{Base: rows, Index: done, Scale: 4}, row)
		VMOVDQU(operand.Mem{Base: queries, Index: done, Scale: 4}, query)
		VPAND(tagMask, query, own)
		VPADDD(row, row, place)
		VPADDD(row, place, place) // an entry is three words
		const less = 1
		there, asked, any, ours := K(), K(), K(), K()
		VPCMPUD(operand.Imm(less), size, row, there)
		KMOVB(there, asked)
		VPXOR(tag, tag, tag)
		VPGATHERDD(operand.Mem{Base: entries, Index: place, Scale: 4, Disp: 8}, asked, tag)
		VPTESTNMD(tag, tag, there, any)
		VPCMPEQD(own, tag, there, ours)
		KORB(any, ours, ours)
		VPCOMPRESSD_Z(row, ours, row)
		VPCOMPRESSD_Z(query, ours, query)
		// What is behind the rows kept lies before the next eight, and is done.
		VMOVDQU(row, operand.Mem{Base: rows, Index: kept, Scale: 4})
		VMOVDQU(query, operand.Mem{Base: queries, Index: kept, Scale: 4})
		count(ours, kept)
	})
}
