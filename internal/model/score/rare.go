package score

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// rareNumber is a number of a table's rare row, with the place of the sum that it is added to.
type rareNumber struct {
	place  uint32 // shifted by one: the lowest bit marks the last number of a row
	number float32
}

// addRare adds the numbers of a row to sums. They begin at numbers[0].
func addRare(sums []float64, numbers []rareNumber) {
	for i := 0; ; i++ {
		n := numbers[i]
		sums[n.place>>1] += float64(n.number)
		if n.place&1 != 0 {
			return
		}
	}
}

// fillRare sets the numbers of a row, and returns how many they are: at least 1, as a row without any has a 0.
func fillRare(numbers []rareNumber, m *model.Model, row int, room *model.Room) int {
	outputs, weights := m.Sparse.Row(room, uint32(row))
	for e, w := range weights {
		numbers[e] = rareNumber{outputs[e] << 1, w}
	}
	n := max(len(weights), 1)
	numbers[n-1].place |= 1
	return n
}

// mayBeRare tells whether a model's table may have rare rows: whether its weights are sparse.
func mayBeRare(m *model.Model) bool { return m.Outputs > 1 && m.Sparse != nil }

// storedNumbers is how many numbers a row has if it is rare, or more: no more than there are outputs.
func storedNumbers(m *model.Model, row int) int { return max(m.Sparse.CodesOf(row), 1) }

// allNumbers is an upper bound of the numbers of all rows if all are rare.
func allNumbers(m *model.Model) int { return m.Keys.Size() + m.Sparse.Codes() }

// rareBytes is the size of so many rare numbers.
func rareBytes(n int) int64 { return int64(n) * int64(unsafe.Sizeof(rareNumber{})) }

// division says which rows are common.
type division struct {
	least  int // numbers of a common row; 0 if all rows are common
	common int // common rows
	rare   int // numbers of the rare rows
}

// rarer tells whether a row is not common.
func (d *division) rarer(m *model.Model, row int) bool {
	return d.least > 0 && storedNumbers(m, row) < d.least
}

// divide makes as many rows common as there is room for in a table of at most so many bytes,
// those with the most numbers first: these are of n-grams that many documents have, also the
// documents to be scored. In a model of 72 languages a twentieth of the rows are common, and
// four of five of the rows that a text has. Rows with at most two numbers for each cache line
// of a common row stay rare, as these are added no slower one by one.
func divide(m *model.Model, most int64) division {
	if wholeBytes(m) <= most || !mayBeRare(m) {
		return division{common: m.Keys.Size()}
	}
	rows := make([]int, m.Outputs+1) // by how many numbers they have
	d := division{least: len(rows)}
	for row := range m.Keys.Size() {
		n := storedNumbers(m, row)
		rows[n]++
		d.rare += n
	}
	left := most - foundBytes(m) - rareBytes(d.rare)
	for n := len(rows) - 1; n > int(2*rowBytes(m)/cacheLine); n-- {
		if left -= int64(rows[n]) * (rowBytes(m) - rareBytes(n)); left < 0 {
			break
		}
		d.least, d.common, d.rare = n, d.common+rows[n], d.rare-n*rows[n]
	}
	return d
}

// cacheLine is the size of a line of the cache.
const cacheLine = 64

// adder adds up rows of tables. It holds scratch memory: one per goroutine.
type adder struct {
	common []uint32 // of a document's common rows, their numbers among the common rows
	rare   []rareRow
	whole  []int32 // sums
}

// rareRow is a rare row of a document.
type rareRow struct {
	first  uint32 // the number of its first number
	before int    // how many of the document's common rows come before it
}

// add adds the weights of the first n rows to sums, for a model with several outputs. The rows behind the first n are
// those that will be added next; their memory is asked for. They are added row by row, so they have the same bits as
// from the sections of the file: what is not stored there adds nothing. Sums of whole numbers have these bits in any
// order.
func (a *adder) add(t *table, sums []float64, rows []uint32, n int) {
	defer runtime.KeepAlive(t)
	if len(t.rare) == 0 { // all rows are common, under their own numbers
		a.addCommon(t, sums, rows, n)
		return
	}
	a.common, a.rare = a.common[:0], a.rare[:0]
	a.part(t, rows[:n])
	common, rare := len(a.common), a.rare
	a.part(t, rows[n:min(n+kernels.RowsAhead, len(rows))])
	for i := range rare {
		kernels.Prefetch(&t.rare[rare[i].first])
	}
	done := 0
	for i := range rare {
		r := &rare[i]
		if t.whole == nil {
			a.addCommon(t, sums, a.common[done:], r.before-done)
			done = r.before
		}
		addRare(sums, t.rare[r.first:])
	}
	a.addCommon(t, sums, a.common[done:], common-done)
}

// addCommon adds the first n of these common rows to sums.
func (a *adder) addCommon(t *table, sums []float64, rows []uint32, n int) {
	if t.whole != nil {
		a.addWhole(t, sums, rows, n)
		return
	}
	kernels.AddRows(sums, t.numbers, t.width, rows, n)
}

// addWhole is addCommon for rows of whole numbers.
func (a *adder) addWhole(t *table, sums []float64, rows []uint32, n int) {
	if len(a.whole) != len(sums) {
		a.whole = make([]int32, len(sums))
	}
	for n > 0 {
		some := min(n, kernels.MostWholeRows)
		clear(a.whole)
		kernels.AddWholeRows(a.whole, t.whole, t.width, rows, some)
		for i, sum := range a.whole {
			sums[i] += float64(float64(sum) * t.unit)
		}
		rows, n = rows[some:], n-some
	}
}

// part appends each row to the common or to the rare ones.
func (a *adder) part(t *table, rows []uint32) {
	common, rare := len(a.common), len(a.rare)
	a.common = slices.Grow(a.common, len(rows))[:common+len(rows)]
	a.rare = slices.Grow(a.rare, len(rows))[:rare+len(rows)]
	for _, row := range rows {
		content := t.entries[row].Content
		a.common[common], a.rare[rare] = content, rareRow{content - t.common, common}
		is := int((uint64(content) - uint64(t.common)) >> 63) // a branch would be guessed wrong
		common += is
		rare += 1 - is
	}
	a.common, a.rare = a.common[:common], a.rare[:rare]
}
