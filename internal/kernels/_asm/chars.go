package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	charLead  = 1 << 12 // of package kernels
	firstSize = charLead + 128
	// A block is 64 bytes. A character that begins less than charTail before its end may end behind it.
	charTail = 3
	// First bytes of characters that stay as they are.
	sameLead, sameLeads = 0xe4, 6
)

// charMarks are what 64 bytes are, a bit a byte: white space of ASCII, the character that ends hashing, not ASCII;
// and where there are such, a character's second byte or a later one, and the first of characters of two, three and
// four bytes or more.
type charMarks struct{ white, stop, high, later, two, three, four reg.GPVirtual }

// hashChars takes 64 bytes at a time, or as many as are complete characters.
func hashChars() {
	s := new(chars)
	TEXT("hashCharsVector", NOSPLIT, "func(dst []uint64, text []byte, bytes *[128]uint8, first *["+strconv.Itoa(firstSize)+"]uint32, pages []uint32, ascii *[128]uint64, a, b uint64, stop uint8, after bool) (n, size int)")
	places := AllocLocal(64 + 16)
	s.setup()
	text := Load(Param("text").Base(), GP64()).(reg.GPVirtual)
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	after := GP64()
	MOVBQZX(param("after"), after)

	Label("loop")
	t := GP64()
	Load(Param("dst").Len(), t)
	SHLQ(operand.Imm(3), t)
	ADDQ(address(Param("dst").Base()), t)
	SUBQ(operand.U32(8*64), t)
	CMPQ(dst, t)
	JHI(ref("done"))
	rest, have := GP64(), GP64()
	Load(Param("text").Base(), rest)
	ADDQ(address(Param("text").Len()), rest)
	SUBQ(text, rest)
	JLE(ref("done"))
	MOVQ(operand.I32(64), have)
	CMPQ(rest, have)
	CMOVQLT(rest, have)
	s.load(text, have, rest)
	m := &charMarks{GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()}
	s.ascii(m)
	// A space after another is none.
	starts := GP64()
	MOVQ(operand.I32(-1), starts)
	BZHIQ(have, starts, starts)
	LEAQ(operand.Mem{Base: after, Index: m.white, Scale: 2}, t)
	ANDQ(m.white, t)
	ANDNQ(starts, t, starts)
	TESTQ(m.high, m.high)
	JNE(ref("beyond"))
	TESTQ(m.stop, m.stop)
	JE(ref("ascii"))
	trim(starts, have, m.stop)
	Label("ascii")
	hashes := Load(Param("ascii"), GP64())
	CMPQ(starts, operand.I8(-1))
	JNE(ref("some"))
	{
		i := GP64()
		XORQ(i, i)
		Label("all")
		for k := range 8 {
			c := GP64()
			MOVBQZX(operand.Mem{Base: text, Index: i, Scale: 1, Disp: k}, c)
			MOVQ(operand.Mem{Base: hashes, Index: c, Scale: 8}, c)
			MOVQ(c, operand.Mem{Base: dst, Index: i, Scale: 8, Disp: 8 * k})
		}
		ADDQ(operand.Imm(8), i)
		CMPQ(i, operand.Imm(64))
		JLT(ref("all"))
		ADDQ(operand.U32(8*64), dst)
		JMP(ref("next"))
	}
	Label("one")
	{
		c := GP64()
		TZCNTQ(starts, c)
		BLSRQ(starts, starts)
		MOVBQZX(operand.Mem{Base: text, Index: c, Scale: 1}, c)
		MOVQ(operand.Mem{Base: hashes, Index: c, Scale: 8}, c)
		MOVQ(c, operand.Mem{Base: dst})
		ADDQ(operand.Imm(8), dst)
	}
	Label("some")
	TESTQ(starts, starts)
	JNE(ref("one"))
	JMP(ref("next"))

	Label("beyond")
	s.beyond(m)
	ANDNQ(starts, m.later, starts)
	// Where characters of several bytes end early, or others follow; and which end behind the block.
	bad, behind := GP64(), GP64()
	LEAQ(operand.Mem{Base: m.two, Index: m.two, Scale: 1}, bad)
	XORQ(m.later, bad)
	SHRQ(operand.Imm(63), m.two)
	MOVQ(m.two, behind)
	for i, x := range []reg.GPVirtual{m.three, m.four} {
		MOVQ(x, t)
		SHLQ(operand.Imm(uint64(2+i)), t)
		XORQ(t, bad)
		SHRQ(operand.Imm(uint64(62-i)), x)
		ORQ(x, behind)
	}
	ORQ(m.stop, bad)
	ORQ(bad, behind)
	JE(ref("complete"))
	trim(starts, have, bad)
	Label("complete")
	count, g := GP64(), GP64()
	POPCNTQ(starts, count)
	JE(ref("next"))
	s.positions(places, starts)
	XORQ(g, g)
	Label("group")
	left := GP64()
	at := operand.Mem{Base: places.Base, Disp: places.Disp, Index: g, Scale: 1}
	{
		base := GP64()
		LEAQ(places, base)
		at = operand.Mem{Base: base, Index: g, Scale: 1}
	}
	s.group(at, left)
	MOVQ(count, t)
	SUBQ(g, t)
	BZHIQ(t, left, left)
	JE(ref("store"))
	TZCNTQ(left, left)
	ADDQ(g, left)
	MOVQ(left, count)
	LEAQ(places, t)
	MOVBQZX(operand.Mem{Base: t, Index: left, Scale: 1}, have)
	Label("store")
	s.store(operand.Mem{Base: dst, Index: g, Scale: 8})
	ADDQ(operand.Imm(uint64(charLanes)), g)
	CMPQ(g, count)
	JLT(ref("group"))
	LEAQ(operand.Mem{Base: dst, Index: count, Scale: 8}, dst)

	Label("next")
	ADDQ(have, text)
	LEAQ(operand.Mem{Base: have, Disp: -1}, t)
	SHRXQ(t, m.white, after)
	ANDQ(operand.Imm(1), after)
	CMPQ(have, operand.Imm(64-charTail))
	JGE(ref("loop"))

	Label("done")
	VZEROUPPER()
	SUBQ(address(Param("dst").Base()), dst)
	SHRQ(operand.Imm(3), dst)
	SUBQ(address(Param("text").Base()), text)
	Store(dst, Return("n"))
	Store(text, Return("size"))
	RET()
}

