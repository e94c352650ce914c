package learn

import (
	"cmp"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// mostRounds is how often the points of a cut change sides at most. Cuts settle after 3 to 6.
const mostRounds = 10

// orderOf permutes the rows of x, which are points on the unit sphere, so that similar ones are next to each other. It
// cuts them in two again and again, down to runs of at most leaf rows. All of these but the last have leaf rows.
func orderOf(x *sparse.CSR, leaf int, seed uint64) []int32 {
	c := &cutter{
		x: x, leaf: max(leaf, 1), random: xmath.SplitMix(seed),
		difference: make([]float32, x.Cols), score: make([]float32, x.Rows), left: make([]bool, x.Rows),
	}
	order := make([]int32, x.Rows)
	for i := range order {
		order[i] = int32(i)
	}
	c.cut(order)
	return order
}

type cutter struct {
	x          *sparse.CSR
	leaf       int
	random     xmath.SplitMix
	difference []float32 // of the sums of both sides
	score      []float32 // of every row: how much nearer it is to the left side
	left       []bool    // of every row
}

// cut cuts some rows in two, and the halves likewise.
func (c *cutter) cut(rows []int32) {
	leaves := (len(rows) + c.leaf - 1) / c.leaf
	if leaves < 2 {
		slices.Sort(rows)
		return
	}
	half := leaves / 2 * c.leaf
	a, b := c.random.IntN(len(rows)), c.random.IntN(len(rows)-1)
	if b >= a {
		b++
	}
	c.add(rows[a:a+1], 1)
	c.add(rows[b:b+1], -1)
	for range mostRounds {
		c.sort(rows)
		clear(c.difference)
		moved := false
		for i, row := range rows {
			moved = moved || c.left[row] != (i < half)
			c.left[row] = i < half
		}
		if !moved {
			break
		}
		c.add(rows[:half], 1/float32(half))
		c.add(rows[half:], -1/float32(len(rows)-half))
	}
	clear(c.difference)
	for _, row := range rows {
		c.left[row] = false
	}
	c.cut(rows[:half])
	c.cut(rows[half:])
}

// add adds rows, times a factor, to the difference.
func (c *cutter) add(rows []int32, factor float32) {
	for _, row := range rows {
		columns, values := c.x.Row(int(row))
		for k, j := range columns {
			c.difference[j] += float32(factor * values[k])
		}
	}
}

// sort puts the rows that are nearest to the left side first, ties by number.
func (c *cutter) sort(rows []int32) {
	for _, row := range rows {
		columns, values := c.x.Row(int(row))
		var dot float32
		for k, j := range columns {
			dot += float32(c.difference[j] * values[k])
		}
		c.score[row] = dot
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.score[b], c.score[a]), cmp.Compare(a, b))
	})
}
