package score

import "github.com/seed-167f963f/nbsvm/internal/model"

// WithTable makes a classifier that has a table of at most so many bytes from its second document on.
func WithTable(m *model.Model, size int64) *Classifier {
	c := New(m)
	t := c.table()
	t.size, t.from = size, 0
	return c
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
