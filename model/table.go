package model

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/hugepages"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Table is a model of binary values and one output, arranged for scoring much text: what
// is asked for an n-gram lies in two lines of the cache, for one that the model does not
// know in one, where the sections of the file are five. It may be used concurrently.
type Table struct {
	bits    int
	cells   []kernels.Cell
	records []kernels.Record
}

// mostTable is the size in bytes from which a table is not worth its memory.
const mostTable = 96 << 20

// TableBytes is the size of a model's table, 0 where there is none.
func TableBytes(m *Model) int64 {
	meta := &m.Meta
	if meta.Source != "text" || meta.Values != "binary" || meta.Prenormalize || m.IDF != nil || m.Outputs != 1 || m.Dense == nil {
		return 0
	}
	size := int64(cellsOf(m))*int64(unsafe.Sizeof(kernels.Cell{})) + int64(m.IDs.Len())*int64(unsafe.Sizeof(kernels.Record{}))
	if size > mostTable {
		return 0
	}
	return size
}

// cellsOf is how many cells tell of all buckets.
func cellsOf(m *Model) int { return len(m.IDs.words) * wordBits / kernels.CellBuckets }

// NewTable arranges a model that TableBytes has a size for.
func NewTable(m *Model) *Table {
	cells, freeCells := hugepages.Make[kernels.Cell](cellsOf(m))
	records, freeRecords := hugepages.Make[kernels.Record](m.IDs.Len())
	t := &Table{m.Meta.Text.Bits, cells, records}
	runtime.AddCleanup(t, func(free [2]func()) {
		free[0]()
		free[1]()
	}, [2]func(){freeCells, freeRecords})
	rows := uint32(0)
	for i := range cells {
		first := i * kernels.CellBuckets
		known := uint32(m.IDs.words[first/wordBits] >> (first % wordBits))
		cells[i] = kernels.Cell{Known: known, Rows: rows}
		rows += uint32(bits.OnesCount32(known))
	}
	for row := range records {
		r := &records[row]
		r.Weight, r.Ratio = m.Dense.At(row), 1
		if m.Ratio != nil {
			r.Ratio = m.Ratio.At(row)
		}
		if m.Tags != nil {
			r.Tag = uint32(m.Tags[row])
		}
	}
	return t
}

// Sums adds up the weights of rows, and the squares of their ratios, in the order of the
// rows: the same bits as from the sections of the file.
func (t *Table) Sums(rows []uint32) (weights, squares float64) {
	for _, row := range rows {
		r := &t.records[row]
		weights += float64(r.Weight)
		squares += float64(float64(r.Ratio) * float64(r.Ratio))
	}
	return weights, squares
}
