package boost

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

const (
	mostBins     = 255     // of a column's values below 0, and above 0
	leastEntries = 1 << 15 // of a part, so that it is worth a thread
)

// columns are a matrix whose values are put into bins, numbered column by column in the order of values. They don't
// change.
type columns struct {
	rows        int
	starts      []uint32  // the first bin of every column, and one more
	least, most []float32 // value of every bin
	rowPtr      []int     // where the rows of every bin begin
	rowIDs      []uint32
	parts       []part
}

// part is adjacent columns, which are work for one thread. Trees don't depend on how columns are parted.
type part struct {
	first, end int      // columns
	ptr        []int    // where the bins of every row begin
	bins       []uint32 // numbered from 0 in the part
}

// entry is a row's value in a column.
type entry struct {
	row   uint32
	value float32
}

// Lay lays out the problem's rows, whose entries are multiplied by the factors of their rows and columns, all 1 where
// these are nil. Columns should be numbered by falling frequency: the sums of the frequent ones then share cache lines.
// Values that are not finite are an error.
func (p *Problem) Lay(x *sparse.CSR, rowScale []float64, colScale []float32, o Options) error {
	var bad error
	ptr, entries := grouped(x.Cols, func(yield func(column uint32, e entry)) {
		for i := range x.Rows {
			ids, values := x.Row(i)
			for k, j := range ids {
				v := 1.0
				if values != nil {
					v = float64(values[k])
				}
				if colScale != nil {
					v *= float64(colScale[j])
				}
				if rowScale != nil {
					v *= rowScale[i]
				}
				if !finite(float32(v)) && bad == nil {
					bad = fmt.Errorf("boost: row %d has the value %v, which is not finite", i, float32(v))
				}
				if float32(v) != 0 {
					yield(j, entry{uint32(i), float32(v)})
				}
			}
		}
	})
	if bad != nil {
		return bad
	}
	parts, least := 1, p.leastRows(&o)
	if len(p.Targets) == 1 { // else several trees are grown at a time
		parts = min(max(len(entries)/leastEntries, 1), par.Threads(p.Threads))
	}
	c := &columns{rows: x.Rows, starts: []uint32{0}, rowPtr: []int{0}, rowIDs: make([]uint32, 0, len(entries))}
	for j := range x.Cols {
		if len(c.parts) < parts && ptr[j] >= len(c.parts)*(len(entries)/parts) {
			c.parts = append(c.parts, part{first: j})
		}
		c.parts[len(c.parts)-1].end = j + 1
		c.append(entries[ptr[j]:ptr[j+1]], least)
	}
	for k := range c.parts {
		p := &c.parts[k]
		first, end := c.starts[p.first], c.starts[p.end]
		p.ptr, p.bins = grouped(x.Rows, func(yield func(row, bin uint32)) {
			for bin := first; bin < end; bin++ {
				for _, i := range c.rowIDs[c.rowPtr[bin]:c.rowPtr[bin+1]] {
					yield(i, bin-first)
				}
			}
		})
	}
	p.columns = c
	return nil
}

// leastRows returns how many rows a column has at least whose second derivatives can add up to MinChildWeight: p(1−p)
// is at most ¼, and of rivals twice that. Trees never split on other columns.
func (p *Problem) leastRows(o *Options) float64 {
	most := float64(slices.Max(p.Weights) / 4)
	if p.Rivals {
		most *= 2
	}
	factor := 1e-300
	for _, t := range p.Targets {
		factor = max(factor, t.Positive, t.Negative)
	}
	const rounding = 1e-6
	return o.MinChildWeight * (1 - rounding) / (most * factor)
}

// append puts the values of a column into bins: one for every value, or mostBins of about equally many entries below 0,
// and above 0. The same values are in the same bin. A column of fewer rows than least gets none.
func (c *columns) append(column []entry, least float64) {
	if float64(len(column)) < least {
		column = nil
	}
	slices.SortFunc(column, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row))
	})
	zero, _ := slices.BinarySearchFunc(column, 0, func(e entry, v float32) int { return cmp.Compare(e.value, v) })
	for _, side := range [][]entry{column[:zero], column[zero:]} {
		distinct := 0
		for k, e := range side {
			if k == 0 || e.value != side[k-1].value {
				distinct++
			}
		}
		for made := 0; len(side) > 0; made++ {
			end := 1
			if distinct > mostBins {
				end = max(len(side)/(mostBins-made), 1)
			}
			for end < len(side) && side[end].value == side[end-1].value {
				end++
			}
			c.least, c.most = append(c.least, side[0].value), append(c.most, side[end-1].value)
			for _, e := range side[:end] {
				c.rowIDs = append(c.rowIDs, e.row)
			}
			c.rowPtr = append(c.rowPtr, len(c.rowIDs))
			side = side[end:]
		}
	}
	c.starts = append(c.starts, uint32(len(c.most)))
}

// grouped lists values by key, and where those of each key begin. each is called twice.
func grouped[T any](keys int, each func(yield func(key uint32, value T))) (ptr []int, values []T) {
	ptr = make([]int, keys+2)
	each(func(key uint32, _ T) { ptr[key+2]++ })
	for k := range keys {
		ptr[k+2] += ptr[k+1]
	}
	values = make([]T, ptr[keys+1])
	each(func(key uint32, value T) {
		values[ptr[key+1]] = value
		ptr[key+1]++
	})
	return ptr, values
}
