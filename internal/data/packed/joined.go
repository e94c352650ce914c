package packed

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/mmap"
	"github.com/seed-167f963f/nbsvm/internal/file/views"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Joined are the rows of several corpora, one corpus after the other, with columns that are numbered together: those
// of the corpus that Merge would write, which is not written. Blocks are those of the parts. Its methods may be called
// from several goroutines at once.
//
// What parts' columns are in the whole, and the keys of the whole, are in two mapped files: 4 bytes for every column of
// the parts and 8 for every one of the whole, which the system may take out of memory at any time.
type Joined struct {
	Runs []Run

	parts   []*Corpus
	kind    Values
	minDF   uint64
	totals  Totals
	blocks  []int    // at which each part's begin, and the end
	first   []uint64 // document of each part
	columns []int    // of the parts before each, and of all
	numbers *mmap.Mapping
	keys    *mmap.Mapping
	folder  string // for names, while they are collected
	scratch sync.Pool
	found   []atomic.Uint64 // what Block counts of each part's entries, see count; nil where nobody asks
}

// Join numbers the columns of corpora together. Their rows are to have values of o.Kind; o.Temp is a folder for files,
// to be removed by the caller after Close. Close closes the parts.
func Join(ctx context.Context, parts []*Corpus, o MergeOptions) (*Joined, error) {
	j := &Joined{
		parts: parts, kind: o.Kind, minDF: o.MinDF, folder: o.Temp, columns: []int{0}, blocks: []int{0}, first: []uint64{0},
		scratch: sync.Pool{New: func() any { return new(rowJoiner) }},
	}
	for k, c := range parts {
		j.columns = append(j.columns, j.columns[k]+int(c.totals.Columns))
		j.blocks = append(j.blocks, j.blocks[k]+c.Blocks())
		j.first = append(j.first, j.first[k]+c.totals.Documents)
	}
	n, err := newNumbering(ctx, parts, o.MinDF, o.Threads, o.Temp)
	if err != nil {
		return nil, err
	}
	defer n.close()
	j.Runs = n.runs
	entries, _ := sumRuns(n.runs)
	j.totals = Totals{Documents: j.first[len(parts)], Entries: entries, Columns: uint64(n.columns), Distinct: n.distinct}
	if j.keys, err = joinKeys(ctx, n, o.Temp); err == nil {
		j.numbers, err = joinNumbers(ctx, n, o.Temp)
	}
	if err != nil {
		return nil, errors.Join(err, j.closeFiles())
	}
	return j, nil
}

// mapped maps a file of which nothing is to be left behind, where that is possible.
func mapped(path string) (*mmap.Mapping, error) {
	m, err := mmap.Open(path)
	_ = os.Remove(path)
	return m, err
}

// rareColumns are of so few documents that many columns are side by side, whose keys are written where they belong at
// once. Those of more common columns, which are few, wait in memory.
const rareColumns = 64

