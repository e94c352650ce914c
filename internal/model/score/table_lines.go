package score

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// lineCount is how many lines a table has: so many that few have more rows than keys.
func lineCount(m *model.Model) int {
	const rows = 16                                                // of a line, on average; two of a thousand then have more than 28
	least := 1 << max(0, m.Meta.Text.Bits-tagBits-kernels.KeyBits) // for buckets that have all bits but those of a tag
	return min(max((m.Keys.Size()+rows-1)/rows, least), 1<<min(m.Meta.Text.Bits, mostBucketBits))
}

const (
	tagBits        = 16
	mostBucketBits = 32
)

// bucketBits are the bits of a bucket in so many lines: as many as there can be, so that few buckets have two keys.
func bucketBits(m *model.Model, lines int) int {
	return min(m.Meta.Text.Bits, bits.Len(uint(lines))-1+kernels.KeyBits, mostBucketBits)
}

// met notes which rows of a model were met twice or more. Any number of goroutines may do so at once.
type met struct{ once, twice []atomic.Uint32 } // a bit for each row

func newMet(rows int) met {
	words := (rows + 31) / 32
	return met{make([]atomic.Uint32, words), make([]atomic.Uint32, words)}
}

func (m *met) add(rows []uint32) {
	for _, row := range rows {
		word, bit := row/32, uint32(1)<<(row%32)
		switch {
		case m.once[word].Load()&bit == 0:
			m.once[word].Or(bit)
		case m.twice[word].Load()&bit == 0:
			m.twice[word].Or(bit)
		}
	}
}

// often returns the rows that were met twice or more until now, a bit for each, and how many they are. Others may be
// met meanwhile.
func (m *met) often() (rows frequentRows, n int) {
	rows = make(frequentRows, len(m.twice))
	for i := range rows {
		rows[i] = m.twice[i].Load()
		n += bits.OnesCount32(rows[i])
	}
	return rows, n
}

// frequentRows has a bit for each row.
type frequentRows []uint32

func (r frequentRows) has(row int) bool { return r[row/32]>>(row%32)&1 == 1 }

// keyRow is a row of the model and its key.
type keyRow struct {
	key uint64
	row uint32
}

// fillLines makes the lines, and returns which row of the model each row of the table is: those that were met often
// come first. A tenth of the rows are four fifths of those that texts have, so most of what is read lies close
// together.
func (t *table) fillLines(m *model.Model, met *met) (order []uint32) {
	f := lineFiller{t: t, order: make([]uint32, m.Keys.Size())}
	t.more = map[uint64]uint32{}
	often, n := met.often()
	f.next = [2]uint32{0, uint32(n)}
	line := 0
	for row, key := range m.Keys.All() {
		for ; line < kernels.LineOf(t.bucket(key), t.bucketBits, len(t.lines)); line++ {
			f.fill(&t.lines[line])
		}
		k := 1
		if often.has(row) {
			k = 0
		}
		f.rows[k] = append(f.rows[k], keyRow{key, uint32(row)})
	}
	for ; line < len(t.lines); line++ {
		f.fill(&t.lines[line])
	}
	return f.order
}

// bucket returns the bucket of a key.
func (t *table) bucket(key uint64) uint32 { return uint32(key >> (t.keyBits - t.bucketBits)) }

// lineFiller fills one line after the other. Frequent rows are the first of each pair, others the second.
type lineFiller struct {
	t     *table
	order []uint32    // of each row of the table, the row of the model
	next  [2]uint32   // rows of the table to be used next
	rows  [2][]keyRow // those of the line
	late  []keyRow    // those of the line whose bucket has another row
}

// fill fills a line with the rows that were collected for it. Of several keys with one bucket, the first is in the
// line, and the others are found in more, as are all of a line with more rows than keys.
func (f *lineFiller) fill(line *kernels.BucketLine) {
	for k := range line.Keys {
		line.Keys[k] = kernels.NoKey
	}
	full := len(f.rows[0])+len(f.rows[1]) > kernels.LineKeys
	place := 0
	for k, rows := range f.rows {
		first, before := f.next[k], place
		f.late = f.late[:0]
		for _, r := range rows {
			key := kernels.KeyOf(f.t.bucket(r.key))
			if full || slices.Contains(line.Keys[:place], key) {
				f.late = append(f.late, r)
				continue
			}
			line.Keys[place] = key
			place++
			f.number(k, r)
		}
		for _, r := range f.late {
			f.t.more[r.key] = f.number(k, r)
		}
		if k == 0 {
			line.Frequent = kernels.Frequent(first, uint32(place))
		} else {
			line.Others = first - uint32(before)
		}
		f.rows[k] = rows[:0]
	}
	if full {
		line.Others = kernels.MoreRows
	}
}

// number gives a row its number in the table.
func (f *lineFiller) number(k int, r keyRow) uint32 {
	n := f.next[k]
	f.order[n], f.t.entries[n].Tag = r.row, uint32(uint16(r.key))
	f.next[k]++
	return n
}
