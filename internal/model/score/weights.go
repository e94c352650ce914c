package score

import (
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// weights are those of a model with several outputs, by row, in one of three shapes. The sum of an output has a place:
// its number, or in a grown tree one beside those of its siblings.
type weights struct {
	places   []uint32 // of outputs; nil where they are their numbers
	searched bool     // only sums that a search comes to are needed

	// Rows that have a number for each output, with unused ones behind the last: whole ones where the weights are
	// multiples of a unit, which rounded weights are. Those take half the space and are exact in any order. On one
	// thread, nbsvm score takes 1.3 times as long with the numbers instead for banking77 and 1.5 times for Reuters, but
	// hardly longer for 20 Newsgroups.
	width   int // of a row
	whole   []int16
	unit    float64 // of whole
	numbers []float32

	// Rows that have only numbers that are not zero, where these are few: with 72 languages, one or two of 76 in a row.
	// An entry says where its row begins.
	sparse []sparseNumber
}

// sparseNumber is a number of a sparse row: 31 bits of the place of the sum that it is added to, by which they ascend,
// a bit that marks the last one of a row, and the number.
type sparseNumber uint64

const lastNumber = 1 << 32

func newSparseNumber(place uint32, number float32) sparseNumber {
	return sparseNumber(place)<<33 | sparseNumber(math.Float32bits(number))
}

func (n sparseNumber) place() uint32   { return uint32(n >> 33) }
func (n sparseNumber) number() float64 { return float64(math.Float32frombits(uint32(n))) }
func (n sparseNumber) isLast() bool    { return n&lastNumber != 0 }

// isSparse reports whether a model with several outputs has rows of the numbers alone that are not zero. Numbers of the
// other shapes are added a line of the cache at a time: 20 Newsgroups, banking77 and Reuters have 1 of 3, 5 and 8, and
// take 1 to 2.7 times as long with sparse rows.
func isSparse(m *model.Model) bool {
	const few = 16
	return m.Sparse != nil && few*m.Sparse.Entries() < m.Keys.Size()*m.Outputs
}

// fill sets the weights of a model. What it returns frees their memory.
func (t *weights) fill(m *model.Model, entries []kernels.Entry) (free func()) {
	t.places = placesOf(m)
	unit, whole := m.WholeUnit()
	width := func(unit int) int { return (m.Outputs + unit - 1) / unit * unit }
	switch {
	case isSparse(m):
		t.searched = t.places != nil && m.Outputs >= fewSearched
		count := 0
		for row := range entries {
			entries[row].Content = uint32(count)
			count += numbersOf(m, row)
		}
		t.sparse, free = mem.MakeHuge[sparseNumber](count)
	case whole:
		t.unit, t.width = unit, width(kernels.WholeUnit)
		t.whole, free = mem.MakeHuge[int16](len(entries) * t.width)
	default:
		t.width = width(kernels.RowUnit)
		t.numbers, free = mem.MakeHuge[float32](len(entries) * t.width)
	}
	const chunk = 1 << 12
	par.Chunks(par.Processors(), len(entries), chunk, func(_, lo, hi int) {
		f := filler{weights: t, m: m, room: make([]float32, m.Outputs)}
		for row := lo; row < hi; row++ {
			switch {
			case t.sparse != nil:
				f.fillSparse(t.sparse[entries[row].Content:][:numbersOf(m, row)], row)
			case t.whole != nil:
				fillRow(&f, t.whole[row*t.width:], row, 1/unit) // exact, as it is a power of two
			default:
				fillRow(&f, t.numbers[row*t.width:], row, 1)
			}
		}
	})
	return free
}

// numbersOf returns how many numbers a sparse row has: at least 1, as a row without any has a 0.
func numbersOf(m *model.Model, row int) int { return max(m.Sparse.EntriesOf(row), 1) }

// filler fills in rows. It holds scratch memory: one per goroutine.
type filler struct {
	*weights
	m       *model.Model
	room    []float32
	marks   []uint64  // a bit for each place that a row has
	byPlace []float32 // numbers
}

// fillRow fills in the numbers of a row for all outputs, times a factor.
func fillRow[T int16 | float32](f *filler, numbers []T, row int, factor float64) {
	if f.m.Dense != nil {
		for o := range f.m.Outputs {
			numbers[f.place(uint32(o))] = T(float64(f.m.Dense.At(row*f.m.Outputs+o)) * factor)
		}
		return
	}
	outputs, stored := f.m.Sparse.Row(f.room, row)
	for e, w := range stored {
		numbers[f.place(outputs[e])] = T(float64(w) * factor)
	}
}

// fillSparse fills in the numbers of a sparse row, or a zero for the first place where it has none.
func (f *filler) fillSparse(numbers []sparseNumber, row int) {
	outputs, stored := f.m.Sparse.Row(f.room, row)
	if f.places != nil {
		f.sort(numbers, outputs, stored)
	} else {
		for e, w := range stored {
			numbers[e] = newSparseNumber(outputs[e], w)
		}
	}
	if len(stored) == 0 {
		numbers[0] = newSparseNumber(0, 0)
	}
	numbers[len(numbers)-1] |= lastNumber
}

// sort sets numbers by place, without comparisons: with slices.Sort, a model of 3,000 classes takes almost three times as
// long to open.
func (f *filler) sort(numbers []sparseNumber, outputs []uint32, stored []float32) {
	if f.marks == nil {
		f.marks, f.byPlace = make([]uint64, f.m.Outputs/64+1), make([]float32, f.m.Outputs)
	}
	first, last := uint32(len(f.marks)), uint32(0)
	for e, w := range stored {
		place := f.places[outputs[e]]
		f.byPlace[place] = w
		f.marks[place/64] |= 1 << (place % 64)
		first, last = min(first, place/64), max(last, place/64)
	}
	n := 0
	for i := first; i <= last && i < uint32(len(f.marks)); i++ {
		for marks := f.marks[i]; marks != 0; marks &= marks - 1 {
			place := 64*i + uint32(bits.TrailingZeros64(marks))
			numbers[n] = newSparseNumber(place, f.byPlace[place])
			n++
		}
		f.marks[i] = 0
	}
}

// place returns the place of an output's sum.
func (t *weights) place(output uint32) uint32 {
	if t.places == nil {
		return output
	}
	return t.places[output]
}

// fewSearched is from how many outputs on sums are added up for those siblings alone that a search comes to: with
// 28,000 outputs, that takes .6 of the time of all, and with 3,000 1.6 times as long, as most are read in any case.
var fewSearched = 1 << 14 // which tests change

// placesOf returns the places of outputs that are in a grown tree, siblings side by side; nil of others.
func placesOf(m *model.Model) []uint32 {
	tree := treeOf(m)
	if tree == nil || !tree.Grown() {
		return nil
	}
	places, next := make([]uint32, m.Outputs), uint32(0)
	for k := model.Root; k < len(tree.Parents); k++ {
		for _, output := range tree.Children(k) {
			places[output] = next
			next++
		}
	}
	return places
}

// add adds the weights of the first n rows to sums, row by row. The rows behind them are those that will be added next;
// their memory is asked for. Of whole numbers, it takes room for the sums.
func (t *table) add(sums []float64, room []int32, rows []uint32, n int) {
	switch {
	case t.whole != nil:
		t.addWhole(sums, room, rows, n)
	case t.sparse == nil:
		kernels.AddRows(sums[:t.width], t.numbers, t.width, rows, n)
	default:
		for k, row := range rows[:n] {
			if k+sparseAhead < len(rows) {
				kernels.Prefetch(&t.sparse[t.entries[rows[k+sparseAhead]].Content])
			}
			t.addSparse(sums, row, 1)
		}
	}
}

// sparseAhead is how many rows before it is added a sparse one is asked for.
const sparseAhead = 8

func (t *table) addWhole(sums []float64, room []int32, rows []uint32, n int) {
	for n > 0 {
		some := min(n, kernels.MostWholeRows)
		clear(room)
		kernels.AddWholeRows(room, t.whole, t.width, rows, some)
		for i, sum := range room {
			sums[i] += float64(float64(sum) * t.unit)
		}
		rows, n = rows[some:], n-some
	}
}

// addTimes adds the weights of a row, times a value, to sums.
func (t *table) addTimes(sums []float64, row uint32, value float64) {
	at := int(row) * t.width
	switch {
	case t.whole != nil:
		for i, x := range t.whole[at:][:t.width] {
			sums[i] += float64(value * (float64(x) * t.unit))
		}
	case t.sparse == nil:
		for i, x := range t.numbers[at:][:t.width] {
			sums[i] += float64(value * float64(x))
		}
	default:
		t.addSparse(sums, row, value)
	}
}

func (t *table) addSparse(sums []float64, row uint32, value float64) {
	for _, x := range t.sparse[t.entries[row].Content:] {
		sums[x.place()] += float64(value * x.number())
		if x.isLast() {
			return
		}
	}
}

// addSome is like addTimes for the places from first on, as many as there are sums, of sparse rows.
func (t *table) addSome(sums []float64, first, row uint32, value float64) {
	end := uint32(len(t.sparse))
	if next := int(row) + 1; next < len(t.entries) {
		end = t.entries[next].Content
	}
	numbers := t.sparse[t.entries[row].Content:end]
	lo, hi := 0, len(numbers)
	for lo < hi {
		if mid := (lo + hi) / 2; numbers[mid].place() < first {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for _, x := range numbers[lo:] {
		k := x.place() - first
		if k >= uint32(len(sums)) {
			return
		}
		sums[k] += float64(value * x.number())
	}
}