// joinKeys numbers the columns, and writes the keys of the whole to a file.
func joinKeys(ctx context.Context, n *numbering, folder string) (m *mmap.Mapping, err error) {
	file, err := os.CreateTemp(folder, "keys-*")
	if err != nil {
		return nil, fmt.Errorf("packed: cannot create a temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("packed: temporary file of keys: %w", err)
		}
	}()
	many := uint64(0)
	for _, r := range n.runs {
		if r.Frequency > rareColumns {
			many += r.Columns
		}
	}
	common := make([]uint64, many)
	err = n.number(ctx, func(first uint32, keys []uint64) error {
		if uint64(first) < many {
			copy(common[first:], keys)
			return nil
		}
		_, err := file.WriteAt(views.Bytes(keys), 8*int64(first))
		return err
	})
	if err == nil {
		_, err = file.WriteAt(views.Bytes(common), 0)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return mapped(file.Name())
}

// joinNumbers writes what the columns of each part are in the whole.
func joinNumbers(ctx context.Context, n *numbering, folder string) (*mmap.Mapping, error) {
	file, err := os.CreateTemp(folder, "numbers-*")
	if err != nil {
		return nil, fmt.Errorf("packed: cannot create a temporary file: %w", err)
	}
	out := bufio.NewWriter(file)
	for _, d := range n.dictionaries {
		numbers, err := d.numbers()
		if err == nil {
			_, err = out.Write(views.Bytes(numbers))
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, errors.Join(fmt.Errorf("packed: temporary file of columns: %w", err), file.Close())
		}
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		return nil, fmt.Errorf("packed: temporary file of columns: %w", err)
	}
	return mapped(file.Name())
}

// Close gives up the parts and what is known of their columns.
func (j *Joined) Close() error {
	err := j.closeFiles()
	for _, c := range j.parts {
		err = errors.Join(err, c.Close())
	}
	return err
}

func (j *Joined) closeFiles() (err error) {
	for _, m := range []*mmap.Mapping{j.keys, j.numbers} {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}

// Totals are the numbers of documents, entries and columns.
func (j *Joined) Totals() Totals { return j.totals }

// Checksum is the same for the same parts in the same order.
func (j *Joined) Checksum() uint32 {
	sum := checksum.Add(0, []uint64{j.minDF})
	for _, c := range j.parts {
		sum = checksum.Add(sum, []uint32{c.Checksum()})
	}
	return sum
}

// Blocks is the number of blocks.
func (j *Joined) Blocks() int { return j.blocks[len(j.parts)] }

// part is that of a block, and the block's number in it.
func (j *Joined) part(block int) (part, within int) {
	part, _ = slices.BinarySearch(j.blocks, block+1) // the first that begins behind the block
	return part - 1, block - j.blocks[part-1]
}

// BlockRange returns the documents of a block, from first to the one before end, and how many entries they have at
// most.
func (j *Joined) BlockRange(i int) (first, end, entries uint64) {
	part, i := j.part(i)
	first, end, entries = j.parts[part].BlockRange(i)
	return j.first[part] + first, j.first[part] + end, entries
}

// Block decodes the rows of a block into m, whose memory is used again.
func (j *Joined) Block(i int, m *sparse.CSR) error {
	part, i := j.part(i)
	if err := j.parts[part].Block(i, m); err != nil {
		return err
	}
	if j.found != nil {
		var found count
		found.add(m.Indices)
		j.found[part].Add(uint64(found))
	}
	r := j.scratch.Get().(*rowJoiner)
	defer j.scratch.Put(r)
	return mmap.Guard(j.numbers, func() error {
		r.block(m, j.kind, j.numbersOf(part))
		m.Cols = int(j.totals.Columns)
		return nil
	})
}

// numbersOf is what the columns of a part are in the whole.
func (j *Joined) numbersOf(part int) []uint32 {
	return views.Of[uint32](j.numbers.Bytes()[4*j.columns[part] : 4*j.columns[part+1]])
}

// Release gives up memory of a block, which can be decoded again.
func (j *Joined) Release(i int) {
	part, within := j.part(i)
	j.parts[part].Release(within)
	if i+1 == j.blocks[part+1] {
		j.numbers.DontNeed(4*j.columns[part], 4*(j.columns[part+1]-j.columns[part]))
	}
}

// Keys lists the keys of all columns.
func (j *Joined) Keys() ([]uint64, error) {
	keys := make([]uint64, j.totals.Columns)
	return keys, j.EachColumn(func(column uint32, key, _ uint64) { keys[column] = key })
}

// EachColumn visits the columns, in ascending order, with their keys and frequencies.
func (j *Joined) EachColumn(visit func(column uint32, key, frequency uint64)) error {
	return mmap.Guard(j.keys, func() error {
		keys, column := j.keys.Bytes(), uint32(0)
		for _, r := range j.Runs {
			for range r.Columns {
				visit(column, binary.LittleEndian.Uint64(keys[8*int(column):]), r.Frequency)
				column++
			}
		}
		j.keys.DontNeed(0, len(keys))
		return nil
	})
}

// Named says whether columns have names.
func (j *Joined) Named() bool { return slices.ContainsFunc(j.parts, (*Corpus).Named) }

// EachName visits the columns that have a name, in ascending order: that of the first part which has one. The name must
// not be kept.
func (j *Joined) EachName(visit func(column uint32, name []byte)) error {
	names, err := j.names()
	if err != nil {
		return err
	}
	defer names.Close()
	column := uint32(0)
	return names.encode(func(b []byte) error {
		for len(b) > 0 {
			n, size := binary.Uvarint(b)
			if n > 0 {
				visit(column, b[size:size+int(n)])
			}
			b = b[size+int(n):]
			column++
		}
		return nil
	})
}

// names are those of the columns, to be closed.
func (j *Joined) names() (*Names, error) {
	names := NewNames(int(j.totals.Columns), j.folder)
	for part, c := range j.parts {
		err := mmap.Guard(j.numbers, func() error { return c.addNames(names, j.numbersOf(part)) })
		if err != nil {
			names.Close()
			return nil, err
		}
	}
	return names, nil
}

// rowJoiner makes rows of the whole of those of a part. It is scratch memory for one goroutine at a time.
type rowJoiner struct {
	sorter rowsort.Sorter
}

// block makes the rows of a block those of the whole, in place.
func (r *rowJoiner) block(m *sparse.CSR, kind Values, number []uint32) {
	end := int64(0) // of the rows that are done
	for i := range m.Rows {
		columns, values := m.Row(i)
		columns, values = r.row(columns, values, number)
		m.Indptr[i] = end
		copy(m.Indices[end:], columns)
		if values != nil {
			copy(m.Values[end:], values)
		}
		end += int64(len(columns))
	}
	m.Indptr[m.Rows], m.Indices = end, m.Indices[:end]
	if m.Values != nil {
		m.Values = m.Values[:end]
	}
	if kind != Binary {
		m.Values = withValues(m.Indices, m.Values)
	}
}

// row makes a row of the whole, in place or in the sorter's memory, of one of a part, whose columns get new numbers;
// those that have none are left out.
func (r *rowJoiner) row(columns []uint32, values []float32, number []uint32) ([]uint32, []float32) {
	return r.sorter.Sort(renumber(columns, values, number))
}
