package score

import (
	"fmt"
	"iter"

	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// readyMade are features that documents come with, in SVMlight text, "index:value …".
type readyMade struct {
	m   *model.Model
	ids []uint32
}

// featureName is what a ready-made feature is called.
func featureName(id uint32) string { return fmt.Sprintf("feature %d", id) }

func newReadyMade(m *model.Model) (features, error) { return &readyMade{m: m}, nil }

func (r *readyMade) append(b *batch, text []byte) (err error) {
	b.ids, b.values, err = sparse.AppendSVMLight(b.ids, b.values, text)
	return err
}

func (r *readyMade) appendRow(b *batch, keys []uint64, values []float32) {
	r.ids = r.ids[:0]
	for _, key := range keys {
		r.ids = append(r.ids, uint32(key))
	}
	rowsort.Sort(r.ids, values)
	b.ids = append(b.ids, r.ids...)
	if values != nil {
		b.values = append(b.values, values...)
		return
	}
	for range r.ids {
		b.values = append(b.values, 1)
	}
}

func (r *readyMade) names(text []byte, _ func(int) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		ids, _, _ := sparse.AppendSVMLight(nil, nil, text)
		for _, id := range ids {
			row, ok := r.m.IDs.Rank(id)
			if !ok {
				row = -1
			}
			if !yield(row, featureName(id)) {
				return
			}
		}
	}
}
