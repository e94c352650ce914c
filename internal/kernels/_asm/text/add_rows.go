package text

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	unitBytes = 32 // of a unit's numbers: kernels.RowUnit of float32, or kernels.WholeUnit of int16
	rowsAhead = 64 // kernels.RowsAhead
)

// rowVectors are what the kernels of rows do with vectors of sums, which are twice as wide as the numbers.
type rowVectors interface {
	vector() reg.VecVirtual
	bytes() int
	numberBits() int // their logarithm, in bytes
	add(numbers operand.Mem, sum reg.VecVirtual)
}

// ratioVectors are what the kernel of ratios does with vectors of float64, besides.
type ratioVectors interface {
	rowVectors
	most() int // units of weights and ratios that are added at once
	// addOrdered adds x to sum where r is a number.
	addOrdered(r, x, sum reg.VecVirtual)
}

type floats struct{}

func (floats) numberBits() int { return 2 }

// addFloats adds float32 to float64.
func addFloats(numbers operand.Mem, sum, x reg.VecVirtual) {
	VCVTPS2PD(numbers, x)
	VADDPD(x, sum, sum)
}

type rows256 struct{ floats }

func (rows256) vector() reg.VecVirtual                        { return YMM() }
func (rows256) bytes() int                                    { return 32 }
func (rows256) most() int                                     { return 2 }
func (v rows256) add(numbers operand.Mem, sum reg.VecVirtual) { addFloats(numbers, sum, v.vector()) }

func (rows256) addOrdered(r, x, sum reg.VecVirtual) {
	VCMPPD(operand.Imm(ordered), r, r, r)
	VANDPD(r, x, x)
	VADDPD(x, sum, sum)
}

type rows512 struct{ floats }

func (rows512) vector() reg.VecVirtual                        { return ZMM() }
func (rows512) bytes() int                                    { return 64 }
func (rows512) most() int                                     { return 4 }
func (v rows512) add(numbers operand.Mem, sum reg.VecVirtual) { addFloats(numbers, sum, v.vector()) }

func (rows512) addOrdered(r, x, sum reg.VecVirtual) {
	mask := K()
	VCMPPD(operand.Imm(ordered), r, r, mask)
	VADDPD(x, sum, mask, sum)
}

type whole256 struct{}

func (whole256) numberBits() int        { return 1 }
func (whole256) vector() reg.VecVirtual { return YMM() }
func (whole256) bytes() int             { return 32 }

// add adds int16 to int32.
func (whole256) add(numbers operand.Mem, sum reg.VecVirtual) {
	x := YMM()
	VPMOVSXWD(numbers, x)
	VPADDD(x, sum, sum)
}

// ordered is the comparison of two numbers that neither is NaN.
const ordered = 7

// addRows writes AddRows.
func addRows(name string, v rowVectors) {
	TEXT("addRows"+name, NOSPLIT, "func(sums []float64, table []float32, pitch int, rows []uint32, n, height int) (ok bool)")
	eachRow(v, 4, []*rowPart{{sums: Load(Param("sums").Base(), GP64()), table: Load(Param("table").Base(), GP64())}}, nil)
}

// addWholeRows writes AddWholeRows, which adds up six units at once.
func addWholeRows() {
	TEXT("addWholeRowsVector", NOSPLIT, "func(sums []int32, table []int16, pitch int, rows []uint32, n, height int) (ok bool)")
	eachRow(whole256{}, 6, []*rowPart{{sums: Load(Param("sums").Base(), GP64()), table: Load(Param("table").Base(), GP64())}}, nil)
}

// addRatioRows writes AddRatioRows.
func addRatioRows(name string, v ratioVectors) {
	TEXT("addRatioRows"+name, NOSPLIT, "func(sums, squares, usual []float64, table []float32, pitch int, rows []uint32, of []float32, n, height int) (ok bool)")
	weights := rowPart{sums: Load(Param("sums").Base(), GP64()), table: Load(Param("table").Base(), GP64())}
	ratios := rowPart{sums: Load(Param("squares").Base(), GP64()), table: Load(Param("sums").Len(), GP64()), usual: Load(Param("usual").Base(), GP64()), ratio: v}
	LEAQ(operand.Mem{Base: weights.table, Index: ratios.table, Scale: 4}, ratios.table)
	eachRow(v, v.most(), []*rowPart{&weights, &ratios}, Load(Param("of").Base(), GP64()))
}

// rowPart is a part of all rows, and where it goes.
type rowPart struct {
	sums         reg.Register
	table        reg.Register
	usual        reg.Register // of a part whose excess is added, else nil
	ratio        ratioVectors // of such a part
	accumulators []reg.VecVirtual
}

