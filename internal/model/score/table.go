package score

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// table lays out a model of binary values for scoring much text. Everything to be read for an n-gram lies in two cache
// lines: what gives its row, and the row's entry. An n-gram whose bucket has no row takes one. In the sections of the
// file, the same lies in more. A table may be used concurrently.
//
// Ratios are in the entries, and so are the weights of one output. With several, a row is common or rare: a common row
// has a number for every output, a rare one only those that are not zero. Numbers are whole where the model's weights
// are multiples of a unit: then they take half the space. Where classes are in a large tree that was grown over them,
// there are siblingRows instead.
//
// The memory of large tables is not the garbage collector's. It is returned when the table is unreachable, so a method
// that reads the slices must keep the table alive while it does.
type table struct {
	keyBits    int // of a hash
	bucketBits int // of a key
	lines      []kernels.BucketLine
	more       map[uint64]uint32 // rows of keys that are in no line
	entries    []kernels.Entry
	width      int       // of a common row
	common     uint32    // how many rows are common
	numbers    []float32 // of the common rows, one row after the other
	whole      []int16   // instead of numbers: as many units as they are
	unit       float64   // of whole
	rare       []rareNumber
	siblings   *siblingRows // instead of common and rare rows, of a model that is searched
}

// The largest tables that are worth their memory, in bytes. The less of a table with one output is in cache, the less
// it gains; several outputs also gain from lying side by side.
const (
	mostTable     = 96 << 20
	mostWideTable = 256 << 20
)

// tableBytes is the size of a model's table, or an upper bound of it if there are rare rows;
// 0 for a model that has no table.
func tableBytes(m *model.Model) int64 {
	meta := &m.Meta
	if meta.Source != "text" || meta.Values != "binary" || meta.Prenormalize || m.IDF != nil {
		return 0
	}
	if wantsSiblingRows(m) {
		return siblingTableBytes(m)
	}
	size, most := wholeBytes(m), int64(mostTable)
	if m.Outputs > 1 {
		most = mostWideTable
	}
	switch {
	case size <= most:
		return size
	case mayBeRare(m) && foundBytes(m)+rareBytes(allNumbers(m)) <= most:
		return most
	}
	return 0
}

// wholeBytes is the size of a table where all rows are common.
func wholeBytes(m *model.Model) int64 { return foundBytes(m) + int64(m.Keys.Size())*rowBytes(m) }

// foundBytes is the size of the lines and the entries.
func foundBytes(m *model.Model) int64 {
	return int64(unsafe.Sizeof(kernels.BucketLine{}))*int64(lineCount(m)) + int64(unsafe.Sizeof(kernels.Entry{}))*int64(m.Keys.Size())
}

// rowBytes is the size of a common row's numbers.
func rowBytes(m *model.Model) int64 {
	number := unsafe.Sizeof(float32(0))
	if _, whole := wholeUnit(m); whole {
		number = unsafe.Sizeof(int16(0))
	}
	return int64(rowWidth(m)) * int64(number)
}

// wholeUnit is the unit of the numbers of a table where they are whole.
func wholeUnit(m *model.Model) (unit float64, ok bool) {
	if m.Outputs == 1 {
		return 0, false
	}
	return m.WholeUnit()
}

// rowWidth is the number of numbers of a common row, a multiple of kernels.RowUnit or WholeUnit: a weight for every
// output, and unused ones behind the last. A table of one output has no rows.
func rowWidth(m *model.Model) int {
	unit := kernels.RowUnit
	if m.Outputs == 1 {
		return 0
	}
	if _, whole := wholeUnit(m); whole {
		unit = kernels.WholeUnit
	}
	return (m.Outputs + unit - 1) / unit * unit
}

// newTable makes the table of a model, in at most so many bytes: what tableBytes gives, or
// less where rows may be rare.
func newTable(m *model.Model, most int64, met *met) *table {
	return tableWith(m, met, func(t *table, order []uint32) (free []func()) {
		if m.Outputs > 1 {
			return t.makeRows(m, order, divide(m, most))
		}
		return nil
	})
}

// tableWith makes the table of a model. Its rows are made, in the table's order, by a function that returns what frees
// their memory.
func tableWith(m *model.Model, met *met, makeRows func(t *table, order []uint32) (free []func())) *table {
	t := &table{keyBits: m.Meta.Text.Bits}
	free := make([]func(), 2)
	lines := lineCount(m)
	t.bucketBits = bucketBits(m, lines)
	t.lines, free[0] = mem.MakeHuge[kernels.BucketLine](lines)
	t.entries, free[1] = mem.MakeHuge[kernels.Entry](m.Keys.Size())
	order := t.fillLines(m, met)
	t.fillEntries(m, order)
	runtime.AddCleanup(t, func(free []func()) {
		for _, f := range free {
			f()
		}
	}, append(free, makeRows(t, order)...))
	return t
}

