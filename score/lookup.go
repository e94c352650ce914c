package score

import (
	"math/bits"
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/model"
)

// lookupBlock is how many n-grams are looked up at a time: few enough that what one stage
// hands to the next stays in the first cache, and that long documents take no more memory.
const lookupBlock = 1024

// lookup finds the rows of many n-grams at a time, in stages. A stage reads one thing of every
// n-gram and does not branch on what it finds, so that the cache misses of many n-grams
// overlap, also those of several short documents. It holds scratch memory and is not for
// concurrent use.
type lookup struct {
	m    *model.Model
	rows []uint32 // of the documents
	ends []int    // of each document's rows
	seen []uint8  // of every row: the number of the last document that had it
	doc  uint8    // the number of this document, from 1

	// The rows found in a block, and the query of each, see kernels.LookupRows.
	found, queries [lookupBlock]uint32
}

// newLookup returns a lookup of a model's rows.
func newLookup(m *model.Model) *lookup {
	return &lookup{m: m, seen: make([]uint8, m.IDs.Size)}
}

// rowsOf returns the distinct rows of the n-grams of documents, in order of first occurrence.
// N-grams that the model does not know, by their bucket or else by their tag, have no row. The
// hashes of the documents lie one behind the other and end at ends, their rows at rowEnds.
// They are looked up in the model's table, or in the model itself if the table is nil. What is
// returned is valid until the next call.
func (l *lookup) rowsOf(t *table, hashes []uint64, ends []int) (rows []uint32, rowEnds []int) {
	l.rows, l.ends = l.rows[:0], l.ends[:0]
	l.begin()
	for begin := 0; begin < len(hashes); begin += lookupBlock {
		end := min(begin+lookupBlock, len(hashes))
		n := l.find(t, hashes[begin:end])
		lo, first := 0, 0
		for len(l.ends) < len(ends) && ends[len(l.ends)] <= end {
			next := ends[len(l.ends)] - begin
			own, _ := slices.BinarySearch(l.queries[lo:min(lo+next-first, n)], kernels.Query(next, 0))
			l.add(l.found[lo:][:own])
			l.end()
			lo, first = lo+own, next
		}
		l.add(l.found[lo:n]) // of a document that goes on in the next block
	}
	for len(l.ends) < len(ends) { // they have no n-grams
		l.end()
	}
	return l.rows, l.ends
}

// begin starts a document.
func (l *lookup) begin() {
	if l.doc++; l.doc == 0 { // numbers begin anew
		clear(l.seen)
		l.doc = 1
	}
}

// end ends a document and starts the next one.
func (l *lookup) end() {
	l.ends = append(l.ends, len(l.rows))
	l.begin()
}

// find looks up at most a block of hashes. It returns the number of rows found.
func (l *lookup) find(t *table, hashes []uint64) (n int) {
	if t != nil {
		n = kernels.LookupRows(l.found[:], l.queries[:], hashes, t.bits, t.words, t.entries)
		runtime.KeepAlive(t)
		return n
	}
	if n = l.ranked(hashes); l.m.Tags != nil {
		n = l.tagged(n)
	}
	return n
}

// ranked finds the rows of the hashes whose buckets have one.
func (l *lookup) ranked(hashes []uint64) (n int) {
	shift := 64 - l.m.Meta.Text.Bits
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
	seen, doc := l.seen, l.doc
	for _, row := range rows {
		last, first := &seen[row], 0
		if *last != doc {
			first = 1
		}
		*last = doc
		all[n] = row
		n += first
	}
	l.rows = all[:n]
}
