package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hashWords hashes words lane by lane up to the first that is left over, which ends a
// turn.
func hashWords() {
	l := new(wordLanes)
	TEXT("hashWordsVector", NOSPLIT,
		"func(dst []uint64, lowered *["+strconv.Itoa(textSize)+"]uint8, start, end *uint16, a, b uint64) (done int)")
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
	SUBQ(operand.Imm(uint64(hashLanes)), n)
	JLT(ref("rest"))
	Label("loop")
	l.lengths(start, end, too)
	TESTQ(too, too)
	JNE(ref("rest"))
	l.store(l.hash(text, start), to)
	ADDQ(operand.Imm(uint64(hashLanes)), i)
	CMPQ(i, n)
	JLE(ref("loop"))

	// The last words, up to the first that is left over.
	Label("rest")
	ADDQ(operand.Imm(uint64(hashLanes)), n)
	rest := GP64()
	l.lengths(start, end, too)
	TZCNTQ(too, too)          // 64 where there is none
	SHRQ(operand.Imm(4), too) // a lane has 16 bits
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

// hashLanes is how many words are hashed at once.
const hashLanes = 4

// wordLanes has a word in each lane.
type wordLanes struct {
	a, b, ones, one reg.VecVirtual
	sizes           reg.VecVirtual
}

func (l *wordLanes) setup() {
	l.a, l.b = YMM(), YMM()
	VPBROADCASTQ(param("a"), l.a)
	VPBROADCASTQ(param("b"), l.b)
	l.ones, l.one = set64(1<<64-1, YMM()), set64(1, YMM())
	l.sizes = XMM()
}

// lengths loads the words' lengths; too has a bit for those that are left over, or more, of which only the lowest
// counts, 16 bits a lane.
func (l *wordLanes) lengths(start, end operand.Mem, too reg.GPVirtual) {
	more := XMM()
	VMOVQ(end, l.sizes)
	VMOVQ(start, more)
	VPSUBW(more, l.sizes, l.sizes)
	VPSUBUSW(every(maxWord*0x0001000100010001), l.sizes, more)
	VMOVQ(more, too)
}

// hash hashes the words.
func (l *wordLanes) hash(text reg.GPVirtual, start operand.Mem) reg.VecVirtual {
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

func (l *wordLanes) store(v reg.VecVirtual, to operand.Mem) { VMOVDQU(v, to) }

// storeFirst stores the first n lanes.
func (l *wordLanes) storeFirst(v reg.VecVirtual, n reg.GPVirtual, to operand.Mem) {
	mask := YMM()
	VMOVQ(n, mask.AsX())
	VPBROADCASTQ(mask.AsX(), mask)
	VPCMPGTQ(constant("lanes", 0, 1, 2, 3), mask, mask)
	VPMASKMOVQ(v, mask, to)
}
