package text

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inEights goes over as many entries as there are eights of: body works on those from
// done on, and moves kept, which count helps it with. done and kept are returned, the
// latter by the given name. It ends the function.
func inEights(size reg.GPVirtual, name string, body func(done, kept reg.GPVirtual)) {
	done, kept := GP64(), GP64()
	XORQ(done, done)
	XORQ(kept, kept)
	SUBQ(operand.Imm(8), size)
	JLT(ref("done"))
	Label("loop")
	body(done, kept)
	ADDQ(operand.Imm(8), done)
	CMPQ(done, size)
	JLE(ref("loop"))
	Label("done")
	VZEROUPPER()
	Store(done, Return("done"))
	Store(kept, Return(name))
	RET()
}

// count adds the bits of a mask to kept.
func count(mask reg.OpmaskVirtual, kept reg.GPVirtual) {
	bits := GP64()
	KMOVB(mask, bits.As32())
	POPCNTQ(bits, bits)
	ADDQ(bits, kept)
}

var numbers operand.Mem

// eachID are the numbers of eight entries, of 32 bits each; eightIDs leads to the next ones.
func eachID() operand.Mem {
	if numbers.Base == nil {
		numbers = constant("ids", 0x0000000100000000, 0x0000000300000002, 0x0000000500000004, 0x0000000700000006)
	}
	return numbers
}

func eightIDs() operand.Mem { return every(0x0000000800000008) }
