package vocab

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// MergeOptions say how corpora become one.
type MergeOptions struct {
	Kind Values // of the whole; Binary takes all parts, Floats all but those of Counts
	// MinDF leaves out columns of fewer documents. The outcome is that of packing all documents at
	// once if no part left out columns itself.
	MinDF   uint64
	Threads int
	Temp    string // folder for temporary files, of 28 bytes a column and of names; "" is the system's
}

// Merge writes the rows of all parts, one part after the other, as one corpus. The head's Runs and Distinct follow from
// the parts.
//
// In memory are, besides blocks under way, 8 bytes for every column of the whole.
func Merge(ctx context.Context, w io.Writer, parts []*Corpus, head *Head, o MergeOptions) (Totals, error) {
	n, err := newNumbering(ctx, parts, o)
	if err != nil {
		return Totals{}, err
	}
	defer n.free()
	head.Runs, head.Distinct = n.runs, n.distinct
	pw, err := NewWriter(w, o.Kind)
	if err != nil {
		return Totals{}, err
	}
	if slices.ContainsFunc(parts, (*Corpus).Named) {
		pw.Names = NewNames(len(n.keys), o.Temp)
		defer pw.Names.Close()
	}
	mergers := make([]rowMerger, o.Threads)
	for part, c := range parts {
		if err := c.addNames(pw.Names, n.numbers[part]); err != nil {
			return Totals{}, err
		}
		var found count
		err = par.Map(ctx, o.Threads, c.Blocks(), func(w, i int) (merged, error) {
			return mergers[w].block(c, i, o.Kind, n.numbers[part])
		}, func(m merged) error {
			found += m.found
			return pw.Append(m.rows)
		})
		if err != nil {
			return Totals{}, err
		}
		if err := c.compare(found); err != nil {
			return Totals{}, err
		}
	}
	return pw.Finish(head, n.keys)
}

// rowMerger makes rows of the whole of those of a part. It is scratch memory for one goroutine at a time.
type rowMerger struct {
	x     sparse.CSR
	radix RowBuilder
}

// merged are the rows of a block.
type merged struct {
	rows  *Encoded
	found count // of the part's entries
}

func (r *rowMerger) block(c *Corpus, i int, kind Values, number []uint32) (merged, error) {
	if err := c.Block(i, &r.x); err != nil {
		return merged{}, err
	}
	c.Release(i)
	m := merged{rows: NewEncoded(), found: countEntries(r.x.Indices)}
	n := 0
	entries, entryValues := r.radix.Reserve(len(r.x.Indices), r.x.Values != nil)
	for row := range r.x.Rows {
		columns, values := r.x.Row(row)
		for k, column := range columns {
			if number[column] == none {
				continue
			}
			if entries[n] = RowEntry(number[column], uint32(row)); values != nil {
				entryValues[n] = values[k]
			}
			n++
		}
	}
	r.radix.Build(n, r.x.Rows)
	for row := range r.x.Rows {
		columns, values := r.radix.Row(row)
		if kind != Binary && values == nil {
			values = slices.Repeat([]float32{1}, len(columns))
		}
		m.rows.Append(kind, columns, values)
	}
	return m, nil
}

// addNames adds the names of columns that have a number in the whole.
func (c *Corpus) addNames(names *Names, number []uint32) error {
	var failed error
	err := c.EachName(func(column uint32, name []byte) {
		if j := number[column]; j != none && failed == nil {
			failed = names.Add(j, name)
		}
	})
	return errors.Join(err, failed)
}

// count stands for how many documents have each column, in a few bytes: the sum over all entries of a random number of
// their column. Two corpora whose columns are in other numbers of documents have another sum, but for one case in 2^64;
// nobody can make such a case up, as the numbers are drawn anew in every process.
type count uint64

var secret = rand.Uint64()

// of returns a column's random number.
func of(column uint32) uint64 {
	s := xmath.SplitMix(secret + uint64(column))
	return s.Uint64()
}

// countEntries counts entries.
func countEntries(columns []uint32) (sum count) {
	for _, j := range columns {
		sum += count(of(j))
	}
	return sum
}

// countOf returns the count of columns that are in as many documents as is said.
func countOf(runs []Run) count {
	sum, column := uint64(0), uint32(0)
	for _, r := range runs {
		for range r.Columns {
			sum += r.Frequency * of(column)
			column++
		}
	}
	return count(sum)
}
