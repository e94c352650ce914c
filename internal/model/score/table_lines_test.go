package score

import (
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/keyset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTableWhileRowsAreMet makes tables while other goroutines score without one: each row of the model is one row of
// the table.
func TestTableWhileRowsAreMet(t *testing.T) {
	const bits = 20
	var ids []uint64
	for id := uint64(0); id < 1<<bits; id += 3 {
		ids = append(ids, id)
	}
	set, _, err := keyset.New(1<<bits, ids)
	must.OK(t, err)
	m := &model.Model{Universe: 1 << bits, Keys: *set, Outputs: 1, Dense: make(model.Float32s, len(ids))}
	m.Meta.Text = hashing.Options{Bits: bits}
	table := &table{keyBits: bits, bucketBits: bucketBits(m, lineCount(m)), lines: make([]kernels.BucketLine, lineCount(m)), entries: make([]kernels.Entry, len(ids))}
	for range 5 {
		met := newMet(len(ids))
		begun, scored := make(chan struct{}), make(chan struct{})
		go func() {
			close(begun)
			for i := range uint32(len(ids)) {
				row := i * 7919 % uint32(len(ids))
				met.add([]uint32{row, row})
			}
			close(scored)
		}()
		<-begun
		order := table.fillLines(m, &met)
		<-scored
		slices.Sort(order)
		for row, is := range order {
			if row != int(is) {
				t.Fatalf("row %d of the model is missing from the table", row)
			}
		}
	}
}
