package text

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

// splitter is what splitting has of an instruction set.
type splitter interface {
	// setup loads constants.
	setup()
	// full gives the masks of 64 bytes at text, and writes them lowered.
	full(m *masks, text, lowered operand.Mem)
	// part does so with fewer than 64 bytes, which end the text.
	part(m *masks, text, lowered operand.Mem, rest reg.GPVirtual)
	// positions writes the positions of the bits of marks, and moves to behind them.
	// Those of the bits of high, where there are any, are marked.
	positions(to, marks, high reg.GPVirtual)
	// next moves the positions to the next block.
	next()
}

// splitWords finds where words begin and end. A turn takes 63 bytes; the byte behind
// them is looked at for an apostrophe before it.
func splitWords(set, classes string, s splitter) {
	name := "splitWords" + set
	TEXT(name, NOSPLIT, "func(text []uint8, "+classes+", lower uint8, lowered *["+strconv.Itoa(textSize)+"]uint8, starts, ends *["+strconv.Itoa(positions)+"]uint16, final bool) (words, size int)")
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
	s.full(m, at, lowered)
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

// split512 takes 64 bytes at once, and classes from a table.
type split512 struct {
	low, high, lower, base, step   reg.VecVirtual
	place, marked, keep            reg.VecVirtual
	word, inner, alone, stop, bits reg.VecVirtual
	valid                          reg.OpmaskVirtual
}

func (s *split512) setup() {
	table := Load(Param("classes"), GP64())
	s.low, s.high = ZMM(), ZMM()
	VMOVDQU64(operand.Mem{Base: table}, s.low)
	VMOVDQU64(operand.Mem{Base: table, Disp: 64}, s.high)
	t := Load(Param("lower"), GP32())
	s.lower = ZMM()
	VPBROADCASTB(t, s.lower)
	set8 := func(v uint64) reg.VecVirtual {
		z := ZMM()
		MOVL(operand.U32(v), t)
		VPBROADCASTB(t, z)
		return z
	}
	set16 := func(v uint64) reg.VecVirtual {
		z := ZMM()
		MOVL(operand.U32(v), t)
		VPBROADCASTW(t, z)
		return z
	}
	s.word, s.inner, s.alone, s.stop = set8(1<<textWord), set8(1<<textInner), set8(1<<textAlone), set8(1<<textStop)
	s.step, s.keep = set16(63), set16(0x803f)
	s.base = ZMM()
	VPXORQ(s.base, s.base, s.base)
	s.place, s.marked = ZMM(), set8(0x80)
	VMOVDQU64(places(), s.place)
	VPORQ(s.place, s.marked, s.marked)
	s.valid = K()
	KXNORQ(s.valid, s.valid, s.valid)
}

var numbered operand.Mem

// places are the numbers from 0.
func places() operand.Mem {
	if numbered.Base == nil {
		var n [64]byte
		for i := range n {
			n[i] = byte(i)
		}
		numbered = constant("places", packed(n[:])...)
	}
	return numbered
}

func (s *split512) classify(m *masks, x reg.VecVirtual, lowered operand.Mem) {
	class, low := ZMM(), ZMM()
	VMOVDQA64(x, class)
	VPERMI2B(s.high, s.low, class)
	VPORQ(x, s.lower, low)
	VMOVDQU64(low, lowered)
	beyond, ascii, k := K(), K(), K()
	VPMOVB2M(x, beyond)
	KMOVQ(beyond, m.beyond)
	KANDNQ(s.valid, beyond, ascii)
	for i, bit := range []reg.VecVirtual{s.word, s.inner, s.alone, s.stop} {
		VPTESTMB(bit, class, ascii, k)
		KMOVQ(k, m.all()[i])
	}
}

func (s *split512) full(m *masks, text, lowered operand.Mem) {
	x := ZMM()
	VMOVDQU64(text, x)
	s.classify(m, x, lowered)
}

func (s *split512) part(m *masks, text, lowered operand.Mem, rest reg.GPVirtual) {
	x, ones := ZMM(), GP64()
	MOVQ(operand.I32(-1), ones)
	BZHIQ(rest, ones, ones)
	KMOVQ(ones, s.valid)
	VMOVDQU8_Z(text, s.valid, x)
	s.classify(m, x, lowered)
}

func (s *split512) positions(to, marks, high reg.GPVirtual) {
	k, v, count := K(), ZMM(), GP64()
	from := s.place
	if high != nil {
		from = ZMM()
		KMOVQ(high, k)
		VPBLENDMB(s.marked, s.place, k, from)
	}
	KMOVQ(marks, k)
	VPCOMPRESSB_Z(from, k, v)
	POPCNTQ(marks, count)
	write := func(half reg.Register, disp int) {
		wide := ZMM()
		if high != nil {
			VPMOVSXBW(half, wide)
			VPANDQ(s.keep, wide, wide)
		} else {
			VPMOVZXBW(half, wide)
		}
		VPADDW(s.base, wide, wide)
		VMOVDQU64(wide, operand.Mem{Base: to, Disp: disp})
	}
	write(v.AsY(), 0)
	CMPQ(count, operand.Imm(32))
	few := label("few")
	JLE(ref(few))
	upper := YMM()
	VEXTRACTI64X4(operand.Imm(1), v, upper)
	write(upper, 64)
	Label(few)
	LEAQ(operand.Mem{Base: to, Index: count, Scale: 2}, to)
}

func (s *split512) next() { VPADDW(s.step, s.base, s.base) }

// split256 takes twice 32 bytes, and classes from tables by the low half of a byte,
// which have a bit for every high half.
type split256 struct {
	columns           [4]reg.VecVirtual
	lower, rows, half reg.VecVirtual
	base              reg.VecVirtual
	table             reg.GPVirtual
}

func (s *split256) setup() {
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

// classify gives the masks of 64 bytes.
func (s *split256) classify(m *masks, text, lowered operand.Mem) {
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

func (s *split256) full(m *masks, text, lowered operand.Mem) { s.classify(m, text, lowered) }

func (s *split256) part(m *masks, text, lowered operand.Mem, rest reg.GPVirtual) {
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

func (s *split256) positions(to, marks, high reg.GPVirtual) {
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

func (s *split256) next() { VPADDW(eight(63), s.base, s.base) }
