package score

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// lookupBlock is how many n-grams are looked up at a time: so few that the results of a stage stay in the first cache
// until the next stage reads them, and that long documents need no more memory.
const lookupBlock = 1024

// lookup finds the rows of many n-grams at a time, in stages. A stage reads one thing for every n-gram and does not
// branch on what it finds, so the cache misses of many n-grams overlap, also across short documents. A lookup owns
// scratch memory: one per goroutine.
type lookup struct {
	m    *model.Model
	rows []uint32 // of the documents
	ends []int    // of each document's rows
	seen []uint64 // bits of the rows that this document has
	own  int      // where its rows begin

	sums []docSums // of documents, where rows are added up at once
	sum  docSums   // of the document under way

	// The rows found in a block, and the query of each, see kernels.FindRows.
	found, queries [lookupBlock]uint32
}

// docSums are what is added up of a document's distinct rows: their weights and the squares of their ratios.
type docSums struct {
	weights, squares float64
	rows             int
}

// newLookup returns a lookup of a model's rows.
func newLookup(m *model.Model) *lookup {
	return &lookup{m: m, seen: make([]uint64, (m.IDs.Size+63)/64)}
}

// rowsOf returns the distinct rows of the n-grams of documents, in order of first occurrence.
// N-grams that the model does not know, by their bucket or else by their tag, have no row. The
// hashes of the documents lie one behind the other and end at ends, their rows at rowEnds.
// They are looked up in the model's table, or in the model itself if the table is nil. What is
// returned is valid until the next call.
func (l *lookup) rowsOf(t *table, hashes []uint64, ends []int) (rows []uint32, rowEnds []int) {
	l.each(t, hashes, ends, l.add)
	return l.rows, l.ends
}

// sumsOf returns the sums of each document in the table of a model with one output, as sums gives them of its rows.
func (l *lookup) sumsOf(t *table, hashes []uint64, ends []int) []docSums {
	l.each(t, hashes, ends, func(rows []uint32) {
		s := &l.sum
		var n int
		s.weights, s.squares, n = kernels.SumDistinct(l.seen, rows, t.entries, s.weights, s.squares)
		s.rows += n
		l.rows = append(l.rows, rows...)
	})
	runtime.KeepAlive(t)
	return l.sums
}

// each looks up the n-grams of documents, and has take take the rows that are found, of one document after the other.
func (l *lookup) each(t *table, hashes []uint64, ends []int, take func(rows []uint32)) {
	l.begin()
	for begin := 0; begin < len(hashes); begin += lookupBlock {
		end := min(begin+lookupBlock, len(hashes))
		n := l.find(t, hashes[begin:end])
		lo, first := 0, 0
		for len(l.ends) < len(ends) && ends[len(l.ends)] <= end {
			next := ends[len(l.ends)] - begin
			own, _ := slices.BinarySearch(l.queries[lo:min(lo+next-first, n)], kernels.Query(next, 0))
			take(l.found[lo:][:own])
			l.end()
			lo, first = lo+own, next
		}
		take(l.found[lo:n]) // of a document that goes on in the next block
	}
	for len(l.ends) < len(ends) { // they have no n-grams
		l.end()
	}
}

// begin begins with the first document.
func (l *lookup) begin() {
	l.clear() // of a document that a fault in a truncated file cut short
	l.rows, l.ends, l.own, l.sums, l.sum = l.rows[:0], l.ends[:0], 0, l.sums[:0], docSums{}
}

// clear forgets the rows of the document under way. Of many, it is faster to clear all bits in order.
func (l *lookup) clear() {
	if len(l.rows)-l.own > len(l.seen)/8 {
		clear(l.seen)
		return
	}
	for _, row := range l.rows[l.own:] {
		l.seen[row/64] = 0
	}
}

// end ends a document.
func (l *lookup) end() {
	l.clear()
	l.own = len(l.rows)
	l.ends = append(l.ends, l.own)
	l.sums, l.sum = append(l.sums, l.sum), docSums{}
}

