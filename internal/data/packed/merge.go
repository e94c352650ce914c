package packed

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// MergeOptions say how corpora become one.
type MergeOptions struct {
	Kind Values // of the whole; Binary takes all parts, Floats all but those of Counts
	// MinDF leaves out columns of fewer documents. The outcome is that of packing all documents at
	// once if no part left out columns itself.
	MinDF   uint64
	Threads int
	Temp    string // folder for temporary files, of 20 bytes a column and of names; "" is the system's
}

// Merge writes the rows of all parts, one part after the other, as one corpus: columns of
// one key become one, their frequencies add up, and all are numbered anew. The head's
// Runs and Distinct follow from the parts.
//
// In memory are, besides a part's blocks under way, 8 bytes for every column of the whole
// and 4 for every one of the largest part.
func Merge(ctx context.Context, w io.Writer, parts []*Corpus, head *Head, o MergeOptions) (Totals, error) {
	m := &merger{parts: parts, o: o}
	defer func() { m.columns.close() }()
	if err := m.number(ctx, head); err != nil {
		return Totals{}, err
	}
	pw, err := NewWriter(w, o.Kind)
	if err != nil {
		return Totals{}, err
	}
	if slices.ContainsFunc(parts, (*Corpus).Named) {
		pw.Names = NewNames(len(m.keys), o.Temp)
		defer pw.Names.Close()
	}
	for i := range parts {
		if err := m.rows(ctx, pw, i); err != nil {
			return Totals{}, err
		}
	}
	return pw.Finish(head, m.keys)
}

type merger struct {
	parts   []*Corpus
	o       MergeOptions
	columns *numbering
	keys    []uint64 // of the whole
}

// number numbers the columns of the whole.
func (m *merger) number(ctx context.Context, head *Head) (err error) {
	if m.columns, err = newNumbering(ctx, m.parts, m.o.MinDF, m.o.Threads, m.o.Temp); err != nil {
		return err
	}
	head.Runs, head.Distinct = m.columns.runs, m.columns.distinct
	m.keys = make([]uint64, m.columns.columns)
	return m.columns.number(ctx, func(first uint32, keys []uint64) error {
		copy(m.keys[first:], keys)
		return nil
	})
}

// rows writes the rows of a part.
func (m *merger) rows(ctx context.Context, w *Writer, part int) error {
	number, err := m.columns.dictionaries[part].numbers()
	if err != nil {
		return err
	}
	c := m.parts[part]
	if err := c.addNames(w.Names, number); err != nil {
		return err
	}
	type worker struct {
		block  sparse.CSR
		joiner rowJoiner
		count  count
	}
	workers := make([]worker, m.o.Threads)
	err = ordered.Map(ctx, len(workers), c.Blocks(), func(k, i int) (*Encoded, error) {
		wk := &workers[k]
		if err := c.Block(i, &wk.block); err != nil {
			return nil, err
		}
		c.Release(i)
		rows := NewEncoded()
		wk.count.add(wk.block.Indices)
		for r := range wk.block.Rows {
			columns, values := wk.block.Row(r)
			columns, values = wk.joiner.row(columns, values, number)
			if m.o.Kind != Binary {
				values = withValues(columns, values)
			}
			rows.Append(m.o.Kind, columns, values)
		}
		return rows, nil
	}, w.Append)
	if err != nil {
		return err
	}
	found := count(0)
	for i := range workers {
		found += workers[i].count
	}
	if found != countOf(c.Runs) {
		return c.miscounted("columns are in other numbers of documents")
	}
	return nil
}

// addNames adds the names of columns that have a number in the whole.
func (c *Corpus) addNames(names *Names, number []uint32) error {
	var failed error
	err := c.EachName(func(column uint32, name []byte) {
		if j := number[column]; j != none && failed == nil {
			failed = names.Add(j, string(name))
		}
	})
	return errors.Join(err, failed)
}

// renumber gives a row's columns their new numbers, in place, and leaves out those that
// have none.
func renumber(columns []uint32, values []float32, number []uint32) ([]uint32, []float32) {
	n := 0
	for k, j := range columns {
		if number[j] == none {
			continue
		}
		columns[n] = number[j]
		if values != nil {
			values[n] = values[k]
		}
		n++
	}
	if values != nil {
		values = values[:n]
	}
	return columns[:n], values
}

// withValues are the values of entries, or ones where these have none.
func withValues(columns []uint32, values []float32) []float32 {
	if values != nil {
		return values
	}
	values = make([]float32, len(columns))
	for i := range values {
		values[i] = 1
	}
	return values
}
