package packed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
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
// In memory are, besides a part's blocks under way, 16 bytes for every column of the whole
// and 4, for a time 20, for every one of the largest part.
func Merge(ctx context.Context, w io.Writer, parts []*Corpus, head *Head, o MergeOptions) (Totals, error) {
	m := &merger{parts: parts, o: o}
	defer m.close()
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
	parts        []*Corpus
	o            MergeOptions
	dictionaries []*dictionary
	file         *os.File // that they are in
	keys         []uint64 // of the whole
}

func (m *merger) close() {
	if m.file != nil {
		m.file.Close()
		os.Remove(m.file.Name())
	}
}

// kept are the columns of a shard that count, keys ascending.
type kept struct {
	keys, frequencies []uint64
	distinct          int
}

// number numbers the columns of the whole.
func (m *merger) number(ctx context.Context, head *Head) error {
	largest := uint64(0)
	for _, c := range m.parts {
		if err := c.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) }); err != nil {
			return err
		}
	}
	s := shardsOf(largest)
	var err error
	if m.file, err = os.CreateTemp(m.o.Temp, "dictionaries-*"); err != nil {
		return fmt.Errorf("packed: a file for columns that are merged: %w", err)
	}
	end := int64(0)
	for _, c := range m.parts {
		d, err := writeDictionary(c, s, m.file, end)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		m.dictionaries, end = append(m.dictionaries, d), d.end()
	}
	all := make([]kept, s.n)
	err = eachShard(ctx, m.dictionaries, s, m.o.Threads, func(t *tally, b *[]byte, shard int) error {
		for part, d := range m.dictionaries {
			var err error
			if *b, err = d.shard(shard, *b); err != nil {
				return err
			}
			for k := range len(*b) / entrySize {
				if e := entryAt(*b, k); !t.add(e.key, e.frequency, part) {
					return m.parts[part].sameKey(e.key)
				}
			}
		}
		all[shard] = t.keep(m.o.MinDF)
		return nil
	})
	if err != nil {
		return err
	}
	columns := 0
	for _, k := range all {
		columns += len(k.keys)
	}
	if err := checkColumns(columns); err != nil {
		return err
	}
	numbers := m.order(head, all, columns)
	return eachShard(ctx, m.dictionaries, s, m.o.Threads, func(t *tally, b *[]byte, shard int) error {
		for _, key := range all[shard].keys {
			t.add(key, 0, 0)
		}
		for _, d := range m.dictionaries {
			var err error
			if *b, err = d.shard(shard, *b); err != nil {
				return err
			}
			for k := range len(*b) / entrySize {
				e := entryAt(*b, k)
				n := uint32(none)
				if place := *t.slot(e.key); place > 0 {
					n = numbers[shard][place-1] // keys were added in their order
				}
				e.key = uint64(n)
				e.put((*b)[entrySize*k:])
			}
			if err := d.rewrite(shard, *b); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep lists the keys of enough documents.
func (t *tally) keep(minDF uint64) kept {
	var chosen []uint32
	for n := 1; n < len(t.keys); n++ {
		if t.frequencies[n] >= minDF {
			chosen = append(chosen, uint32(n))
		}
	}
	slices.SortFunc(chosen, func(a, b uint32) int { return cmp.Compare(t.keys[a], t.keys[b]) })
	k := kept{make([]uint64, len(chosen)), make([]uint64, len(chosen)), len(t.keys) - 1}
	for i, n := range chosen {
		k.keys[i], k.frequencies[i] = t.keys[n], t.frequencies[n]
	}
	return k
}

// order numbers the columns of all shards by falling frequency, ties by key, and returns
// the numbers by shard.
func (m *merger) order(head *Head, all []kept, columns int) [][]uint32 {
	count := map[uint64]uint64{} // of columns, by frequency
	for _, k := range all {
		head.Distinct += uint64(k.distinct)
		for _, f := range k.frequencies {
			count[f]++
		}
	}
	next := map[uint64]uint32{}
	sum := uint64(0)
	frequencies := slices.Sorted(maps.Keys(count))
	slices.Reverse(frequencies)
	for _, f := range frequencies {
		head.Runs = append(head.Runs, Run{f, count[f]})
		next[f] = uint32(sum)
		sum += count[f]
	}
	m.keys = make([]uint64, columns)
	numbers := make([][]uint32, len(all))
	for shard, k := range all {
		numbers[shard] = make([]uint32, len(k.keys))
		for i, f := range k.frequencies {
			n := next[f]
			next[f]++
			numbers[shard][i], m.keys[n] = n, k.keys[i]
		}
	}
	return numbers
}

// rows writes the rows of a part.
func (m *merger) rows(ctx context.Context, w *Writer, part int) error {
	number, err := m.dictionaries[part].numbers()
	if err != nil {
		return err
	}
	c := m.parts[part]
	if err := c.addNames(w.Names, number); err != nil {
		return err
	}
	type worker struct {
		block  sparse.CSR
		sorter sparse.RowSorter
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
			columns, values = renumber(columns, values, number)
			if m.o.Kind == Binary {
				values = nil
			} else if values == nil {
				values = ones(len(columns))
			}
			columns, values = wk.sorter.Sort(columns, values)
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

func ones(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = 1
	}
	return values
}