// find looks up at most a block of hashes. It returns the number of rows found.
func (l *lookup) find(t *table, hashes []uint64) (n int) {
	if t != nil {
		n = kernels.FindRows(l.found[:], l.queries[:], hashes, t.bits, t.lineBits, t.lines, t.entries)
		runtime.KeepAlive(t)
		if len(t.more) > 0 {
			n = l.findMore(t, n, hashes)
		}
		return n
	}
	if n = l.ranked(hashes); l.m.Tags != nil {
		n = l.tagged(n)
	}
	return n
}

// findMore replaces those of the first n entries that stand for lines with more rows than keys by their rows, or drops
// them if there is none. They are few, so the rows between them are moved together.
func (l *lookup) findMore(t *table, n int, hashes []uint64) (kept int) {
	for k := 0; ; k++ {
		run := untilMore(l.found[k:n])
		if kept < k {
			copy(l.found[kept:], l.found[k:k+run])
			copy(l.queries[kept:], l.queries[k:k+run])
		}
		kept += run
		if k += run; k == n {
			return kept
		}
		query := l.queries[k]
		bucket := uint32(hashes[query>>16] >> (64 - t.bits))
		at, ok := slices.BinarySearchFunc(t.more, bucket, func(m moreRow, bucket uint32) int { return cmp.Compare(m.bucket, bucket) })
		if ok && tagged(l.m, int(t.more[at].row), kernels.QueryTag(query)) {
			l.found[kept], l.queries[kept] = t.more[at].row, query
			kept++
		}
	}
}

// untilMore is how many rows come before the first entry that stands for a line with more rows than keys.
func untilMore(rows []uint32) int {
	k := 0
	for ; k+8 <= len(rows); k += 8 {
		if r := rows[k : k+8 : k+8]; (r[0] | r[1] | r[2] | r[3] | r[4] | r[5] | r[6] | r[7]) >= kernels.MoreRows {
			break
		}
	}
	for k < len(rows) && rows[k] < kernels.MoreRows {
		k++
	}
	return k
}

// ranked finds the rows of the hashes whose buckets have one.
func (l *lookup) ranked(hashes []uint64) (n int) {
	shift := 64 - l.m.Meta.Text.Bits
	if l.m.IDs.Listed() {
		for place, h := range hashes {
			if row, ok := l.m.IDs.Rank(uint32(h >> (shift & 63))); ok {
				l.found[n], l.queries[n] = uint32(row), kernels.Query(place, h)
				n++
			}
		}
		return n
	}
	words := l.m.IDs.Words
	ranks := l.m.IDs.Ranks[:len(words)]
	for place, h := range hashes {
		id := h >> (shift & 63)
		i := id / idset.WordBits
		if i >= uint64(len(words)) {
			continue
		}
		w := words[i]
		l.found[n] = ranks[i] + uint32(bits.OnesCount64(w&(1<<(id%idset.WordBits)-1)))
		l.queries[n] = kernels.Query(place, h)
		n += int(w >> (id % idset.WordBits) & 1)
	}
	return n
}

// tagged keeps those of the first n rows that stand for the n-gram's tag, or for any tag.
func (l *lookup) tagged(n int) (kept int) {
	of := l.m.Tags
	for k, row := range l.found[:n] {
		tag, query, ours := of[row], l.queries[k], 0
		if tag == kernels.QueryTag(query) {
			ours = 1
		}
		if tag == 0 {
			ours = 1
		}
		l.found[kept], l.queries[kept] = row, query
		kept += ours
	}
	return kept
}

// add adds the rows that the document does not have yet.
func (l *lookup) add(rows []uint32) {
	n := len(l.rows)
	all := slices.Grow(l.rows, len(rows))[:n+len(rows)]
	seen := l.seen
	for _, row := range rows {
		word, bit := &seen[row/64], row%64
		all[n] = row
		n += int(^*word >> bit & 1)
		*word |= 1 << bit
	}
	l.rows = all[:n]
}
