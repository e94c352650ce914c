package model

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/hugepages"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Table is a model of binary values, arranged for scoring much text: what is asked for
// an n-gram lies in two lines of the cache, for one that the model does not know in one,
// where the sections of the file are five. What a row says to several outputs lies side
// by side in numbers of its own. A table may be used concurrently.
type Table struct {
	bits    int
	cells   []kernels.Cell
	records []kernels.Record
	// Of several outputs, every row has a number for each that Add adds to its sum, and
	// others behind them; of one output, there are none.
	width   int
	numbers []float64
}

// Sizes in bytes from which tables are not worth their memory: that of one output gains
// less, the less of it is in cache; several outputs gain from lying side by side.
const (
	mostTable     = 96 << 20
	mostWideTable = 256 << 20
)

// TableBytes is the size of a model's table, 0 where there is none.
func TableBytes(m *Model) int64 {
	meta := &m.Meta
	if meta.Source != "text" || meta.Values != "binary" || meta.Prenormalize || m.IDF != nil {
		return 0
	}
	if m.Outputs == 1 && m.SparseRatio != nil { // no model is made so
		return 0
	}
	row := int64(unsafe.Sizeof(kernels.Record{})) + int64(tableWidth(m))*int64(unsafe.Sizeof(float64(0)))
	size := int64(cellsOf(m))*int64(unsafe.Sizeof(kernels.Cell{})) + int64(m.IDs.Len())*row
	most := int64(mostTable)
	if m.Outputs > 1 {
		most = mostWideTable
	}
	if size > most {
		return 0
	}
	return size
}

// cellsOf is how many cells tell of all buckets.
func cellsOf(m *Model) int { return len(m.IDs.words) * wordBits / kernels.CellBuckets }

// tableWidth is how many numbers a row has for several outputs: weights, and, if each
// output has a norm of its own, what a row adds to that.
func tableWidth(m *Model) int {
	n := m.Outputs
	switch {
	case n == 1:
		return 0
	case m.hasNorms():
		n *= 2
	}
	return (n + kernels.RowUnit - 1) / kernels.RowUnit * kernels.RowUnit
}

// hasNorms tells whether the norm of a document differs from output to output.
func (m *Model) hasNorms() bool { return m.Meta.Normalize && (m.Ratio != nil || m.SparseRatio != nil) }

// NewTable arranges a model that TableBytes has a size for.
func NewTable(m *Model) *Table {
	t := &Table{bits: m.Meta.Text.Bits, width: tableWidth(m)}
	var free [3]func()
	t.cells, free[0] = hugepages.Make[kernels.Cell](cellsOf(m))
	t.records, free[1] = hugepages.Make[kernels.Record](m.IDs.Len())
	t.numbers, free[2] = hugepages.Make[float64](m.IDs.Len() * t.width)
	runtime.AddCleanup(t, func(free [3]func()) {
		for _, f := range free {
			f()
		}
	}, free)
	rows := uint32(0)
	for i := range t.cells {
		first := i * kernels.CellBuckets
		known := uint32(m.IDs.words[first/wordBits] >> (first % wordBits))
		t.cells[i] = kernels.Cell{Known: known, Rows: rows}
		rows += uint32(bits.OnesCount32(known))
	}
	for row := range t.records {
		r := &t.records[row]
		if m.Tags != nil {
			r.Tag = uint32(m.Tags[row])
		}
		switch {
		case m.Outputs == 1:
			r.Weight, r.Ratio = m.onlyWeight(row), 1
			if m.Ratio != nil {
				r.Ratio = m.Ratio.At(row)
			}
		case m.SparseRatio != nil:
			r.Ratio = m.SparseRatio.Row.At(row)
			r.Weight = r.Ratio
		}
	}
	if t.width > 0 {
		t.arrange(m)
	}
	return t
}

// onlyWeight is that of a row for the only output.
func (m *Model) onlyWeight(row int) float32 {
	if m.Dense != nil {
		return m.Dense.At(row)
	}
	var room [1]float32
	if _, weights := m.Sparse.Row(room[:], uint32(row)); len(weights) > 0 {
		return weights[0]
	}
	return 0
}

// arrange fills in the numbers for several outputs.
func (t *Table) arrange(m *Model) {
	k := m.Outputs
	room := make([]float32, k)
	for row := range t.records {
		numbers := t.numbers[row*t.width:][:t.width]
		if m.Dense != nil {
			for i, w := range m.Dense.Range(room, row*k, (row+1)*k) {
				numbers[i] = float64(w)
			}
		} else {
			outputs, weights := m.Sparse.Row(room, uint32(row))
			for e, w := range weights {
				numbers[outputs[e]] = float64(w)
			}
		}
		switch {
		case !m.hasNorms():
		case m.Ratio != nil:
			for i, r := range m.Ratio.Range(room, row*k, (row+1)*k) {
				numbers[k+i] = float64(r) * float64(r)
			}
		default:
			a := float64(t.records[row].Ratio)
			outputs, ratios := m.SparseRatio.Pairs.Row(room, uint32(row))
			for e, r := range ratios {
				numbers[k+int(outputs[e])] = m.SparseRatio.Excess(a, outputs[e], r)
			}
		}
	}
}

// Add adds the numbers of the first n rows to sums, row by row; those behind them are to
// come next. They have the same bits as from the sections of
// the file, as what they lack is 0 here. There are sums of weights, one for each of
// several outputs, and, where norms differ, of the squares of ratios, or of what
// SparseRatio's pairs exceed. Then come others, less than kernels.RowUnit.
func (t *Table) Add(sums []float64, rows []uint32, n int) {
	kernels.AddRows(sums[:t.width], t.numbers, rows, n)
}

// Sums adds up the weights of rows for the only output, and the squares of their ratios,
// in the order of the rows: the same bits as from the sections of the file. Of several
// outputs it is the numbers SparseRatio.Row, and their squares.
func (t *Table) Sums(rows []uint32) (weights, squares float64) {
	for _, row := range rows {
		r := &t.records[row]
		weights += float64(r.Weight)
		squares += float64(float64(r.Ratio) * float64(r.Ratio))
	}
	return weights, squares
}
