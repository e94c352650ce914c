package text

import (
	"math/bits"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is what hashing has of an instruction set: a word in each lane.
type lanes interface {
	count() int
	setup()
	// lengths loads the words' lengths; too has a bit for those that are left over,
	// or more, of which only the lowest counts, at that lane times the result.
	lengths(start, end operand.Mem, too reg.GPVirtual) (spread int)
	// hash hashes the words.
	hash(text reg.GPVirtual, start operand.Mem) reg.VecVirtual
	store(v reg.VecVirtual, to operand.Mem)
	// storeFirst stores the first n lanes.
	storeFirst(v reg.VecVirtual, n reg.GPVirtual, to operand.Mem)
}

// hashWords hashes words lane by lane up to the first that is left over, which ends a
// turn.
func hashWords(set string, l lanes) {
	name := "hashWords" + set
	TEXT(name, NOSPLIT, "func(dst []uint64, lowered *["+strconv.Itoa(textSize)+"]uint8, start, end *uint16, a, b uint64) (done int)")
	l.setup()
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	text := Load(Param("lowered"), GP64()).(reg.GPVirtual)
	ADDQ(operand.Imm(textLead), text)
	starts := Load(Param("start"), GP64())
	ends := Load(Param("end"), GP64())
	i, too := GP64(), GP64()
	XORQ(i, i)
	start, end := operand.Mem{Base: starts, Index: i, Scale: 2}, operand.Mem{Base: ends, Index: i, Scale: 2}
	to := operand.Mem{Base: dst, Index: i, Scale: 8}
	SUBQ(operand.Imm(uint64(l.count())), n)
	JLT(ref("rest"))
	Label("loop")
	l.lengths(start, end, too)
	TESTQ(too, too)
	JNE(ref("rest"))
	l.store(l.hash(text, start), to)
	ADDQ(operand.Imm(uint64(l.count())), i)
	CMPQ(i, n)
	JLE(ref("loop"))

	// The last words, up to the first that is left over.
	Label("rest")
	ADDQ(operand.Imm(uint64(l.count())), n)
	rest := GP64()
	spread := l.lengths(start, end, too)
	TZCNTQ(too, too) // 64 where there is none
	if spread > 1 {
		SHRQ(operand.Imm(uint64(bits.TrailingZeros(uint(spread)))), too)
	}
	MOVQ(n, rest)
	SUBQ(i, rest)
	// More than a turn is left where a word is left over in this one.
	CMPQ(too, rest)
	CMOVQLT(too, rest)
	TESTQ(rest, rest)
	JE(ref("done"))
	l.storeFirst(l.hash(text, start), rest, to)
	ADDQ(rest, i)
	Label("done")
	VZEROUPPER()
	Store(i, Return("done"))
	RET()
}

// lanes512 has eight lanes.
type lanes512 struct {
	a, b, ones, one, low, golden, most, sixtyFour reg.VecVirtual
	sizes                                         reg.VecVirtual
}

func (*lanes512) count() int { return 8 }

func (l *lanes512) setup() {
	l.a, l.b = ZMM(), ZMM()
	VPBROADCASTQ(param("a"), l.a)
	VPBROADCASTQ(param("b"), l.b)
	l.ones, l.one, l.low = set64(1<<64-1, ZMM()), set64(1, ZMM()), set64(1<<32-1, ZMM())
	l.golden, l.sixtyFour = set64(golden, ZMM()), set64(64, ZMM())
	l.most = set64(maxWord*0x0001000100010001, XMM())
	l.sizes = XMM()
}

func (l *lanes512) lengths(start, end operand.Mem, too reg.GPVirtual) int {
	k := K()
	VMOVDQU(end, l.sizes)
	VPSUBW(start, l.sizes, l.sizes)
	VPCMPUW(operand.Imm(6), l.most, l.sizes, k)
	KMOVB(k, too.As32())
	return 1
}

func (l *lanes512) hash(text reg.GPVirtual, start operand.Mem) reg.VecVirtual {
	// The even words and the odd ones; an unpacking makes lanes of their halves.
	var pair [2]reg.VecVirtual
	for odd := range pair {
		z := ZMM()
		pair[odd] = z
		for i := range 4 {
			at := GP64()
			MOVWQZX(start.Offset(4*i+2*odd), at)
			word := operand.Mem{Base: text, Index: at, Scale: 1}
			if i == 0 {
				VMOVDQU(word, z.AsX())
			} else {
				VINSERTI64X2(operand.Imm(uint64(i)), word, z, z)
			}
		}
	}
	a, b := ZMM(), ZMM()
	VPUNPCKLQDQ(pair[1], pair[0], a)
	VPUNPCKHQDQ(pair[1], pair[0], b)
	n, bits, mask := ZMM(), ZMM(), ZMM()
	VPMOVZXWQ(l.sizes, n)
	VPSLLQ(operand.Imm(3), n, bits)
	VPSLLVQ(bits, l.one, mask) // 0 of 64 bits or more
	VPADDQ(l.ones, mask, mask)
	VPTERNLOGQ(operand.Imm(0x6a), l.a, mask, a) // (a & mask) ^ key
	VPSUBUSW(l.sixtyFour, bits, bits)
	VPSLLVQ(bits, l.one, mask)
	VPADDQ(l.ones, mask, mask)
	VPTERNLOGQ(operand.Imm(0x6a), l.b, mask, b)

	// The product of 64 by 64 bits, of four of 32 by 32.
	a1, b1, p00, p01, p10, p11, t := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPSRLQ(operand.Imm(32), a, a1)
	VPSRLQ(operand.Imm(32), b, b1)
	VPMULUDQ(b, a, p00)
	VPMULUDQ(b1, a, p01)
	VPMULUDQ(b, a1, p10)
	VPMULUDQ(b1, a1, p11)
	VPSRLQ(operand.Imm(32), p00, t)
	VPADDQ(t, p10, p10)
	VPANDQ(l.low, p10, t)
	VPADDQ(t, p01, p01)
	VPSRLQ(operand.Imm(32), p10, p10)
	VPADDQ(p10, p11, p11)
	VPSRLQ(operand.Imm(32), p01, t)
	VPADDQ(t, p11, p11)
	VPSLLQ(operand.Imm(32), p01, p01)
	VPTERNLOGQ(operand.Imm(0xf8), p00, l.low, p01) // the low half: p01 | p00 & low
	VPXORQ(p01, p11, p11)
	VPMULLQ(l.golden, n, n)
	VPADDQ(n, p11, p11)
	return p11
}

func (l *lanes512) store(v reg.VecVirtual, to operand.Mem) { VMOVDQU64(v, to) }

func (l *lanes512) storeFirst(v reg.VecVirtual, n reg.GPVirtual, to operand.Mem) {
	VMOVDQU64(v, firstOf(n), to)
}

// firstOf has ones for the first n lanes.
func firstOf(n reg.GPVirtual) operand.Op {
	ones, k := GP64(), K()
	MOVQ(operand.I32(-1), ones)
	BZHIQ(n, ones, ones)
	KMOVB(ones.As32(), k)
	return k
}

// lanes256 has four lanes.
type lanes256 struct {
	a, b, ones, one reg.VecVirtual
	sizes           reg.VecVirtual
}

func (*lanes256) count() int { return 4 }

func (l *lanes256) setup() {
	l.a, l.b = YMM(), YMM()
	VPBROADCASTQ(param("a"), l.a)
	VPBROADCASTQ(param("b"), l.b)
	l.ones, l.one = set64(1<<64-1, YMM()), set64(1, YMM())
	l.sizes = XMM()
}

func (l *lanes256) lengths(start, end operand.Mem, too reg.GPVirtual) int {
	more := XMM()
	VMOVQ(end, l.sizes)
	VMOVQ(start, more)
	VPSUBW(more, l.sizes, l.sizes)
	VPSUBUSW(every(maxWord*0x0001000100010001), l.sizes, more)
	VMOVQ(more, too)
	return 16
}

func (l *lanes256) hash(text reg.GPVirtual, start operand.Mem) reg.VecVirtual {
	var pair [2]reg.VecVirtual
	for odd := range pair {
		y := YMM()
		pair[odd] = y
		for i := range 2 {
			at := GP64()
			MOVWQZX(start.Offset(4*i+2*odd), at)
			word := operand.Mem{Base: text, Index: at, Scale: 1}
			if i == 0 {
				VMOVDQU(word, y.AsX())
			} else {
				VINSERTI128(operand.Imm(1), word, y, y)
			}
		}
	}
	a, b := YMM(), YMM()
	VPUNPCKLQDQ(pair[1], pair[0], a)
	VPUNPCKHQDQ(pair[1], pair[0], b)
	n, bits, mask := YMM(), YMM(), YMM()
	VPMOVZXWQ(l.sizes, n)
	VPSLLQ(operand.Imm(3), n, bits)
	VPSLLVQ(bits, l.one, mask)
	VPADDQ(l.ones, mask, mask)
	VPAND(mask, a, a)
	VPXOR(l.a, a, a)
	VPSUBUSW(every(64), bits, bits)
	VPSLLVQ(bits, l.one, mask)
	VPADDQ(l.ones, mask, mask)
	VPAND(mask, b, b)
	VPXOR(l.b, b, b)

	a1, b1, p00, p01, p10, p11, t := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VPSRLQ(operand.Imm(32), a, a1)
	VPSRLQ(operand.Imm(32), b, b1)
	VPMULUDQ(b, a, p00)
	VPMULUDQ(b1, a, p01)
	VPMULUDQ(b, a1, p10)
	VPMULUDQ(b1, a1, p11)
	VPSRLQ(operand.Imm(32), p00, t)
	VPADDQ(t, p10, p10)
	VPAND(every(1<<32-1), p10, t)
	VPADDQ(t, p01, p01)
	VPSRLQ(operand.Imm(32), p10, p10)
	VPADDQ(p10, p11, p11)
	VPSRLQ(operand.Imm(32), p01, t)
	VPADDQ(t, p11, p11)
	VPSLLQ(operand.Imm(32), p01, p01)
	VPBLENDD(operand.Imm(0x55), p00, p01, p01)
	VPXOR(p01, p11, p11)
	VPMULUDQ(every(golden>>32), n, t)
	VPMULUDQ(every(golden&(1<<32-1)), n, n)
	VPSLLQ(operand.Imm(32), t, t)
	VPADDQ(t, n, n)
	VPADDQ(n, p11, p11)
	return p11
}

func (l *lanes256) store(v reg.VecVirtual, to operand.Mem) { VMOVDQU(v, to) }

func (l *lanes256) storeFirst(v reg.VecVirtual, n reg.GPVirtual, to operand.Mem) {
	mask := YMM()
	VMOVQ(n, mask.AsX())
	VPBROADCASTQ(mask.AsX(), mask)
	VPCMPGTQ(constant("lanes", 0, 1, 2, 3), mask, mask)
	VPMASKMOVQ(v, mask, to)
}
