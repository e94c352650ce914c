package score

import (
	"context"
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// batch holds the features of several documents and finds their rows in the model. A rule takes one document at a time
// from it.
type batch struct {
	m *model.Model

	// The features that were appended, one document after the other: either hashes of n-grams that count once, no
	// matter how often they occur, or keys with a value each. The values of a key that occurs several times are added
	// up, unless the model's values are binary.
	hashes []uint64
	keys   []uint64
	values []float32 // parallel to keys
	ends   []int     // of each document's hashes, or keys
	before int       // hashes that were looked up already, and are gone

	// A document that has more features than fit into memory is taken in pieces, with lookUp after each.
	lookUp func()
	ctx    context.Context // of the document under way: looked at between pieces
	open   bool            // the document under way is not at its end

	table  *table
	adds   bool // documents are added up where features count once, and their rows are not asked for
	hashed bool // the features are hashes
	lookup *lookup

	rows      []uint32 // distinct, of the document that was taken; a part of the lookup's or own
	own       []uint32
	ownValues []float64
	ones      []float64
	soon      []uint32  // these rows, followed by those of the next documents
	rowValues []float64 // of each row
	once      bool      // they are all 1
	sums      *docSums  // of the document that was taken; nil where it has rows

	sumsWords bool      // n-grams within words are added up by word, and have no rows
	words     *wordSums // nil before the first
	wordSums  []float64 // of the words of the document that was taken; nil without

	places []int32 // hash table of rows: 1 + place in rows; 0 is free
	shift  uint    // takes the top bits of a hash as a place in the table
}

// reset empties the batch; its memory stays.
func (b *batch) reset() {
	b.hashes, b.keys, b.values, b.ends = b.hashes[:0], b.keys[:0], b.values[:0], b.ends[:0]
	b.hashed, b.before, b.open = false, 0, false
	if b.words != nil {
		b.words.reset()
	}
}

// size returns how many features were appended.
func (b *batch) size() int { return max(b.before+len(b.hashes), len(b.keys)) }

// end ends a document.
func (b *batch) end() { b.ends = append(b.ends, b.size()) }

// piece looks up the hashes of a document that goes on, and makes room for more.
func (b *batch) piece(hashes []uint64) ([]uint64, error) {
	if err := b.ctx.Err(); err != nil {
		return hashes[:0], err
	}
	b.hashes, b.open = hashes, true
	b.lookUp()
	b.before += len(hashes)
	b.open = false
	return hashes[:0], nil
}

// find looks up the hashes of all documents at once, or adds them up.
func (b *batch) find() {
	if b.words != nil && !b.open {
		b.words.find()
	}
	if b.before == 0 {
		b.hashed = len(b.hashes) > 0
	}
	if !b.hashed {
		return
	}
	if b.lookup == nil {
		b.lookup = newLookup(b.table)
	}
	b.lookup.adds = b.adds
	b.lookup.find(b.before, b.hashes, b.ends)
}

// compact adds up the values of the keys from first on that are the same feature, and leaves out those that the model
// does not know. It returns what limit to pass before the next time.
func (b *batch) compact(first int) (limit int) {
	b.rows = b.own[:0]
	b.clear(len(b.keys) - first)
	kept := first
	for k := first; k < len(b.keys); k++ {
		row, ok := b.m.Keys.Rank(b.keys[k])
		if !ok {
			continue
		}
		place, isNew := b.place(uint32(row))
		if isNew {
			b.rows = append(b.rows, uint32(row))
			b.keys[kept], b.values[kept] = b.keys[k], b.values[k]
			kept++
			continue
		}
		b.values[first+place] += b.values[k]
	}
	b.own = b.rows
	b.keys, b.values = b.keys[:kept], b.values[:kept]
	return kept + max(kept-first, 2*hashing.PieceHashes)
}

// take takes the k-th document.
func (b *batch) take(k int) {
	b.sums, b.once, b.wordSums = nil, false, nil
	if b.sumsWords {
		b.wordSums = b.words.total(k)
	}
	if b.hashed && b.adds {
		b.sums = &b.lookup.sums[k]
		return
	}
	ends := b.ends
	if b.hashed {
		ends = b.lookup.ends
	}
	first, end := 0, ends[k]
	if k > 0 {
		first = ends[k-1]
	}
	if !b.hashed {
		b.addUp(first, end)
		return
	}
	b.rows, b.soon = b.lookup.rows[first:end], b.lookup.rows[first:]
	for len(b.ones) < len(b.rows) {
		b.ones = append(b.ones, 1)
	}
	b.rowValues, b.once = b.ones[:len(b.rows)], true
	if b.m.IDF != nil || b.m.Meta.Prenormalize {
		b.rowValues, b.once = append(b.ownValues[:0], b.rowValues...), false
		b.finish()
		b.ownValues = b.rowValues
	}
}

// known returns how many distinct features of the document that was taken the model knows.
func (b *batch) known() int {
	if b.sums != nil {
		return b.sums.rows
	}
	return len(b.rows)
}

// ahead is how many keys are looked up at a time.
const ahead = 16

// addUp takes the document whose keys lie from first to end. It leaves out features that the model does not know.
func (b *batch) addUp(first, end int) {
	b.rows, b.rowValues = b.own[:0], b.ownValues[:0]
	b.clear(end - first)
	for lo := first; lo < end; lo += ahead {
		hi := min(lo+ahead, end)
		b.m.Keys.Touch(b.keys[lo:hi])
		for k := lo; k < hi; k++ {
			if row, ok := b.m.Keys.Rank(b.keys[k]); ok {
				b.add(uint32(row), float64(b.values[k]))
			}
		}
	}
	b.finish()
	b.own, b.ownValues, b.soon = b.rows, b.rowValues, b.rows
}

// clear empties the hash table and makes room for n rows, so that at least half of it stays free.
func (b *batch) clear(n int) {
	size := max(64, 1<<bits.Len(uint(2*n)))
	if size > cap(b.places) {
		b.places = make([]int32, size)
	}
	b.places = b.places[:size]
	clear(b.places)
	b.shift = uint(32 - bits.TrailingZeros(uint(size)))
}

func (b *batch) add(row uint32, value float64) {
	place, isNew := b.place(row)
	switch {
	case isNew:
		b.rows, b.rowValues = append(b.rows, row), append(b.rowValues, value)
	case b.m.Meta.Values != binary:
		b.rowValues[place] += value
	}
}

// place is that of a row among rows; a new one gets the next.
func (b *batch) place(row uint32) (place int, isNew bool) {
	const golden = 0x9e3779b9
	for i := row * golden >> b.shift; ; i = (i + 1) & uint32(len(b.places)-1) {
		switch place := b.places[i]; {
		case place == 0:
			b.places[i] = int32(len(b.rows)) + 1
			return len(b.rows), true
		case b.rows[place-1] == row:
			return int(place) - 1, false
		}
	}
}

// finish turns occurrences into values.
func (b *batch) finish() {
	meta := &b.m.Meta
	if meta.Values == logCount || meta.Values == logTFIDF {
		for k, tf := range b.rowValues {
			b.rowValues[k] = float64(xmath.Sublinear(float32(tf)))
		}
	}
	if b.m.IDF != nil {
		for k, row := range b.rows {
			b.rowValues[k] *= float64(b.m.IDF[row])
		}
	}
	if !meta.Prenormalize {
		return
	}
	var square float64
	for _, v := range b.rowValues {
		square += float64(v * v)
	}
	if square > 0 {
		for k := range b.rowValues {
			b.rowValues[k] *= 1 / math.Sqrt(square)
		}
	}
}
