package nbsvm

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/model"
)

// arranged is the model's table, which the scorers of a classifier share. It is made when
// as many bytes of text have been scored as it will have: a few documents are scored
// from the model as it lies in its file, at once.
type arranged struct {
	size   int64 // of the table, 0 for none
	scored atomic.Int64
	once   sync.Once
	table  atomic.Pointer[model.Table]
}

// after takes in that so much text was scored.
func (a *arranged) after(m *model.Model, text int) {
	if a.size == 0 || a.table.Load() != nil || a.scored.Add(int64(text)) < a.size {
		return
	}
	a.once.Do(func() { a.table.Store(model.NewTable(m)) })
}
