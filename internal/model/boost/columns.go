package boost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// MostBins is how many bins the values of a column have at most, those below 0 and those above 0 each.
const MostBins = 255

// How columns are cut into blocks, each of which is work for one thread: by bins, which have 16-bit numbers, and by
// entries, so that there is enough for several threads even though the first columns have the most. Trees don't depend
// on how columns are cut.
const (
	blockBins       = 1 << 16
	blocksPerThread = 2
	leastEntries    = 1 << 15
)

// Columns are the rows of a matrix in the form that trees are trained on: by blocks of columns, with the values of a
// column in bins, and by column. They don't change, and may be shared by trainings that run at the same time.
type Columns struct {
	rows   int
	blocks []block
	// By column: its rows, ascending, and, unless all values are 1, their values.
	ptr    []int64
	rowIDs []uint32
	values []float32
	sets   []atomic.Pointer[roaring.Bitmap] // rows of a binary column, once a split needed them
}

// block is some adjacent columns, row by row.
type block struct {
	first, columns int
	bins           int
	ptr            []uint32 // of every row's bins
	ids            []uint16 // bins, numbered from 0 in the block
	// Where columns have values other than 1: the first bin of every column, and one more, and the least and the
	// largest value of every bin. A column's bins are in the order of values. Nil where every column has one bin.
	starts      []uint32
	least, most []float32
}

// Layout says how a matrix is laid out.
type Layout struct {
	RowScale []float64 // factors of the entries of every row; nil: all 1
	ColScale []float32 // and of every column
	Bins     int       // of a column's values on either side of 0, at most
	Threads  int       // that will grow a tree
	// LeastRows is how many rows a column has at least that any split could be on. Columns behind the last of these
	// are left out.
	LeastRows float64
}

// NewColumns lays out a matrix. Columns should be numbered by falling frequency: the sums of the frequent ones then
// share cache lines. Values of a column are told apart as long as there are at most Bins of them below 0, and above 0;
// if there are more, bins have about equally many entries each. Values that are not finite are an error.
func NewColumns(x *sparse.CSR, o Layout) (*Columns, error) {
	c := &Columns{rows: x.Rows}
	c.transpose(x, o.RowScale, o.ColScale)
	for k, v := range c.values {
		if !finite(v) {
			return nil, fmt.Errorf("boost: row %d has the value %v, which is not finite", c.rowIDs[k], v)
		}
	}
	if c.values == nil {
		c.sets = make([]atomic.Pointer[roaring.Bitmap], x.Cols)
	}
	columns := x.Cols
	for columns > 1 && float64(c.ptr[columns]-c.ptr[columns-1]) < o.LeastRows {
		columns--
	}
	c.cutBlocks(columns, min(o.Bins, MostBins), o.Threads)
	for b := range c.blocks {
		c.fill(&c.blocks[b])
	}
	return c, nil
}

// transpose lists the entries by column. Entries of the value 0 are left out.
func (c *Columns) transpose(x *sparse.CSR, rowScale []float64, colScale []float32) {
	valued := x.Values != nil || rowScale != nil || colScale != nil
	value := func(i int, k int64) float32 {
		v := 1.0
		if x.Values != nil {
			v = float64(x.Values[k])
		}
		if colScale != nil {
			v *= float64(colScale[x.Indices[k]])
		}
		if rowScale != nil {
			v *= rowScale[i]
		}
		return float32(v)
	}
	c.ptr = make([]int64, x.Cols+1)
	for i := range x.Rows {
		for k := x.Indptr[i]; k < x.Indptr[i+1]; k++ {
			if !valued || value(i, k) != 0 {
				c.ptr[x.Indices[k]+1]++
			}
		}
	}
	for j := range x.Cols {
		c.ptr[j+1] += c.ptr[j]
	}
	c.rowIDs = make([]uint32, c.ptr[x.Cols])
	if valued {
		c.values = make([]float32, c.ptr[x.Cols])
	}
	next := slices.Clone(c.ptr)
	for i := range x.Rows {
		for k := x.Indptr[i]; k < x.Indptr[i+1]; k++ {
			j, v := x.Indices[k], float32(1)
			if valued {
				if v = value(i, k); v == 0 {
					continue
				}
				c.values[next[j]] = v
			}
			c.rowIDs[next[j]] = uint32(i)
			next[j]++
		}
	}
	if valued && !slices.ContainsFunc(c.values, func(v float32) bool { return v != 1 }) {
		c.values = nil
	}
}

