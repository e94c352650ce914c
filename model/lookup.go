package model

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// lookupBlock is how many n-grams are looked up at a time: what stages hand on to each
// other stays in the first cache, and a document of many megabytes binds no memory.
const lookupBlock = 1024

// Lookup finds the rows of many n-grams at a time. It goes over them in stages, each of
// which asks for one thing only and does not branch on what it finds: so the cache
// misses of many n-grams overlap. It holds scratch memory and is not for concurrent use.
type Lookup struct {
	m    *Model
	rows []uint32 // of the document
	seen []uint8  // of every row: the last document, by its number, that had it
	doc  uint8    // the number of this one, from 1

	// Of a block: rows found, and the tags of their hashes.
	found, tags [lookupBlock]uint32
}

// NewLookup returns a lookup of a model's rows.
func NewLookup(m *Model) *Lookup {
	return &Lookup{m: m, seen: make([]uint8, m.IDs.Len())}
}

// Rows returns the distinct rows of a document's n-grams by their hashes, in order of
// first occurrence; what the model does not know is left out, by its bucket or else by its
// tag. They are looked up in the model's table, if that is not nil, or in the model itself.
// The rows are valid until the next call.
func (l *Lookup) Rows(t *Table, hashes []uint64) []uint32 {
	if l.doc++; l.doc == 0 { // numbers begin anew
		clear(l.seen)
		l.doc = 1
	}
	l.rows = l.rows[:0]
	for some := range slices.Chunk(hashes, lookupBlock) {
		var n int
		if t != nil {
			n = kernels.KnownRows(l.found[:], l.tags[:], some, t.bits, t.cells, t.records)
		} else if n = l.known(some); l.m.Tags != nil {
			n = l.tagged(n)
		}
		l.add(l.found[:n])
	}
	return l.rows
}

// known finds the rows of the buckets that have one, and the tags of the hashes.
func (l *Lookup) known(hashes []uint64) (n int) {
	shift := 64 - l.m.Meta.Text.Bits
	words := l.m.IDs.words
	ranks := l.m.IDs.ranks[:len(words)]
	for _, h := range hashes {
		id := h >> (shift & 63)
		i := id / wordBits
		if i >= uint64(len(words)) {
			continue
		}
		w := words[i]
		l.found[n] = ranks[i] + uint32(bits.OnesCount64(w&(1<<(id%wordBits)-1)))
		l.tags[n] = uint32(hashing.Tag(h))
		n += int(w >> (id % wordBits) & 1)
	}
	return n
}

// tagged keeps the first n rows that are for n-grams of their tag.
func (l *Lookup) tagged(n int) (kept int) {
	of := l.m.Tags
	for k, row := range l.found[:n] {
		tag, ours := uint32(of[row]), 0
		if tag == l.tags[k] {
			ours = 1
		}
		if tag == 0 {
			ours = 1
		}
		l.found[kept] = row
		kept += ours
	}
	return kept
}

// add adds the rows that the document does not have yet.
func (l *Lookup) add(rows []uint32) {
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
