package nbsvm

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/model"
)

// arranged is the model's table, which the scorers of a classifier share. It is made when
// so much text has been scored that with it the time to make it would have been saved: a
// few documents are scored from the model as it lies in its file, at once.
type arranged struct {
	size   int64 // of the table at most, 0 for none
	from   int64 // numbers added up
	scored atomic.Int64
	once   sync.Once
	table  atomic.Pointer[model.Table]
}

// arrangedAs is how a model is arranged, and after how many numbers that were added up, one
// of a row for an output. A byte of the table takes half a nanosecond to make; a number
// takes eight less with it.
func arrangedAs(m *model.Model) arranged {
	size := model.TableBytes(m)
	return arranged{size: size, from: size / 16}
}

// after takes in that so many rows were added up for every output.
func (a *arranged) after(m *model.Model, rows int) {
	if a.size == 0 || a.table.Load() != nil || a.scored.Add(int64(rows)*int64(m.Outputs)) < a.from {
		return
	}
	a.once.Do(func() { a.table.Store(model.NewTable(m, a.size)) })
}
