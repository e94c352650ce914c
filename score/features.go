package score

import (
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/model"
)

// features are a document's, as the model sees them: distinct rows of the model
// and the value of each.
type features struct {
	m      *model.Model
	rows   []uint32
	values []float64 // nil where all are 1
	lookup *model.Lookup
	found  []uint32 // rows of all texts that were looked up
	soon   []uint32 // rows, and behind them those of the next texts
	ends   []int    // of each text's
	places []int32  // hash table of rows: 1 + place in rows; 0 is free
	shift  uint     // takes the top bits of a hash as a place in the table
}

// ahead is how many ids are looked up at a time.
const ahead = 16

// set takes in a document's features; what the model does not know is left out, by
// its id or else by its tag. N-grams that share a bucket are one feature. Values of
// nil are all 1; tags are nil for ready-made features.
func (f *features) set(ids []uint32, tags []uint16, values []float32) {
	f.rows, f.values = f.rows[:0], f.values[:0]
	f.clear(len(ids))
	for lo := 0; lo < len(ids); lo += ahead {
		hi := min(lo+ahead, len(ids))
		f.m.IDs.Touch(ids[lo:hi])
		for k := lo; k < hi; k++ {
			row, ok := f.m.IDs.Row(ids[k])
			if !ok || tags != nil && !tagged(f.m, row, tags[k]) {
				continue
			}
			value := 1.0
			if values != nil {
				value = float64(values[k])
			}
			f.add(uint32(row), value)
		}
	}
	f.finish()
}

// lookUp finds the rows of several texts at once, whose n-grams end at ends, each of which
// counts once, however often it is there. They are looked up in the model's table if that
// is not nil.
func (f *features) lookUp(hashes []uint64, ends []int, table *model.Table) {
	if f.lookup == nil {
		f.lookup = model.NewLookup(f.m)
	}
	f.found, f.ends = f.lookup.Rows(table, hashes, ends)
}

// take takes in the k-th of the texts that were looked up.
func (f *features) take(k int, table *model.Table) {
	first := 0
	if k > 0 {
		first = f.ends[k-1]
	}
	f.rows, f.soon = f.found[first:f.ends[k]], f.found[first:]
	if table != nil {
		f.values = nil
		return
	}
	f.values = f.values[:0]
	for range f.rows {
		f.values = append(f.values, 1)
	}
	f.finish()
}

// copy takes in the features of a model that knows the same ones.
func (f *features) copy(of *features) {
	f.rows, f.values = of.rows, f.values[:0]
	for k := range of.rows {
		f.values = append(f.values, of.value(k))
	}
}

// value is that of the k-th row.
func (f *features) value(k int) float64 {
	if f.values == nil {
		return 1
	}
	return f.values[k]
}

// tagged says whether a row is for n-grams of this tag.
func tagged(m *model.Model, row int, tag uint16) bool {
	return m.Tags == nil || m.Tags[row] == tag || m.Tags[row] == 0
}

// clear empties the table, which stays at least half empty with n rows.
func (f *features) clear(n int) {
	size := max(64, 1<<bits.Len(uint(2*n)))
	if size > cap(f.places) {
		f.places = make([]int32, size)
	}
	f.places = f.places[:size]
	clear(f.places)
	f.shift = uint(32 - bits.TrailingZeros(uint(size)))
}

func (f *features) add(row uint32, value float64) {
	const golden = 0x9e3779b9
	for i := row * golden >> f.shift; ; i = (i + 1) & uint32(len(f.places)-1) {
		switch place := f.places[i]; {
		case place == 0:
			f.rows, f.values = append(f.rows, row), append(f.values, value)
			f.places[i] = int32(len(f.rows))
			return
		case f.rows[place-1] == row:
			if f.m.Meta.Values != binary {
				f.values[place-1] += value
			}
			return
		}
	}
}

// finish turns occurrences into values.
func (f *features) finish() {
	meta := &f.m.Meta
	if meta.SublinearTF {
		for k, tf := range f.values {
			f.values[k] = float64(xmath.Sublinear(float32(tf)))
		}
	}
	if f.m.IDF != nil {
		for k, row := range f.rows {
			f.values[k] *= float64(f.m.IDF[row])
		}
	}
	if !meta.Prenormalize {
		return
	}
	var square float64
	for _, v := range f.values {
		square += float64(v * v)
	}
	if square > 0 {
		for k := range f.values {
			f.values[k] *= 1 / math.Sqrt(square)
		}
	}
}
