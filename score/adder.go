package score

import (
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// adder adds up rows of tables. It holds scratch memory: one per goroutine.
type adder struct {
	common []uint32 // of a document's common rows, their numbers among the common rows
	rare   []rareRow
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
// the next are of the squares of ratios, or of what SparseRatio's pairs exceed. They are added
// row by row, so they have the same bits as from the sections of the file: what is not stored
// there is 0 here. Up to kernels.RowUnit-1 further sums are of no use.
func (a *adder) add(t *table, sums []float64, rows []uint32, n int) {
	sums = sums[:t.width]
	if len(t.rare.all) == 0 {
		kernels.AddRows(sums, t.numbers, rows, n)
		runtime.KeepAlive(t)
		return
	}
	a.common, a.rare = a.common[:0], a.rare[:0]
	a.part(t, rows[:n])
	common, rare := len(a.common), a.rare
	a.part(t, rows[n:min(n+kernels.RowsAhead, len(rows))])
	for i := range rare {
		kernels.Prefetch(&t.rare.all[rare[i].first])
	}
	done := 0
	for i := range rare {
		r := &rare[i]
		kernels.AddRows(sums, t.numbers, a.common[done:], r.before-done)
		t.rare.add(sums, r.first, float64(r.ratio))
		done = r.before
	}
	kernels.AddRows(sums, t.numbers, a.common[done:], common-done)
	runtime.KeepAlive(t)
}

// part appends each row to the common or to the rare ones.
func (a *adder) part(t *table, rows []uint32) {
	common, rare := len(a.common), len(a.rare)
	a.common = slices.Grow(a.common, len(rows))[:common+len(rows)]
	a.rare = slices.Grow(a.rare, len(rows))[:rare+len(rows)]
	for _, row := range rows {
		e := &t.entries[row]
		a.common[common] = e.Content
		a.rare[rare] = rareRow{e.Content - t.common, e.Ratio, common}
		is := int((uint64(e.Content) - uint64(t.common)) >> 63) // a branch would be guessed wrong
		common += is
		rare += 1 - is
	}
	a.common, a.rare = a.common[:common], a.rare[:rare]
}
