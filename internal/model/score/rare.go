package score

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// rareNumbers are the numbers of a table's rare rows, row by row, each with the place of the
// sum that it is added to.
type rareNumbers struct {
	all     []rareNumber
	weights int       // sums of weights, behind which are those of squares
	usual   []float64 // as a table has it
}

// rareNumber is a weight, or the ratio of a pair if its place is behind those of the weights.
type rareNumber struct {
	place  uint32 // shifted by one: the lowest bit marks the last number of a row
	number float32
}

// add adds the numbers of a row to sums. The first of them is numbered first, and a is what
// SparseRatio.Row has for the row.
func (r *rareNumbers) add(sums []float64, first uint32, a float64) {
	for i := int(first); ; i++ {
		n := r.all[i]
		place := int(n.place >> 1)
		if place < r.weights {
			sums[place] += float64(n.number)
		} else {
			sums[place] += excess(a+r.usual[place-r.weights], n.number)
		}
		if n.place&1 != 0 {
			return
		}
	}
}

// fill sets the numbers of a row, the first of which is numbered first, and returns their
// number: at least 1, for a row that has none is stored as a 0.
func (r *rareNumbers) fill(first int, m *model.Model, row int, room *model.Room) int {
	all := r.all[first:]
	outputs, weights := m.Sparse.Row(room, uint32(row))
	for e, w := range weights {
		all[e] = rareNumber{outputs[e] << 1, w}
	}
	n := len(weights)
	if pairs := pairsOf(m); pairs != nil {
		outputs, ratios := pairs.Row(room, uint32(row))
		for e, ratio := range ratios {
			all[n] = rareNumber{(uint32(r.weights) + outputs[e]) << 1, ratio}
			n++
		}
	}
	n = max(n, 1)
	all[n-1].place |= 1
	return n
}

// mayBeRare tells whether a model's table may have rare rows: whether its weights, and its
// ratios if they count, are sparse.
func mayBeRare(m *model.Model) bool {
	return m.Outputs > 1 && m.Sparse != nil && (m.Ratio == nil || !hasNorms(m))
}

// pairsOf are the ratio's pairs if the norms of documents depend on them, else nil.
func pairsOf(m *model.Model) *model.Sparse {
	if m.SparseRatio == nil || !hasNorms(m) {
		return nil
	}
	return &m.SparseRatio.Pairs
}

// storedNumbers is how many numbers a row has if it is rare, or more: no more than two for each output.
func storedNumbers(m *model.Model, row int) int {
	n := m.Sparse.CodesOf(row)
	if pairs := pairsOf(m); pairs != nil {
		n += pairs.CodesOf(row)
	}
	return max(n, 1)
}

// allNumbers is an upper bound of the numbers of all rows if all are rare.
func allNumbers(m *model.Model) int {
	n := m.Keys.Size() + m.Sparse.Codes()
	if pairs := pairsOf(m); pairs != nil {
		n += pairs.Codes()
	}
	return n
}

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
	rows := make([]int, 2*m.Outputs+1) // by how many numbers they have
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
	common []uint32  // of a document's common rows, their numbers among the common rows
	ratios []float32 // of these rows, what SparseRatio.Row has
	rare   []rareRow
	whole  []int32 // sums
}

// rareRow is a rare row of a document.
type rareRow struct {
	first  uint32 // the number of its first number
	ratio  float32
	before int // how many of the document's common rows come before it
}

// add adds the numbers of the first n rows to sums, for a model with several outputs. The
// rows behind the first n are those that will be added next; their memory is asked for.
//
// The first sums are of weights, one for each output. If each output has a norm of its own,
// the last are of the squares of ratios, or of what SparseRatio's pairs exceed. They are added
// row by row, so they have the same bits as from the sections of the file: what is not stored
// there adds nothing. Sums of whole numbers have these bits in any order.
func (a *adder) add(t *table, sums []float64, rows []uint32, n int) {
	if len(t.rare.all) == 0 { // all rows are common, under their own numbers
		a.ratios = a.ratios[:0]
		if t.widths.ratios > 0 {
			for _, row := range rows[:n] {
				a.ratios = append(a.ratios, t.entries[row].Ratio)
			}
		}
		a.addCommon(t, sums, rows, a.ratios, n)
		runtime.KeepAlive(t)
		return
	}
	a.common, a.ratios, a.rare = a.common[:0], a.ratios[:0], a.rare[:0]
	a.part(t, rows[:n])
	common, rare := len(a.common), a.rare
	a.part(t, rows[n:min(n+kernels.RowsAhead, len(rows))])
	for i := range rare {
		kernels.Prefetch(&t.rare.all[rare[i].first])
	}
	done := 0
	for i := range rare {
		r := &rare[i]
		if t.whole == nil {
			a.addCommon(t, sums, a.common[done:], a.ratios[done:], r.before-done)
			done = r.before
		}
		t.rare.add(sums, r.first, float64(r.ratio))
	}
	a.addCommon(t, sums, a.common[done:], a.ratios[done:], common-done)
	runtime.KeepAlive(t)
}

// addCommon adds the first n of these common rows to sums; ratios are what SparseRatio.Row has for them.
func (a *adder) addCommon(t *table, sums []float64, rows []uint32, ratios []float32, n int) {
	w, pitch := t.widths.weights, t.widths.row()
	switch {
	case t.whole != nil:
		a.addWhole(t, sums[:w], rows, n)
	case t.widths.ratios == 0:
		kernels.AddRows(sums, t.numbers, pitch, rows, n)
	default:
		kernels.AddRatioRows(sums[:w], sums[w:], t.usual, t.numbers, pitch, rows, ratios, n)
	}
}

// addWhole is addCommon for rows of whole numbers.
func (a *adder) addWhole(t *table, sums []float64, rows []uint32, n int) {
	if len(a.whole) != len(sums) {
		a.whole = make([]int32, len(sums))
	}
	for n > 0 {
		some := min(n, kernels.MostWholeRows)
		clear(a.whole)
		kernels.AddWholeRows(a.whole, t.whole, t.widths.row(), rows, some)
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
	a.ratios = slices.Grow(a.ratios, len(rows))[:common+len(rows)]
	a.rare = slices.Grow(a.rare, len(rows))[:rare+len(rows)]
	for _, row := range rows {
		e := &t.entries[row]
		a.common[common], a.ratios[common] = e.Content, e.Ratio
		a.rare[rare] = rareRow{e.Content - t.common, e.Ratio, common}
		is := int((uint64(e.Content) - uint64(t.common)) >> 63) // a branch would be guessed wrong
		common += is
		rare += 1 - is
	}
	a.common, a.ratios, a.rare = a.common[:common], a.ratios[:common], a.rare[:rare]
}
