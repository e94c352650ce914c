package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// markDistinct enters and looks up one hash after the other, four a turn. Gathers are no faster.
func markDistinct() {
	TEXT("markDistinctVector", NOSPLIT,
		"func(marks []uint8, left []uint32, hashes []uint64, table []uint16, key uint64, shift int) (done, n int)")
	const turn = 4
	marks := Load(Param("marks").Base(), GP64())
	left := Load(Param("left").Base(), GP64())
	hashes := Load(Param("hashes").Base(), GP64())
	table := Load(Param("table").Base(), GP64())
	key := Load(Param("key"), GP64())
	shift := Load(Param("shift"), GP64())
	i, n, size := GP64(), GP64(), GP64()
	XORQ(n, n)
	Load(Param("hashes").Len(), size)
	MOVQ(size, i)
	SUBQ(operand.Imm(turn), size)
	JGE(ref("odd"))
	XORQ(i, i)
	JMP(ref("done"))

	// at is the number that is k from i on.
	at := func(k int) reg.GPVirtual {
		place := GP64()
		LEAQ(operand.Mem{Base: i, Disp: k}, place)
		return place
	}
	entryOf := func(h operand.Op) operand.Mem {
		entry := GP64()
		MOVQ(key, entry)
		IMULQ(h, entry)
		SHRXQ(shift, entry, entry)
		return operand.Mem{Base: table, Index: entry, Scale: 2}
	}
	enter := func(k int) {
		entry := entryOf(operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: 8 * k})
		MOVW(at(k).As16(), entry)
	}
	Label("last")
	enter(-1)
	DECQ(i)
	Label("odd")
	TESTQ(operand.U32(turn-1), i)
	JNE(ref("last"))
	Label("enter")
	for k := range turn {
		enter(-1 - k)
	}
	SUBQ(operand.Imm(turn), i)
	JNE(ref("enter"))

	Label("find")
	for k := range turn {
		h, place := GP64(), GP64()
		MOVQ(operand.Mem{Base: hashes, Index: i, Scale: 8, Disp: 8 * k}, h)
		MOVWQZX(entryOf(h), place)
		own := at(k)
		MOVL(own.As32(), operand.Mem{Base: left, Index: n, Scale: 4})
		CMPQ(own, place)
		SETEQ(operand.Mem{Base: marks, Index: i, Scale: 1, Disp: k})
		XORQ(operand.Mem{Base: hashes, Index: place, Scale: 8}, h)
		NEGQ(h) // carries if it is another
		ADCQ(operand.Imm(0), n)
	}
	ADDQ(operand.Imm(turn), i)
	CMPQ(i, size)
	JLE(ref("find"))
	Label("done")
	Store(i, Return("done"))
	Store(n, Return("n"))
	RET()
}