// trim ends a block before the last character that begins before a bit of bad, or at all if there is none.
func trim(starts, have, bad reg.GPVirtual) {
	last := GP64()
	TZCNTQ(bad, last)
	BZHIQ(last, starts, starts)
	LZCNTQ(starts, last)
	XORQ(operand.Imm(63), last) // 127 of nothing
	BTRQ(last, starts)
	XORQ(have, have)
	CMPQ(last, operand.Imm(64))
	CMOVQLT(last, have)
}

// charSizes has for the high half of a character's first byte how many bits there are; more in its upper lanes.
func charSizes() operand.Mem {
	return constant("charSizes", packed([]byte{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 24, 32})...)
}

// products are those of the upper half of a, which no character changes, with both halves of b.
func products(p10, p11 reg.VecVirtual) {
	t, u, h := GP64(), GP64(), GP64()
	MOVQ(param("a"), h)
	SHRQ(operand.Imm(32), h)
	MOVQ(param("b"), u)
	MOVL(u.As32(), t.As32())
	IMULQ(h, t)
	VMOVQ(t, p10.AsX())
	VPBROADCASTQ(p10.AsX(), p10)
	SHRQ(operand.Imm(32), u)
	IMULQ(h, u)
	VMOVQ(u, p11.AsX())
	VPBROADCASTQ(p11.AsX(), p11)
}

// charLanes is how many characters a group has.
const charLanes = 8

// chars takes eight characters at a time, from memory.
type chars struct {
	x                    [2]reg.VecVirtual
	q, bits, sizes, stop reg.VecVirtual
	a, b, b1, p10, p11   reg.VecVirtual
	from                 reg.GPVirtual
	scratch              operand.Mem
}

// setup loads constants.
func (s *chars) setup() {
	s.scratch = AllocLocal(64 + 8)
	s.x = [2]reg.VecVirtual{YMM(), YMM()}
	s.q, s.bits, s.sizes, s.stop = YMM(), YMM(), YMM(), YMM()
	s.a, s.b, s.b1, s.p10, s.p11 = YMM(), YMM(), YMM(), YMM(), YMM()
	VBROADCASTI128(charSizes(), s.sizes)
	VPBROADCASTB(param("stop"), s.stop)
	VPBROADCASTQ(param("a"), s.a)
	VPBROADCASTQ(param("b"), s.b)
	VPSRLQ(operand.Imm(32), s.b, s.b1)
	products(s.p10, s.p11)
	s.from = GP64()
}

