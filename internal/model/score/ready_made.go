package score

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// readyMade are features that documents come with, in SVMlight text, "index:value …".
type readyMade struct {
	m   *model.Model
	ids []uint32
}

// featureName returns what a ready-made feature is called.
func featureName(id uint64) string { return fmt.Sprintf("feature %d", id) }

func newReadyMade(m *model.Model) (features, error) { return &readyMade{m: m}, nil }

func (r *readyMade) append(b *batch, text []byte) (err error) {
	r.ids, b.values, err = sparse.AppendSVMLight(r.ids[:0], b.values, text)
	for _, id := range r.ids {
		b.keys = append(b.keys, uint64(id))
	}
	return err
}

func (r *readyMade) appendRow(b *batch, keys []uint64, values []float32) {
	sparse.SortRow(keys, values)
	b.keys = append(b.keys, keys...)
	if values != nil {
		b.values = append(b.values, values...)
		return
	}
	for range keys {
		b.values = append(b.values, 1)
	}
}

func (r *readyMade) distinct(text []byte) (int, error) {
	ids, _, err := sparse.AppendSVMLight(nil, nil, text)
	slices.Sort(ids)
	return len(slices.Compact(ids)), err
}

func (r *readyMade) names(text []byte, _ func(int) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		ids, _, _ := sparse.AppendSVMLight(nil, nil, text)
		for _, id := range ids {
			row, ok := r.m.Keys.Rank(uint64(id))
			if !ok {
				row = -1
			}
			if !yield(row, featureName(uint64(id))) {
				return
			}
		}
	}
}
