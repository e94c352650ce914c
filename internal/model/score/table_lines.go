package score

import (
	"math/bits"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// lineCount is how many lines a table has: so many that few have more rows than keys.
func lineCount(m *model.Model) int {
	const rows = 16 // of a line, on average; two of a thousand then have more than 28
	bits := m.Meta.Text.Bits
	return min(max((m.IDs.Size+rows-1)/rows, 1<<max(0, bits-kernels.KeyBits)), 1<<bits)
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

// often returns the rows that were met twice or more until now, a bit for each, and how many they are. Others may be met
// meanwhile.
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

// fillLines makes the lines, and returns which row of the model each row of the table is: those that were met often come
// first. A tenth of the rows are four fifths of those that texts have, so most of what is read lies close together.
func (t *table) fillLines(m *model.Model, met *met) (order []uint32) {
	order, t.more = make([]uint32, m.IDs.Size), map[uint32]uint32{}
	often, n := met.often()
	next := [2]uint32{0, uint32(n)} // numbers of rows, of frequent ones and of others
	var buckets [2][]uint32         // those of a line
	line := 0
	for row, bucket := range m.IDs.All() {
		for ; line < kernels.LineOf(bucket, t.bits, len(t.lines)); line++ {
			t.fillLine(line, next, &buckets)
		}
		k := 1
		if often.has(row) {
			k = 0
		}
		order[next[k]] = uint32(row)
		next[k]++
		buckets[k] = append(buckets[k], bucket)
	}
	for ; line < len(t.lines); line++ {
		t.fillLine(line, next, &buckets)
	}
	return order
}

// fillLine makes a line of buckets, before whose rows' numbers the next ones are, and empties these.
func (t *table) fillLine(number int, next [2]uint32, buckets *[2][]uint32) {
	line := &t.lines[number]
	for k := range line.Keys {
		line.Keys[k] = kernels.NoKey
	}
	frequent, others := uint32(len(buckets[0])), uint32(len(buckets[1]))
	more, place := frequent+others > kernels.LineKeys, 0
	if line.Others = kernels.MoreRows; !more {
		line.Frequent, line.Others = kernels.Frequent(next[0]-frequent, frequent), next[1]-others-frequent
	}
	for k, some := range buckets {
		for i, bucket := range some {
			if more {
				t.more[bucket] = next[k] - uint32(len(some)-i)
			} else {
				line.Keys[place] = kernels.KeyOf(bucket)
				place++
			}
		}
		buckets[k] = some[:0]
	}
}