// load reads 64 bytes, and lets the last three be read as if there were more, where these are of memory that may be
// read; else from a copy.
func (s *chars) load(text, have, rest reg.GPVirtual) {
	t := GP64()
	MOVQ(text, s.from)
	CMPQ(rest, operand.Imm(64+charTail))
	JGE(ref("there"))
	MOVQ(text, t)
	ANDQ(operand.U32(4095), t)
	CMPQ(t, operand.U32(4096-64-charTail))
	JLE(ref("there"))
	LEAQ(s.scratch, s.from)
	XORQ(t, t)
	Label("copy")
	c := GP64()
	MOVB(operand.Mem{Base: text, Index: t, Scale: 1}, c.As8())
	MOVB(c.As8(), operand.Mem{Base: s.from, Index: t, Scale: 1})
	INCQ(t)
	CMPQ(t, have)
	JLT(ref("copy"))
	Label("there")
	var ones [128]byte
	for i := range 64 {
		ones[i] = 0xff
	}
	LEAQ(constant("firstOnes", packed(ones[:])...), t)
	SUBQ(have, t)
	for i, x := range s.x {
		VMOVDQU(operand.Mem{Base: s.from, Disp: 32 * i}, x)
		VPAND(operand.Mem{Base: t, Disp: 64 + 32*i}, x, x)
	}
}

// gather makes masks of what find finds in both halves.
func (s *chars) gather(mask reg.GPVirtual, find func(x reg.VecVirtual) reg.VecVirtual) {
	t := GP64()
	VPMOVMSKB(find(s.x[1]), t.As32())
	VPMOVMSKB(find(s.x[0]), mask.As32())
	SHLQ(operand.Imm(32), t)
	ORQ(t, mask)
}

// ascii finds the first three marks, beyond the others.
func (s *chars) ascii(m *charMarks) {
	s.gather(m.white, func(x reg.VecVirtual) reg.VecVirtual {
		t, u := YMM(), YMM()
		VPSUBB(every(0x0909090909090909), x, t)
		VPMINUB(every(0x0404040404040404), t, u)
		VPCMPEQB(t, u, u)
		VPCMPEQB(every(0x2020202020202020), x, t)
		VPOR(t, u, u)
		return u
	})
	s.gather(m.stop, func(x reg.VecVirtual) reg.VecVirtual {
		t := YMM()
		VPCMPEQB(s.stop, x, t)
		return t
	})
	s.gather(m.high, func(x reg.VecVirtual) reg.VecVirtual { return x })
}

func (s *chars) beyond(m *charMarks) {
	for i, mask := range []reg.GPVirtual{m.two, m.three, m.four} {
		s.gather(mask, func(x reg.VecVirtual) reg.VecVirtual {
			t := YMM()
			VPCMPGTB(every([]uint64{0xbf, 0xdf, 0xef}[i]*0x0101010101010101), x, t) // signed
			return t
		})
		if i == 0 {
			MOVQ(mask, m.later)
			NOTQ(m.later)
		}
		ANDQ(m.high, mask)
	}
}

// positions writes the positions of the bits of starts to memory, a byte each.
func (s *chars) positions(to operand.Mem, starts reg.GPVirtual) {
	table, at := GP64(), GP64()
	LEAQ(bitPlaces(), table)
	LEAQ(to, at)
	for i := range 8 {
		b, places, base := GP64(), GP64(), GP64()
		MOVBQZX(starts.As8(), b)
		MOVQ(operand.Mem{Base: table, Index: b, Scale: 8}, places)
		if i > 0 {
			MOVQ(operand.U64(8*uint64(i)*0x0101010101010101), base)
			ADDQ(base, places)
		}
		MOVQ(places, operand.Mem{Base: at})
		if i < 7 {
			POPCNTQ(b, b)
			ADDQ(b, at)
			SHRQ(operand.Imm(8), starts)
		}
	}
}

// size finds how many bits characters have.
func (s *chars) size() {
	VPSRLD(operand.Imm(4), s.q, s.bits)
	VPAND(every(0x0000000f0000000f), s.bits, s.bits)
	VPOR(every(0x8080800080808000), s.bits, s.bits)
	VPSHUFB(s.bits, s.sizes, s.bits)
}

