package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of package kernels: the parts of a query and of a count, and where counts are in a line.
const (
	ownerBits    = 11
	countKeyBits = 29
	countBits    = 9
	lineCounts   = 32
)

// countKeys compares a key with all of a line at once, and branches only where a line is full.
func countKeys() {
	TEXT("countKeysVector", NOSPLIT, "func(table [][16]uint32, queries []uint64, secret uint64, next uint32) (after uint32, done, full int)")
	table := Load(Param("table").Base(), GP64())
	lines := Load(Param("table").Len(), GP64())
	queries := Load(Param("queries").Base(), GP64())
	size := Load(Param("queries").Len(), GP64())
	secret, next, i := GP64(), GP64(), GP64()
	MOVQ(param("secret"), secret)
	MOVL(param("next"), next.As32())
	XORQ(i, i)
	zero := YMM()
	VPXOR(zero, zero, zero)
	nowhere := GP64()
	LEAQ(AllocLocal(8), nowhere)

	Label("query")
	key, at, keys := GP64(), GP64(), YMM()
	MOVQ(operand.Mem{Base: queries, Index: i, Scale: 8}, key)
	SHLQ(operand.Imm(ownerBits), key)
	MOVQ(key, at)
	IMULQ(secret, at)
	SHRQ(operand.Imm(32), at)
	IMULQ(lines, at)
	SHRQ(operand.Imm(32), at)
	SHLQ(operand.Imm(6), at)
	SHRQ(operand.Imm(64-countKeyBits), key)
	INCL(key.As32())
	VMOVD(key.As32(), keys.AsX())
	VPBROADCASTD(keys.AsX(), keys)

	Label("line")
	same, empty := GP64(), GP64()
	for _, c := range []struct {
		with reg.VecVirtual
		to   reg.GPVirtual
	}{{keys, same}, {zero, empty}} {
		equal := YMM()
		VPCMPEQD(operand.Mem{Base: table, Index: at, Scale: 1}, c.with, equal)
		VMOVMSKPS(equal, c.to.As32())
	}
	// Whether a key is new is hard to predict, so there is no branch on it: one that is not is written nowhere.
	fresh, to := GP64(), GP64()
	MOVQ(next, fresh)
	SHLL(operand.Imm(countBits), fresh.As32())
	TESTL(same.As32(), same.As32())
	CMOVLEQ(empty.As32(), same.As32())
	TESTL(same.As32(), same.As32())
	JE(ref("full"))
	lane, count := GP64(), GP64()
	TZCNTL(same.As32(), lane.As32())
	LEAQ(operand.Mem{Base: at, Index: lane, Scale: 4}, at)
	LEAQ(operand.Mem{Base: table, Index: at, Scale: 1}, to)
	MOVL(operand.Mem{Base: to, Disp: lineCounts}, count.As32())
	BTL(lane.As32(), empty.As32()) // carries if the key is new
	CMOVLCS(fresh.As32(), count.As32())
	where := GP64()
	MOVQ(nowhere, where)
	CMOVQCS(to, where)
	ADCL(operand.Imm(0), next.As32())
	MOVL(key.As32(), operand.Mem{Base: where})
	INCL(count.As32())
	MOVL(count.As32(), operand.Mem{Base: to, Disp: lineCounts})
	number, owner := GP64(), GP64()
	MOVQ(operand.Mem{Base: queries, Index: i, Scale: 8}, owner)
	SHRQ(operand.Imm(64-ownerBits), owner)
	MOVL(count.As32(), number.As32())
	SHRL(operand.Imm(countBits), number.As32())
	SHLQ(operand.Imm(32), number)
	ORQ(owner, number)
	MOVQ(number, operand.Mem{Base: queries, Index: i, Scale: 8})
	INCQ(i)
	NOTL(count.As32())
	TESTL(operand.U32(1<<countBits-1), count.As32())
	JE(ref("stop"))
	CMPQ(i, size)
	JLT(ref("query"))
	MOVQ(operand.I32(-1), at)
	JMP(ref("done"))

	Label("stop")
	// Eight keys of 4 bytes are the first half of a line.
	MOVQ(at, to)
	SHRQ(operand.Imm(6), to)
	ANDL(operand.Imm(63), at.As32())
	SHRL(operand.Imm(2), at.As32())
	LEAQ(operand.Mem{Base: at, Index: to, Scale: 8}, at)
	Label("done")
	Store(next.As32(), Return("after"))
	Store(i, Return("done"))
	Store(at, Return("full"))
	VZEROUPPER()
	RET()

	// The next line, or the first.
	Label("full")
	end, none := GP64(), GP64()
	ADDQ(operand.Imm(64), at)
	MOVQ(lines, end)
	SHLQ(operand.Imm(6), end)
	XORQ(none, none)
	CMPQ(at, end)
	CMOVQEQ(none, at)
	JMP(ref("line"))
}
