package packed

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
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

// Merge writes the rows of all parts, one part after the other, as one corpus: those of Join. The head's Runs and
// Distinct follow from the parts.
//
// In memory are, besides blocks under way, 8 bytes for every column of the whole.
func Merge(ctx context.Context, w io.Writer, parts []*Corpus, head *Head, o MergeOptions) (Totals, error) {
	j, err := Join(ctx, parts, o)
	if err != nil {
		return Totals{}, err
	}
	defer j.closeFiles()
	j.found = make([]atomic.Uint64, len(parts))
	head.Runs, head.Distinct = j.Runs, j.totals.Distinct
	keys, err := j.Keys()
	if err != nil {
		return Totals{}, err
	}
	pw, err := NewWriter(w, o.Kind)
	if err != nil {
		return Totals{}, err
	}
	if j.Named() {
		if pw.Names, err = j.names(); err != nil {
			return Totals{}, err
		}
		defer pw.Names.Close()
	}
	blocks := make([]sparse.CSR, o.Threads)
	err = ordered.Map(ctx, o.Threads, j.Blocks(), func(w, i int) (*Encoded, error) {
		x := &blocks[w]
		if err := j.Block(i, x); err != nil {
			return nil, err
		}
		j.Release(i)
		rows := NewEncoded()
		for r := range x.Rows {
			columns, values := x.Row(r)
			rows.Append(o.Kind, columns, values)
		}
		return rows, nil
	}, pw.Append)
	if err != nil {
		return Totals{}, err
	}
	for part, c := range parts {
		if count(j.found[part].Load()) != countOf(c.Runs) {
			return Totals{}, c.miscounted("columns are in other numbers of documents")
		}
	}
	return pw.Finish(head, keys)
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

// count stands for how many documents have each column, in a few bytes: the sum over all entries of a random number of
// their column. Two corpora whose columns are in other numbers of documents have another sum, but for one case in 2^64;
// nobody can make such a case up, as the numbers are drawn anew in every process.
type count uint64

var secret = rand.Uint64()

// of is a column's random number.
func of(column uint32) uint64 {
	s := splitmix.Source(secret + uint64(column))
	return s.Uint64()
}

// add counts entries.
func (c *count) add(columns []uint32) {
	sum := uint64(0)
	for _, j := range columns {
		sum += of(j)
	}
	*c += count(sum)
}

// countOf is the count of columns that are in as many documents as is said.
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