// group takes the characters at the positions of a group. left has a bit for each that is left to the caller.
func (s *chars) group(at operand.Mem, left reg.GPVirtual) {
	t, u, e, mask := YMM(), YMM(), YMM(), YMM()
	VPMOVZXBD(at, t)
	VPAND(every(0x0000003f0000003f), t, t) // what is behind the last position is anything
	VPCMPEQD(mask, mask, mask)
	VPXOR(s.q, s.q, s.q)
	VPGATHERDD(mask, operand.Mem{Base: s.from, Index: t, Scale: 1}, s.q)
	s.size()
	VPCMPEQD(mask, mask, mask)
	VPSLLVD(s.bits, mask, t)
	VPANDN(s.q, t, s.q)
	same := label("same")
	VPAND(every(0x000000ff000000ff), s.q, t)
	VPSUBD(every(sameLead*0x0000000100000001), t, t)
	VPMINUD(every((sameLeads-1)*0x0000000100000001), t, u)
	VPCMPEQD(u, t, u)
	VPSUBD(every('!'*0x0000000100000001), s.q, t)
	VPMINUD(every(('@'-'!')*0x0000000100000001), t, e)
	VPCMPEQD(e, t, t)
	VPOR(t, u, u)
	VMOVMSKPS(u, left.As32())
	XORL(operand.Imm(0xff), left.As32())
	JE(ref(same))
	// What becomes of them, by their first two bytes.
	VPAND(every(0x00003f3f00003f3f), s.q, t)
	VPMADDUBSW(every(0x0000014000000140), t, t)
	VPADDD(every(charLead*0x0000000100000001), s.q, u)
	VPCMPEQD(every(0x0000000800000008), s.bits, e)
	VPBLENDVB(e, u, t, t)
	VPXOR(e, e, e)
	table := GP64()
	Load(Param("first"), table)
	VPGATHERDD(mask, operand.Mem{Base: table, Index: t, Scale: 4}, e)
	// And by the third.
	alone := label("alone")
	VPSLLD(operand.Imm(1), e, mask)
	VMOVMSKPS(mask, left.As32())
	TESTL(left.As32(), left.As32())
	JE(ref(alone))
	VPSRLD(operand.Imm(16), s.q, t)
	VPAND(every(0x00003f3f00003f3f), t, t)
	VPAND(every(0x0000ffff0000ffff), e, u)
	VPOR(u, t, t) // pages are of 64
	Load(Param("pages").Base(), table)
	VPGATHERDD(mask, operand.Mem{Base: table, Index: t, Scale: 4}, e)
	Label(alone)
	VPXOR(t, t, t)
	VPCMPEQD(t, e, t)
	VPBLENDVB(t, s.q, e, s.q)
	s.size()
	VMOVMSKPS(e, left.As32())
	Label(same)
}

// store hashes them.
func (s *chars) store(to operand.Mem) {
	VPSRLD(operand.Imm(3), s.bits, s.bits)
	for half := range 2 {
		a, n, p00, p01, t := YMM(), YMM(), YMM(), YMM(), YMM()
		if half == 1 {
			VEXTRACTI128(operand.Imm(1), s.q, s.q.AsX())
			VEXTRACTI128(operand.Imm(1), s.bits, s.bits.AsX())
		}
		VPMOVZXDQ(s.q.AsX(), a)
		VPMOVZXDQ(s.bits.AsX(), n)
		VPXOR(s.a, a, a)
		VPMULUDQ(s.b, a, p00)
		VPMULUDQ(s.b1, a, p01)
		VPSRLQ(operand.Imm(32), p00, t)
		VPADDQ(s.p10, t, t)
		VPSRLQ(operand.Imm(32), t, a)
		VPAND(every(1<<32-1), t, t)
		VPADDQ(t, p01, p01)
		VPADDQ(s.p11, a, a)
		VPSRLQ(operand.Imm(32), p01, t)
		VPADDQ(t, a, a)
		VPSLLQ(operand.Imm(32), p01, p01)
		VPBLENDD(operand.Imm(0x55), p00, p01, p01)
		VPXOR(p01, a, a)
		VPMULUDQ(every(golden>>32), n, t)
		VPMULUDQ(every(golden&(1<<32-1)), n, n)
		VPSLLQ(operand.Imm(32), t, t)
		VPADDQ(t, n, n)
		VPADDQ(n, a, a)
		VMOVDQU(a, to.Offset(32*half))
	}
}
