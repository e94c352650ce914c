package model

import (
	"math/bits"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Lookup finds the rows of many n-grams at a time. It goes over them in stages, each of
// which asks for one thing only and does not branch on what it finds: so the cache
// misses of many n-grams overlap. It holds scratch memory and is not for concurrent use.
type Lookup struct {
	m    *Model
	rows []uint32
	tags []uint16
	own  []uint32 // tags of hashes
	seen []uint8  // of every row: the last document, by its number, that had it
	doc  uint8    // the number of this one, from 1
}

// NewLookup returns a lookup of a model's rows.
func NewLookup(m *Model) *Lookup {
	return &Lookup{m: m, seen: make([]uint8, m.IDs.Len())}
}

// Rows returns the distinct rows of n-grams by their hashes, in order of first
// occurrence; what the model does not know is left out, by its bucket or else by its tag.
// They are looked up in the model's table, if that is not nil, or in the model itself.
// The rows are valid until the next call.
func (l *Lookup) Rows(t *Table, hashes []uint64) []uint32 {
	if len(l.rows) < len(hashes) {
		room := 2 * len(hashes)
		l.rows, l.tags, l.own = make([]uint32, room), make([]uint16, room), make([]uint32, room)
	}
	var n int
	if t != nil {
		n = kernels.KnownRows(l.rows, l.own, hashes, t.bits, t.cells, t.records)
	} else if n = l.known(hashes); l.m.Tags != nil {
		n = l.tagged(n)
	}
	return l.rows[:l.distinct(n)]
}

// known leaves the rows of the buckets that have one, and the tags of the hashes.
func (l *Lookup) known(hashes []uint64) (n int) {
	ids := &l.m.IDs
	shift := 64 - l.m.Meta.Text.Bits
	rows, tags := l.rows[:len(hashes)], l.tags[:len(hashes)]
	words := ids.words
	ranks := ids.ranks[:len(words)]
	for _, h := range hashes {
		id := h >> (shift & 63)
		i := id / wordBits
		if i >= uint64(len(words)) {
			continue
		}
		w := words[i]
		rows[n] = ranks[i] + uint32(bits.OnesCount64(w&(1<<(id%wordBits)-1)))
		tags[n] = hashing.Tag(h)
		n += int(w >> (id % wordBits) & 1)
	}
	return n
}

// tagged keeps the first n rows that are for n-grams of their tag.
func (l *Lookup) tagged(n int) (kept int) {
	of := l.m.Tags
	rows, tags := l.rows[:n], l.tags[:n]
	for k, row := range rows {
		tag, ours := of[row], 0
		if tag == tags[k] {
			ours = 1
		}
		if tag == 0 {
			ours = 1
		}
		rows[kept] = row
		kept += ours
	}
	return kept
}

// distinct keeps each of the first n rows once.
func (l *Lookup) distinct(n int) (kept int) {
	if l.doc++; l.doc == 0 { // numbers begin anew
		clear(l.seen)
		l.doc = 1
	}
	rows, seen, doc := l.rows[:n], l.seen, l.doc
	for _, row := range rows {
		last := &seen[row]
		first := 0
		if *last != doc {
			first = 1
		}
		*last = doc
		rows[kept] = row
		kept += first
	}
	return kept
}
