package fasttext

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Rounding is what half precision has done to a model.
type Rounding struct {
	MaxError float64 `json:"max_error"` // the largest difference of a probability that was measured
	Texts    int64   `json:"texts"`     // on which it was
	OwnWords bool    `json:"own_words"` // these were the words of the dictionary, each a text
}

// Round gives the model with the numbers of its table in half precision, which is to be told how it differs. It shares
// all else.
func (m *Model) Round() (*Model, *Rounding) {
	r := *m
	r.table, r.rounded = make([]float32, len(m.table)), &Rounding{}
	for i, x := range m.table {
		r.table[i] = xmath.FromHalf(xmath.Half(float64(x)))
	}
	return &r, r.rounded
}

// mostCopied is how many bytes a table may have that is packed without being rounded: a larger one is better used where
// it lies in the file, and shared by all who use it, than copied at every opening.
const mostCopied = 64 << 20

// pack gives the parts of the form that hold the table without its rows of zeros. Rows of n-grams that no text of
// training had are zeros where fastText was run with fewer than ten threads. It returns nil where the table better lies
// in the file as it does in memory.
func (m *Model) pack() [][]byte {
	rows := len(m.table) / m.pitch
	set := make([]uint64, wordsOf(uint64(rows)))
	some := 0
	for i := range rows {
		if slices.ContainsFunc(m.row32(i), func(x float32) bool { return x != 0 }) {
			set[i/wordBits] |= 1 << (i % wordBits)
			some++
		}
	}
	size := 4
	if m.rounded != nil {
		size = 2
	}
	plain, packed := 4*len(m.table), 8*len(set)+some*m.width*size
	if m.rounded == nil && (packed > plain/10*9 || plain > mostCopied) || !mayExpand(int64(plain), int64(packed)) {
		return nil
	}
	var halves []uint16
	var floats []float32
	for i := range setRows(set) {
		for _, x := range m.row32(i) {
			if m.rounded != nil {
				halves = append(halves, xmath.Half(float64(x)))
			} else {
				floats = append(floats, x)
			}
		}
	}
	if m.rounded != nil {
		return [][]byte{mem.ViewBytes(set), mem.ViewBytes(halves)}
	}
	return [][]byte{mem.ViewBytes(set), mem.ViewBytes(floats)}
}

// setRows yields the rows that are set in a bitmap.
func setRows(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(i*wordBits + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// newTable has large pages of memory, in which rows are found sooner.
func newTable(size int64) []float32 {
	table := make([]float32, size)
	if size > 0 {
		mem.AdviseHuge(mem.Overlay(table))
	}
	return table
}

// row32 returns a row of the table, without what fills it up.
func (m *Model) row32(i int) []float32 { return m.table[i*m.pitch:][:m.width] }

// mayExpand reports whether so many bytes of a file may become so many in memory.
func mayExpand(memory, file int64) bool { return memory/mostExpansion <= file }

// rounding takes what is known of rounding.
func (d *reader) rounding() *Rounding {
	at := d.at
	b := d.part(16)
	if b == nil {
		return nil
	}
	r := &Rounding{MaxError: math.Float64frombits(binary.LittleEndian.Uint64(b)), Texts: int64(binary.LittleEndian.Uint64(b[8:]))}
	if !(r.MaxError >= 0 && r.MaxError <= math.MaxFloat32) || r.Texts < 0 {
		d.fail(at, "a probability differs by %v in %d texts", r.MaxError, r.Texts)
		return nil
	}
	return r
}

// unpack makes a table of so many rows of what pack has written.
func (m *Model) unpack(d *reader, rows int64) []float32 {
	begin := d.at
	set := numbersOf[uint64](d, (rows+wordBits-1)/wordBits)
	some := int64(0)
	for _, word := range set {
		some += int64(bits.OnesCount64(word))
	}
	if used := rows % wordBits; d.err == nil && used != 0 && set[len(set)-1]>>used != 0 {
		d.fail(begin, "rows are said to be there beyond the last one, %d", rows)
	}
	width := int64(m.width)
	var halves []uint16
	var floats []float32
	if m.rounded != nil {
		halves = numbersOf[uint16](d, times(some, width))
	} else {
		floats = numbersOf[float32](d, times(some, width))
	}
	size := times(rows, int64(m.pitch))
	if d.err == nil && !mayExpand(times(4, size), int64(d.at-begin)) {
		d.failed(unsupported(int64(begin), "its %d rows of %d numbers are too many to make of %d bytes", rows, m.width, d.at-begin))
	}
	if d.err != nil {
		return nil
	}
	table := newTable(size)
	for i := range setRows(set) {
		row := table[i*m.pitch:][:m.width]
		if m.rounded == nil {
			floats = floats[copy(row, floats):]
			continue
		}
		for k := range row {
			if halves[k]&xmath.HalfInfinity == xmath.HalfInfinity {
				d.fail(begin, "row %d has a number that is not finite", i)
				return nil
			}
			row[k] = xmath.FromHalf(halves[k])
		}
		halves = halves[m.width:]
	}
	return table
}
