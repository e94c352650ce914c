package score

import "github.com/seed-167f963f/nbsvm/internal/model"

// WithTable makes a classifier that has a table of at most so many bytes from its second document on.
func WithTable(m *model.Model, size int64) *Classifier {
	c := New(m)
	t := c.table()
	t.size, t.from, t.met = size, 0, *someMet(m)
	return c
}

// someMet are some rows of a model that were met often.
func someMet(m *model.Model) *met {
	met := newMet(m.Keys.Size())
	for row := range uint32(m.Keys.Size()) {
		if row*0x9e3779b9>>31 == 0 {
			met.add([]uint32{row, row})
		}
	}
	return &met
}

// WithSiblingRows makes a classifier that has a table with sibling rows from its second document on.
func WithSiblingRows(m *model.Model) *Classifier {
	c := WithTable(m, siblingTableBytes(m))
	c.table().siblings = mayHaveSiblingRows(m)
	return c
}

func (c *Classifier) table() *sharedTable {
	l, _ := ruleOf[*linear](c)
	return &l.table
}

// TableSize is the size of the table at most.
func (c *Classifier) TableSize() int64 { return c.table().size }

// HasTable says whether the table was made.
func (c *Classifier) HasTable() bool { return c.table().made.Load() != nil }

// tableOrder are the rows of a model in the order of a table's.
func tableOrder(m *model.Model, met *met) (order []uint32) {
	tableWith(m, met, func(_ *table, rows []uint32) []func() {
		order = rows
		return nil
	})
	return order
}
