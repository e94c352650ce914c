package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// selection is which columns of a dataset a matrix has. Columns keep their order: those of the whole dataset come by
// falling frequency, so that rows stay as they are, or lose a part at either end.
type selection struct {
	m   *Matrix
	ds  *Dataset
	o   *MatrixOptions
	all bool // documents of the dataset are rows

	first, end uint32   // columns of the dataset that are all the matrix has, unless they are numbered
	number     []uint32 // by column of the dataset, that of the matrix, or dropped; nil where all documents are rows
}

const dropped = 1<<32 - 1

func (m *Matrix) layOut(ctx context.Context, ds *Dataset, o MatrixOptions) error {
	s := &selection{m: m, ds: ds, o: &o, all: int(m.Documents.GetCardinality()) == ds.Documents}
	if err := s.choose(ctx); err != nil || len(m.Keys) == 0 {
		return err
	}
	if err := s.plan(); err != nil {
		return err
	}
	if err := s.layRows(ctx); err != nil {
		return err
	}
	if o.IDF && !ds.Ready() {
		m.inverseDocumentFrequency()
	}
	if o.Known != nil {
		m.addKnown(o.Known)
	}
	return nil
}

// choose decides which columns of the dataset count.
func (s *selection) choose(ctx context.Context) error {
	m, rows := s.m, s.ds.Rows
	keys, err := rows.Keys()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	least, most := uint32(1), uint32(math.MaxUint32)
	if s.ds.Ready() {
		for _, key := range keys {
			m.Universe = max(m.Universe, key+1)
		}
		if k := s.o.Known; k != nil {
			m.Universe = max(m.Universe, k.Universe)
		}
	} else {
		m.Universe = 1 << s.ds.Meta.Text.Bits
		least, most = s.o.DocumentFrequencies(int(m.Documents.GetCardinality()))
	}
	if s.all && s.o.Known == nil {
		s.first, s.end = uint32(rows.ColumnsOf(uint64(most)+1)), uint32(rows.ColumnsOf(uint64(least)))
		s.first = min(s.first, s.end)
		m.Keys, m.Frequencies = keys[s.first:s.end:s.end], make([]uint32, 0, s.end-s.first)
		m.Stats.Distinct = rows.Totals().Distinct
		column := uint32(0)
		for _, run := range rows.Runs {
			for range run.Columns {
				if column >= s.first && column < s.end {
					m.Frequencies = append(m.Frequencies, uint32(run.Frequency)) // there are fewer than 2^31 documents
				}
				column++
			}
		}
	} else {
		frequencies, err := s.frequencies(ctx)
		if err != nil {
			return err
		}
		s.number = make([]uint32, len(keys))
		for j, n := range frequencies {
			s.number[j] = dropped
			if n == 0 {
				continue
			}
			m.Stats.Distinct++
			if n >= least && n <= most || s.o.Known.has(keys[j]) {
				s.number[j] = uint32(len(m.Keys))
				m.Keys, m.Frequencies = append(m.Keys, keys[j]), append(m.Frequencies, n)
			}
		}
	}
	m.Stats.Selected = uint64(len(m.Keys))
	return nil
}

// frequencies returns the numbers of the matrix's documents that have each column of the dataset. Of a fold, few
// documents are left out: to count these, and to subtract them from all, takes a tenth of the time.
func (s *selection) frequencies(ctx context.Context) ([]uint32, error) {
	rows := s.ds.Rows
	columns, left := rows.Totals().Columns, 2*int(s.m.Documents.GetCardinality()) > s.ds.Documents
	counts := make([][]uint32, s.o.Threads) // each thread's own: to add to common ones at once takes much longer
	err := EachBlock(ctx, rows, len(counts), func(w, block int, x *sparse.CSR) (none struct{}, err error) {
		if counts[w] == nil {
			counts[w] = make([]uint32, columns)
		}
		first, _ := rows.BlockRange(block)
		for i := range x.Rows {
			if s.counts(first, i) != left {
				columns, _ := x.Row(i)
				for _, j := range columns {
					counts[w][j]++
				}
			}
		}
		return none, ctx.Err()
	}, func(struct{}) error { return nil })
	sum := make([]uint32, columns)
	for _, some := range counts {
		for j, n := range some {
			sum[j] += n
		}
	}
	if err != nil || !left {
		return sum, err
	}
	column := 0
	for _, run := range rows.Runs {
		for range run.Columns {
			if uint64(sum[column]) > run.Frequency {
				return nil, s.damaged()
			}
			sum[column] = uint32(run.Frequency) - sum[column]
			column++
		}
	}
	return sum, nil
}

// counts reports whether a row of a block of the dataset, whose first row is given, is in the
func (s *selection) counts(first uint64, i int) bool {
	return s.all || s.m.Documents.Contains(uint32(first)+uint32(i))
}

// row makes a row of the matrix of one of the dataset, in place.
func (s *selection) row(columns []uint32, values []float32) ([]uint32, []float32) {
	if s.number == nil {
		lo := sort.Search(len(columns), func(k int) bool { return columns[k] >= s.first })
		hi := lo + sort.Search(len(columns)-lo, func(k int) bool { return columns[lo+k] >= s.end })
		if columns = columns[lo:hi]; s.first > 0 {
			for k := range columns {
				columns[k] -= s.first
			}
		}
		if values != nil {
			values = values[lo:hi]
		}
	} else {
		n := 0
		for k, j := range columns {
			// Whether a column counts is hard to predict, so there is no branch on it: what does not is written over.
			column := s.number[j]
			if columns[n] = column; values != nil {
				values[n] = values[k]
			}
			n += int((uint64(column) - dropped) >> 63)
		}
		if columns = columns[:n]; values != nil {
			values = values[:n]
		}
	}
	s.o.sublinear(values)
	return columns, values
}

// damaged returns an error about a corpus whose frequencies are not those of its rows.
func (s *selection) damaged() error {
	return fmt.Errorf("nbsvm: %s contradicts itself: a column is in a different number of documents than the file says; run nbsvm verify", s.ds.From())
}

// Known holds the features of a model that is updated. They get columns even if no new document has them.
type Known struct {
	Keys     []uint64 // ascending
	Universe uint64
	IDF      []float32 // by ascending key, instead of that of the documents; nil without
}

// has reports whether a key is known.
func (k *Known) has(key uint64) bool {
	if k == nil {
		return false
	}
	_, known := slices.BinarySearch(k.Keys, key)
	return known
}

// addKnown appends columns for those of the known features that no document has.
func (m *Matrix) addKnown(k *Known) {
	found := make([]bool, len(k.Keys))
	for j, key := range m.Keys {
		if rank, known := slices.BinarySearch(k.Keys, key); known {
			found[rank] = true
			if m.IDF != nil {
				m.IDF[j] = k.IDF[rank]
			}
		}
	}
	for rank, key := range k.Keys {
		if found[rank] {
			continue
		}
		m.Keys, m.Frequencies = append(m.Keys, key), append(m.Frequencies, 0)
		if m.IDF != nil {
			m.IDF = append(m.IDF, k.IDF[rank])
		}
	}
	m.X.Cols = len(m.Keys)
}
