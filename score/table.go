package score

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/model"
)

// scoreTable is the table of a model, which the scorers of a classifier share. It is made
// when so much text has been scored that the table would have saved the time that it takes
// to make: a few documents are scored at once, from the model as it lies in its file.
type scoreTable struct {
	size  int64 // of the table at most, in bytes; 0 for a model that has none
	from  int64 // numbers added up, from which on the table pays
	added atomic.Int64
	once  sync.Once
	made  atomic.Pointer[model.Table]
}

// newScoreTable plans the table of a model. A byte of a table takes half a nanosecond to
// make; a number that is added up, one of a row for an output, takes eight less with it.
func newScoreTable(m *model.Model) scoreTable {
	size := model.TableBytes(m)
	return scoreTable{size: size, from: size / 16}
}

// count takes in that so many rows were added up for every output.
func (t *scoreTable) count(m *model.Model, rows int) {
	if t.size == 0 || t.made.Load() != nil || t.added.Add(int64(rows)*int64(m.Outputs)) < t.from {
		return
	}
	t.once.Do(func() { t.made.Store(model.NewTable(m, t.size)) })
}
