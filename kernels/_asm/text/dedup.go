package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// markDistinct looks up eight hashes at a time.
func markDistinct() {
	TEXT("markDistinctAVX512", NOSPLIT, "func(marks []uint8, left []uint32, hashes []uint64, table []uint16, key uint64, shift int) (done, n int)")
	Pragma("noescape")
	Doc("markDistinctAVX512 is MarkDistinct for as many hashes as there are eights of, of which", "n are left. The table is filled.")
	key, ids, step := ZMM(), YMM(), YMM()
	VPBROADCASTQ(param("key"), key)
	VMOVDQU(eachID(), ids)
	VMOVDQU(eightIDs(), step)
	low := YMM()
	VPCMPEQD(low, low, low)
	VPSRLD(operand.Imm(16), low, low)
	ones := XMM()
	VMOVDQU(constant("ones", 0x0101010101010101, 0), ones)
	shift := XMM()
	VMOVQ(param("shift"), shift)
	marks := Load(Param("marks").Base(), GP64())
	left := Load(Param("left").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	n := GP64()
	Load(Param("hashes").Len(), n)
	table := Load(Param("table").Base(), GP64())
	inEights(n, "n", func(done, kept reg.GPVirtual) {
		h, entry, there := ZMM(), ZMM(), ZMM()
		place, compressed := YMM(), YMM()
		VMOVDQU64(operand.Mem{Base: hashes, Index: done, Scale: 8}, h)
		VPMULLQ(key, h, entry)
		VPSRLQ(shift, entry, entry)
		all := K()
		KXNORB(all, all, all)
		VPXOR(place, place, place)
		VPGATHERQD(operand.Mem{Base: table, Index: entry, Scale: 2}, all, place)
		VPAND(low, place, place)
		every := K()
		KXNORB(every, every, every)
		VPXORQ(there, there, there)
		VPGATHERDQ(operand.Mem{Base: hashes, Index: place, Scale: 8}, every, there)
		first, taken := K(), K()
		VPCMPEQD(ids, place, first)
		VPCMPUQ(operand.Imm(4), h, there, taken)
		mark := XMM()
		VMOVDQU8_Z(ones, first, mark)
		VMOVQ(mark, operand.Mem{Base: marks, Index: done, Scale: 1})
		VPCOMPRESSD_Z(ids, taken, compressed)
		VMOVDQU(compressed, operand.Mem{Base: left, Index: kept, Scale: 4})
		count(taken, kept)
		VPADDD(step, ids, ids)
	})
}

// keepMarked closes the gaps between marked entries, eight at a time.
func keepMarked() {
	TEXT("keepMarkedAVX512", NOSPLIT, "func(p []uint64, marks []uint8) (done, kept int)")
	Pragma("noescape")
	Doc("keepMarkedAVX512 is KeepMarked for as many entries as there are eights of.")
	p := Load(Param("p").Base(), GP64())
	n := GP64()
	Load(Param("p").Len(), n)
	marks := Load(Param("marks").Base(), GP64())
	ones := XMM()
	VPCMPEQB(ones, ones, ones)
	inEights(n, "kept", func(done, kept reg.GPVirtual) {
		x, k := ZMM(), K()
		mark := XMM()
		VMOVQ(operand.Mem{Base: marks, Index: done, Scale: 1}, mark)
		VPTESTMB(ones, mark, k)
		VMOVDQU64(operand.Mem{Base: p, Index: done, Scale: 8}, x)
		VPCOMPRESSQ_Z(x, k, x)
		// What is behind the marked ones lies before the next eight, and is done.
		VMOVDQU64(x, operand.Mem{Base: p, Index: kept, Scale: 8})
		count(k, kept)
	})
}
