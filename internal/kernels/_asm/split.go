package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// masks are what a block of 64 bytes has of each class, a bit a byte. beyond is what
// is not ASCII, and has no class.
type masks struct{ word, inner, alone, stop, beyond reg.GPVirtual }

func (m *masks) all() []reg.GPVirtual {
	return []reg.GPVirtual{m.word, m.inner, m.alone, m.stop, m.beyond}
}

// splitWords finds where words begin and end. A turn takes 63 bytes; the byte behind
// them is looked at for an apostrophe before it.
func splitWords() {
	s := new(splitter)
	TEXT("splitWordsVector", NOSPLIT, "func(text []uint8, columns *[4][16]uint8, lower uint8, lowered *["+strconv.Itoa(textSize)+"]uint8, starts, ends *["+strconv.Itoa(positions)+"]uint16, final bool) (words, size int)")
	s.setup()
	text := Load(Param("text").Base(), GP64()).(reg.GPVirtual)
	delta := Load(Param("lowered"), GP64()).(reg.GPVirtual)
	ADDQ(operand.Imm(textLead), delta)
	SUBQ(text, delta)
	starts := Load(Param("starts"), GP64()).(reg.GPVirtual)
	ends := Load(Param("ends"), GP64()).(reg.GPVirtual)
	word, left := GP64(), GP64()
	XORQ(word, word)
	XORQ(left, left)

	m := &masks{GP64(), GP64(), GP64(), GP64(), GP64()}
	at, lowered := operand.Mem{Base: text}, operand.Mem{Base: text, Index: delta, Scale: 1}
	Label("loop")
	rest := GP64()
	Load(Param("text").Base(), rest) // registers are scarce
	ADDQ(address(Param("text").Len()), rest)
	SUBQ(text, rest)
	CMPQ(rest, operand.Imm(64))
	JLT(ref("rest"))
	s.classify(m, at, lowered)
	Label("marks")
	t, began, left2 := GP64(), GP64(), GP64()
	ORQ(m.beyond, m.word)
	// An apostrophe is inner if the bytes on both sides are of words.
	LEAQ(operand.Mem{Base: word, Index: m.word, Scale: 2}, t)
	ANDQ(t, m.inner)
	MOVQ(m.word, t)
	SHRQ(operand.Imm(1), t)
	ANDQ(t, m.inner)
	ORQ(m.inner, m.word)
	for _, x := range []reg.GPVirtual{m.word, m.beyond, m.alone, m.stop} {
		BTRQ(operand.Imm(63), x)
	}
	// before: the byte before is of a word.
	before := GP64()
	LEAQ(operand.Mem{Base: word, Index: m.word, Scale: 2}, before)
	ANDNQ(m.word, before, began)
	MOVQ(before, t)
	SHRQ(operand.Imm(63), t)
	MOVQ(t, word)
	ANDNQ(before, m.word, before) // now: a word has ended
	BTRQ(operand.Imm(63), before)
	// Added to a word, a bit of beyond is carried to the bit behind it.
	LEAQ(operand.Mem{Base: m.word, Index: m.beyond, Scale: 1}, left2)
	ADDQ(left, left2)
	MOVQ(left2, left)
	SHRQ(operand.Imm(63), left)
	ANDQ(before, left2)
	// What stands alone ends behind itself.
	ORQ(m.stop, m.alone)
	ORQ(m.alone, began)
	LEAQ(operand.Mem{Base: before, Index: m.alone, Scale: 2}, before)
	LEAQ(operand.Mem{Base: left2, Index: m.stop, Scale: 2}, left2)
	s.positions(starts, began, nil)
	s.positions(ends, before, left2)
	s.next()
	ADDQ(operand.Imm(63), text)
	JMP(ref("loop"))

	Label("rest")
	final := Load(Param("final"), GP32())
	TESTL(final, final)
	JE(ref("done"))
	CMPQ(rest, operand.Imm(0))
	JLT(ref("done"))
	s.part(m, at, lowered, rest)
	JMP(ref("marks"))

	Label("done")
	VZEROUPPER()
	words := GP64()
	MOVQ(starts, words)
	first := Load(Param("starts"), GP64())
	SUBQ(first, words)
	SHRQ(operand.Imm(1), words)
	from := Load(Param("text").Base(), GP64())
	size := GP64()
	MOVQ(text, size)
	SUBQ(from, size)
	// A word that has not ended is not counted, and comes again.
	SUBQ(word, words)
	last := GP64()
	MOVWQZX(operand.Mem{Base: starts, Disp: -2}, last)
	TESTQ(word, word)
	CMOVQNE(last, size)
	Store(words, Return("words"))
	Store(size, Return("size"))
	RET()
}

// splitter takes twice 32 bytes of text, and classes from tables by the low half of a byte,
// which have a bit for every high half.
type splitter struct {
	columns           [4]reg.VecVirtual
	lower, rows, half reg.VecVirtual
	base              reg.VecVirtual
	table             reg.GPVirtual
}

