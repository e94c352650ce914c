package nbsvm

import (
	"math"

	"github.com/seed-167f963f/nbsvm/model"
)

// features are a document's, as the model sees them: distinct rows of the model
// and the value of each.
type features struct {
	m       *model.Model
	rows    []uint32
	values  []float64
	scratch []float32
	seen    []uint32 // per model row: mark of the last document that held it
	place   []int32  // per model row: where that was
	mark    uint32
}

func newFeatures(m *model.Model) features {
	return features{m: m, seen: make([]uint32, m.IDs.Len()), place: make([]int32, m.IDs.Len())}
}

func (f *features) reset() {
	f.rows, f.values = f.rows[:0], f.values[:0]
	f.mark++
	if f.mark == 0 {
		clear(f.seen)
		f.mark = 1
	}
}

// add takes in a feature; what the model does not know is left out. N-grams that
// share a bucket are one feature.
func (f *features) add(id uint32, value float32) {
	row, ok := f.m.IDs.Row(id)
	if !ok {
		return
	}
	if f.seen[row] == f.mark {
		if f.m.Meta.Values != string(Binary) {
			f.values[f.place[row]] += float64(value)
		}
		return
	}
	f.seen[row], f.place[row] = f.mark, int32(len(f.rows))
	f.rows, f.values = append(f.rows, uint32(row)), append(f.values, float64(value))
}

// finish turns occurrences into values.
func (f *features) finish() {
	meta := &f.m.Meta
	if meta.SublinearTF {
		for k, tf := range f.values {
			f.values[k] = float64(sublinear(float32(tf)))
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
