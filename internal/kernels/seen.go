package kernels

import (
	"fmt"
	"math"
)

// Seen tells which rows of a table a document has had. Of each row it has the document that had the row last, by a
// number that comes again after 255 documents: a bit for each row would have to be cleared for the next document, and
// would have to be read before its neighbours can be written.
type Seen struct {
	last     []uint8
	document uint8 // from 1 on
}

// NewSeen returns a Seen of so many rows, for a first document.
func NewSeen(rows int) *Seen { return &Seen{make([]uint8, rows), 1} }

// Next begins another document.
func (s *Seen) Next() {
	if s.document++; s.document == 0 {
		clear(s.last)
		s.document = 1
	}
}

// first returns 1 if the document did not have the row before, and else 0. Now it has.
func (s *Seen) first(row uint32) uint32 {
	last := &s.last[row]
	other := uint32(*last ^ s.document)
	*last = s.document
	return -other >> 31
}

// check refuses what does not go together.
func (s *Seen) check(rows, queries []uint32, entries []Entry) {
	if len(entries) != len(s.last) || len(queries) < len(rows) {
		panic(fmt.Sprintf("kernels: %d entries of %d rows, %d queries for %d rows",
			len(entries), len(s.last), len(queries), len(rows)))
	}
}

// KeepDistinct writes to kept those of rows, in order, that the document did not have before, and returns their number.
// Kept has room for all rows; what it holds behind those that are kept is not promised. It ends before the first row
// that has no entry, or another tag than its query: done are the rows before it.
func (s *Seen) KeepDistinct(kept, rows, queries []uint32, entries []Entry) (n, done int) {
	s.check(rows, queries, entries)
	if len(kept) < len(rows) {
		panic(fmt.Sprintf("kernels: room for %d of %d rows", len(kept), len(rows)))
	}
	if onAMD64 && useVectors && len(rows) > 0 {
		return keepDistinctVector(kept, s.last, uint32(s.document), rows, queries, entries)
	}
	for i, row := range rows {
		if int(row) >= len(entries) || !entries[row].means(queries[i]) {
			return n, i
		}
		kept[n] = row
		n += int(s.first(row))
	}
	return n, len(rows)
}

// means reports whether the key of a query, with the entry's bucket, has the entry.
func (e *Entry) means(query uint32) bool { return e.Tag == uint32(QueryTag(query)) }

// SumDistinct adds up what the entries of those rows have that KeepDistinct would keep: their contents as float32
// weights to one sum, and the squares of their ratios to the other, one after the other. It returns the sums, how many
// entries it added, and how many rows are done.
func (s *Seen) SumDistinct(
	rows, queries []uint32, entries []Entry, weights, squares float64,
) (w, q float64, n, done int) {
	s.check(rows, queries, entries)
	if onAMD64 && useVectors && len(rows) > 0 {
		return sumDistinctVector(s.last, uint32(s.document), rows, queries, entries, weights, squares)
	}
	for i, row := range rows {
		if int(row) >= len(entries) || !entries[row].means(queries[i]) {
			return weights, squares, n, i
		}
		e := &entries[row]
		first := s.first(row)
		n += int(first)
		// A zero changes no sum, as none is a negative zero; a branch would be guessed wrong.
		weights += float64(math.Float32frombits(e.Content & -first))
		ratio := float64(math.Float32frombits(math.Float32bits(e.Ratio) & -first))
		squares += float64(ratio * ratio)
	}
	return weights, squares, n, len(rows)
}
