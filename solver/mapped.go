package solver

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Rows of a mapped matrix are visited in windows: pieces of so many bytes, as they lie in the file, from many places,
// so that rows may be sorted by class. What lies before and behind a window need not be in memory.
// See docs/explanation/large-corpora.md.
var mappedPiece int64 = 1 << 20 // tests have smaller ones

const windowPieces = 64

// shuffle puts some rows in random order. Those of a mapped matrix are in random order within windows.
func (c *common) shuffle(rows []int32) {
	count, size := 1, 1
	if c.matrix.Mapped {
		size = c.pieceRows()
		count = par.Count(c.matrix.X.Rows, size)
	}
	if count <= windowPieces {
		xmath.Shuffle(&c.random, rows)
		return
	}
	pieces, windows := make([]int, count), make([]int, count)
	for i := range pieces {
		pieces[i] = i
	}
	xmath.Shuffle(&c.random, pieces)
	for at, piece := range pieces {
		windows[piece] = at / windowPieces
	}
	windowOf := func(i int32) int {
		if given := c.problems[0].Row; given != nil {
			i = given[i]
		}
		return windows[int(i)/size]
	}
	ends := make([]int, par.Count(count, windowPieces)+1)
	for _, i := range rows {
		ends[windowOf(i)+1]++
	}
	for w := range len(ends) - 1 {
		ends[w+1] += ends[w]
	}
	c.spare = append(c.spare[:0], rows...)
	for _, i := range c.spare {
		end := &ends[windowOf(i)] // where the window's next row goes
		rows[*end] = i
		*end++
	}
	first := 0
	for _, end := range ends[:len(ends)-1] {
		xmath.Shuffle(&c.random, rows[first:end])
		first = end
	}
}

// pieceRows returns how many rows are about a piece.
func (c *common) pieceRows() int {
	x := c.matrix.X
	entry := int64(4)
	if x.Values != nil {
		entry = 8
	}
	return max(1, int(int64(x.Rows)*mappedPiece/max(entry*x.NNZ(), 1)))
}

// rowTable makes n zeros that last until c is released, in a file of their own where the matrix is mapped. If that can't
// be written, c.err says why, and there is no table.
func rowTable[T any](c *common, n int) []T {
	if !c.matrix.Mapped {
		return table[T](c, n)
	}
	rows, free, err := osfile.MakeTable[T](n, c.matrix.Temp)
	if err != nil {
		c.err = errors.Join(c.err, err)
		return nil
	}
	c.free = append(c.free, free)
	return rows
}
