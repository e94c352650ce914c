package fasttext

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// mostCopied is how many bytes a packed table may have: a larger one is better used where
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
	plain, packed := 4*len(m.table), 8*len(set)+4*some*m.width
	if packed > plain/10*9 || plain > mostCopied || !mayExpand(int64(plain), int64(packed)) {
		return nil
	}
	numbers := make([]float32, 0, some*m.width)
	for i := range setRows(set) {
		numbers = append(numbers, m.row32(i)...)
	}
	return [][]byte{mem.ViewBytes(set), mem.ViewBytes(numbers)}
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
	numbers := numbersOf[float32](d, times(some, width))
	size := times(rows, int64(m.pitch))
	if d.err == nil && !mayExpand(times(4, size), int64(d.at-begin)) {
		d.failed(unsupported(int64(begin), "its %d rows of %d numbers are too many to make of %d bytes", rows, m.width,
			d.at-begin))
	}
	if d.err != nil {
		return nil
	}
	table := newTable(size)
	for i := range setRows(set) {
		numbers = numbers[copy(table[i*m.pitch:][:m.width], numbers):]
	}
	return table
}