// fillEntries fills in what entries have of ratios, and a single output's weights.
func (t *table) fillEntries(m *model.Model, order []uint32) {
	for place, row := range order {
		e, row := &t.entries[place], int(row)
		if e.Ratio = 1; m.Ratio != nil {
			e.Ratio = m.Ratio.At(row)
		}
		if m.Outputs == 1 {
			e.Content = math.Float32bits(onlyWeight(m, row))
		}
	}
}

// onlyWeight is that of a row for the only output.
func onlyWeight(m *model.Model, row int) float32 {
	if m.Dense != nil {
		return m.Dense.At(row)
	}
	for _, w := range m.Sparse.All(row) {
		return w
	}
	return 0
}

// makeRows makes the rows of several outputs. What it returns frees their memory.
func (t *table) makeRows(m *model.Model, order []uint32, d division) (free []func()) {
	t.width, t.common = rowWidth(m), uint32(d.common)
	free = make([]func(), 2)
	var whole bool
	if t.unit, whole = wholeUnit(m); whole {
		t.whole, free[0] = mem.MakeHuge[int16](d.common * t.width)
	} else {
		t.numbers, free[0] = mem.MakeHuge[float32](d.common * t.width)
	}
	t.rare, free[1] = mem.MakeHuge[rareNumber](d.rare)
	var room model.Room
	common, rare := uint32(0), 0
	for place, row := range order {
		e, row := &t.entries[place], int(row)
		if d.rarer(m, row) {
			e.Content = t.common + uint32(rare)
			rare += fillRare(t.rare[rare:], m, row, &room)
			continue
		}
		e.Content = common
		at, end := int(common)*t.width, int(common+1)*t.width
		if whole {
			t.fillWhole(t.whole[at:end], m, row, &room)
		} else {
			t.fill(t.numbers[at:end], m, row, &room)
		}
		common++
	}
	return free
}

// fill fills in the numbers of a common row.
func (t *table) fill(numbers []float32, m *model.Model, row int, room *model.Room) {
	if k := m.Outputs; m.Dense != nil {
		copy(numbers, m.Dense.Range(numbers, row*k, (row+1)*k)) // in place, unless it is a view
		return
	}
	outputs, stored := m.Sparse.Row(room, uint32(row))
	for e, w := range stored {
		numbers[outputs[e]] = w
	}
}

// fillWhole is fill for whole numbers.
func (t *table) fillWhole(whole []int16, m *model.Model, row int, room *model.Room) {
	per := 1 / t.unit // exact, as it is a power of two
	if m.Dense != nil {
		for i := range m.Outputs {
			whole[i] = int16(float64(m.Dense.At(row*m.Outputs+i)) * per)
		}
		return
	}
	outputs, stored := m.Sparse.Row(room, uint32(row))
	for e, w := range stored {
		whole[outputs[e]] = int16(float64(w) * per)
	}
}

// squares adds up the squares of the ratios of rows, in their order.
func (t *table) squares(rows []uint32) (sum float64) {
	for _, row := range rows {
		r := float64(t.entries[row].Ratio)
		sum += float64(r * r)
	}
	runtime.KeepAlive(t)
	return sum
}

// sharedTable is the table of a model, which the scorers of a classifier share. It is made
// when so much text has been scored that the table would have saved the time that it takes
// to make: a few documents are scored at once, from the model as it lies in its file.
type sharedTable struct {
	siblings bool  // it has siblingRows
	size     int64 // of the table at most, in bytes; 0 for a model that has none
	from     int64 // numbers added up, from which on the table pays
	added    atomic.Int64
	met      met // rows that were added up without a table
	once     sync.Once
	made     atomic.Pointer[table]
}

// newSharedTable plans the table of a model. Making a byte of it takes half a nanosecond, and each number that is added
// up from it, one per row and output, saves eight; one of a sparse row, which has fewer, saves 16.
func newSharedTable(m *model.Model) sharedTable {
	size, rows := tableBytes(m), m.Keys.Size()
	if size == 0 {
		rows = 0
	}
	return sharedTable{siblings: wantsSiblingRows(m), size: size, from: size / 16, met: newMet(rows)}
}

// count notes that rows were added up without a table, and makes the table when it pays.
func (t *sharedTable) count(m *model.Model, rows []uint32) {
	if t.size == 0 || t.made.Load() != nil {
		return
	}
	t.met.add(rows)
	n := len(rows) * m.Outputs
	if mayBeRare(m) {
		n = 0
		for _, row := range rows {
			n += 2 * storedNumbers(m, int(row))
		}
	}
	if t.added.Add(int64(n)) < t.from {
		return
	}
	t.once.Do(func() {
		if t.siblings {
			t.made.Store(newSiblingTable(m, &t.met))
			return
		}
		t.made.Store(newTable(m, t.size, &t.met))
	})
}