// eachRow adds up to most units of each part of all rows in registers, then the next ones: a
// sum waits for the one before, but not for memory, where it would lie between two rows.
func eachRow(v rowVectors, most int, parts []*rowPart, of reg.Register) {
	left := GP64()
	Load(Param("sums").Len(), left)
	first := Load(Param("rows").Base(), GP64())
	end, far := GP64(), GP64()
	Load(Param("n"), end)
	LEAQ(operand.Mem{Base: first, Index: end, Scale: 4}, end)
	Load(Param("rows").Len(), far)
	LEAQ(operand.Mem{Base: first, Index: far, Scale: 4, Disp: -4 * rowsAhead}, far)
	pitch := GP64()
	Load(Param("pitch"), pitch)
	SHLQ(operand.Imm(uint64(v.numberBits())), pitch) // bytes
	if of != nil {
		SUBQ(first, of) // from a row's number to what it has of its own
	}
	height := Load(Param("height"), GP64())
	unit := unitBytes >> v.numberBits()
	for units := most; units > 0; units-- {
		again, next := "units"+strconv.Itoa(units), "below"+strconv.Itoa(units)
		Label(again)
		CMPQ(left, operand.U32(units*unit))
		JLT(ref(next))
		for _, part := range parts {
			part.load(v, units)
		}
		at, row := GP64(), GP64()
		MOVQ(first, at)
		loop, asked := "rows"+strconv.Itoa(units), "asked"+strconv.Itoa(units)
		Label(loop)
		CMPQ(at, far)
		JGE(ref(asked))
		MOVL(operand.Mem{Base: at, Disp: 4 * rowsAhead}, row.As32())
		IMULQ(pitch, row)
		for _, part := range parts {
			part.prefetch(row, units)
		}
		Label(asked)
		MOVL(operand.Mem{Base: at}, row.As32())
		CMPQ(row, height)
		JAE(ref("bad"))
		IMULQ(pitch, row)
		for _, part := range parts {
			part.add(v, row, at, of)
		}
		ADDQ(operand.Imm(4), at)
		CMPQ(at, end)
		JB(ref(loop))
		for _, part := range parts {
			part.store(v, units)
		}
		SUBQ(operand.U32(units*unit), left)
		if units == most {
			JMP(ref(again))
		}
		Label(next)
	}
	ok := GP8()
	MOVB(operand.Imm(1), ok)
	Label("end")
	VZEROUPPER()
	Store(ok, Return("ok"))
	RET()
	Label("bad")
	XORB(ok, ok)
	JMP(ref("end"))
}

// load loads the sums of the next units.
func (p *rowPart) load(v rowVectors, units int) {
	p.accumulators = make([]reg.VecVirtual, units*2*unitBytes/v.bytes())
	for i := range p.accumulators {
		p.accumulators[i] = v.vector()
		VMOVUPD(operand.Mem{Base: p.sums, Disp: i * v.bytes()}, p.accumulators[i])
	}
}

// prefetch asks for the units of the row that is so many bytes behind the first.
func (p *rowPart) prefetch(row reg.Register, units int) {
	for disp := 0; disp < units*unitBytes; disp += 64 {
		PREFETCHT0(operand.Mem{Base: p.table, Index: row, Scale: 1, Disp: disp})
	}
	if units%2 == 0 { // a line more, if they begin in the middle of one
		PREFETCHT0(operand.Mem{Base: p.table, Index: row, Scale: 1, Disp: units*unitBytes - 4})
	}
}

// add adds the part of that row, whose number is at an address.
func (p *rowPart) add(v rowVectors, row, at, of reg.Register) {
	var a reg.VecVirtual
	if p.usual != nil {
		a = v.vector()
		VBROADCASTSS(operand.Mem{Base: of, Index: at, Scale: 1}, half(a))
		VCVTPS2PD(half(a), a)
	}
	for i, sum := range p.accumulators {
		numbers := operand.Mem{Base: p.table, Index: row, Scale: 1, Disp: i * v.bytes() / 2}
		if p.usual == nil {
			v.add(numbers, sum)
			continue
		}
		x, o, less := v.vector(), v.vector(), v.vector()
		VCVTPS2PD(numbers, x)
		VADDPD(operand.Mem{Base: p.usual, Disp: i * v.bytes()}, a, o)
		VSUBPD(o, x, less)
		VADDPD(o, x, o)
		VMULPD(o, less, less)
		p.ratio.addOrdered(x, less, sum)
	}
}

// store stores the sums of the units, and goes on to the next ones.
func (p *rowPart) store(v rowVectors, units int) {
	for i, sum := range p.accumulators {
		VMOVUPD(sum, operand.Mem{Base: p.sums, Disp: i * v.bytes()})
	}
	ADDQ(operand.U32(2*units*unitBytes), p.sums)
	ADDQ(operand.U32(units*unitBytes), p.table)
	if p.usual != nil {
		ADDQ(operand.U32(2*units*unitBytes), p.usual)
	}
}

// half is the lower half of a vector.
func half(v reg.VecVirtual) reg.Register {
	if v.Size() == 64 {
		return v.AsY()
	}
	return v.AsX()
}