// setup loads constants.
func (s *splitter) setup() {
	table := Load(Param("columns"), GP64())
	for i := range s.columns {
		s.columns[i] = YMM()
		VBROADCASTI128(operand.Mem{Base: table, Disp: 16 * i}, s.columns[i])
	}
	s.lower, s.rows, s.half, s.base = YMM(), YMM(), YMM(), XMM()
	VPBROADCASTB(param("lower"), s.lower)
	VBROADCASTI128(constant("rows", 0x8040201008040201, 0), s.rows)
	VBROADCASTI128(constant("halves", 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f), s.half)
	VPXOR(s.base, s.base, s.base)
	s.table = GP64()
	LEAQ(bitPlaces(), s.table)
}

var placed operand.Mem

// bitPlaces are for every byte the places of its bits; then how many bytes they are as words.
func bitPlaces() operand.Mem {
	if placed.Base != nil {
		return placed
	}
	var places, counts []byte
	for b := range 256 {
		var p [8]byte
		n := 0
		for i := range byte(8) {
			if b>>i&1 != 0 {
				p[n] = i
				n++
			}
		}
		places = append(places, p[:]...)
		counts = append(counts, byte(2*n))
	}
	placed = constant("bitPlaces", packed(append(places, counts...))...)
	return placed
}

// classify gives the masks of 64 bytes at text, and writes them lowered.
func (s *splitter) classify(m *masks, text, lowered operand.Mem) {
	t := GP64()
	for part := range 2 {
		x, row := YMM(), YMM()
		VMOVDQU(text.Offset(32*part), x)
		VPSRLW(operand.Imm(4), x, row)
		VPAND(s.half, row, row)
		VPSHUFB(row, s.rows, row)
		gather := func(v reg.VecVirtual, mask reg.GPVirtual) {
			if part == 0 {
				VPMOVMSKB(v, mask.As32())
				return
			}
			VPMOVMSKB(v, t.As32())
			SHLQ(operand.Imm(32), t)
			ORQ(t, mask)
		}
		for i, column := range s.columns {
			in := YMM()
			VPSHUFB(x, column, in)
			VPAND(row, in, in)
			VPCMPEQB(row, in, in)
			gather(in, m.all()[i])
		}
		gather(x, m.beyond)
		VPOR(s.lower, x, x)
		VMOVDQU(x, lowered.Offset(32*part))
	}
	// A row without a bit equals anything without one.
	for _, x := range []reg.GPVirtual{m.word, m.inner, m.alone, m.stop} {
		ANDNQ(x, m.beyond, x)
	}
}

// part does so with fewer than 64 bytes, which end the text.
func (s *splitter) part(m *masks, text, lowered operand.Mem, rest reg.GPVirtual) {
	// The last 64 bytes, the first of which were in the turn before.
	ADDQ(rest, text.Base)
	s.classify(m, text.Offset(-64), lowered.Offset(-64))
	SUBQ(rest, text.Base)
	NEGQ(rest)
	ADDQ(operand.Imm(63), rest)
	for _, x := range m.all() {
		SHRXQ(rest, x, x)
		SHRQ(operand.Imm(1), x)
	}
}

// positions writes the positions of the bits of marks, and moves to behind them. Those of the bits of high, where
// there are any, are marked.
func (s *splitter) positions(to, marks, high reg.GPVirtual) {
	// Where to go back to for words that are left over.
	from, all := GP64(), GP64()
	if high != nil {
		MOVQ(to, from)
		MOVQ(marks, all)
	}
	for i := range 8 {
		b, v := GP64(), XMM()
		MOVBQZX(marks.As8(), b)
		VPMOVZXBW(operand.Mem{Base: s.table, Index: b, Scale: 8}, v)
		VPADDW(s.base, v, v)
		if i > 0 {
			VPADDW(eight(uint64(8*i)), v, v)
		}
		VMOVDQU(v, operand.Mem{Base: to})
		MOVBQZX(operand.Mem{Base: s.table, Index: b, Scale: 1, Disp: 8 * 256}, b)
		ADDQ(b, to)
		if i < 7 {
			SHRQ(operand.Imm(8), marks)
		}
	}
	if high == nil {
		return
	}
	again, none := label("left"), label("none")
	TESTQ(high, high)
	JE(ref(none))
	Label(again)
	below := GP64()
	BLSMSKQ(high, below)
	ANDQ(all, below)
	POPCNTQ(below, below)
	ORW(operand.U16(0x8000), operand.Mem{Base: from, Index: below, Scale: 2, Disp: -2})
	BLSRQ(high, high)
	JNE(ref(again))
	Label(none)
}

// next moves the positions to the next block.
func (s *splitter) next() { VPADDW(eight(63), s.base, s.base) }