// column has the rows and the values of a column; nil values are all 1.
func (c *Columns) column(j int) ([]uint32, []float32) {
	lo, hi := c.ptr[j], c.ptr[j+1]
	if c.values == nil {
		return c.rowIDs[lo:hi], nil
	}
	return c.rowIDs[lo:hi], c.values[lo:hi]
}

// cutBlocks begins the blocks, with so many bins of a column at most on either side of 0.
func (c *Columns) cutBlocks(columns, bins, threads int) {
	full := min(c.ptr[columns], math.MaxInt32) // what a block is full with
	if threads > 1 {
		full = max(full/int64(blocksPerThread*threads), leastEntries)
	}
	var b *block
	var sorted []float32
	for j := range columns {
		_, values := c.column(j)
		widest := 1
		if values != nil {
			widest = 2 * bins
		}
		if b == nil || b.bins+widest > blockBins || c.ptr[j]-c.ptr[b.first] >= full {
			c.blocks = append(c.blocks, block{first: j})
			if b = &c.blocks[len(c.blocks)-1]; values != nil {
				b.starts = []uint32{0}
			}
		}
		b.columns++
		if values == nil {
			b.bins++
			continue
		}
		sorted = append(sorted[:0], values...)
		slices.Sort(sorted)
		zero, _ := slices.BinarySearch(sorted, 0)
		b.cut(sorted[:zero], bins)
		b.cut(sorted[zero:], bins)
		b.bins = len(b.least)
		b.starts = append(b.starts, uint32(b.bins))
	}
}

// cut puts sorted values into bins: one for every value, or as many as bins of about equally many entries. The same
// values are in the same bin.
func (b *block) cut(sorted []float32, bins int) {
	distinct := 0
	for k, v := range sorted {
		if k == 0 || v != sorted[k-1] {
			distinct++
		}
	}
	made := 0
	for first := 0; first < len(sorted); {
		end := first + 1
		if distinct > bins {
			end = first + max((len(sorted)-first)/(bins-made), 1)
		}
		for end < len(sorted) && sorted[end] == sorted[end-1] {
			end++
		}
		b.least, b.most = append(b.least, sorted[first]), append(b.most, sorted[end-1])
		first = end
		made++
	}
}

// fill lists a block's bins by row.
func (c *Columns) fill(b *block) {
	b.ptr = make([]uint32, c.rows+1)
	lo, hi := c.ptr[b.first], c.ptr[b.first+b.columns]
	for _, i := range c.rowIDs[lo:hi] {
		b.ptr[i+1]++
	}
	for i := range c.rows {
		b.ptr[i+1] += b.ptr[i]
	}
	b.ids = make([]uint16, hi-lo)
	next := slices.Clone(b.ptr)
	for k := range b.columns {
		rows, values := c.column(b.first + k)
		for n, i := range rows {
			bin := k
			if values != nil {
				bin = b.binOf(k, values[n])
			}
			b.ids[next[i]] = uint16(bin)
			next[i]++
		}
	}
}

// binOf is the bin of a value of the block's k-th column.
func (b *block) binOf(k int, v float32) int {
	lo, hi := b.starts[k], b.starts[k+1]
	n, _ := slices.BinarySearchFunc(b.most[lo:hi], v, func(most, v float32) int { return cmp.Compare(most, v) })
	return int(lo) + n
}

// beyond are those of the rows that lie on the side of a threshold where 0 does not belong: at or above a threshold
// above 0, below another. The set is the caller's.
func (c *Columns) beyond(rows *roaring.Bitmap, column int, threshold float32) *roaring.Bitmap {
	ids, values := c.column(column)
	if values == nil {
		set := c.sets[column].Load()
		if set == nil {
			set = roaring.New()
			set.AddMany(ids)
			c.sets[column].Store(set)
		}
		return roaring.And(rows, set)
	}
	some := make([]uint32, 0, len(ids))
	for k, v := range values {
		if v >= threshold == (threshold > 0) {
			some = append(some, ids[k])
		}
	}
	set := roaring.New()
	set.AddMany(some)
	set.And(rows)
	return set
}
