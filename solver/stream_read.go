package solver

import (
	"context"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// chunk is rows that are in memory together.
type chunk struct {
	x      sparse.CSR
	rows   []int32 // their numbers
	number int     // in its pass, from 0
	err    error
}

// clear leaves no rows.
func (c *chunk) clear(columns int) {
	c.x.Reset(columns)
	c.rows = c.rows[:0]
}

// append adds row i at the end.
func (c *chunk) append(i int32, row part) {
	c.x.AppendRow(row.idx, row.val)
	c.rows = append(c.rows, i)
}

// pass hands the rows of all blocks, in the order given, to work, chunk by chunk: while it
// works on one, the next is fetched.
func (s *stream) pass(ctx context.Context, order []int, work func(c *chunk)) error {
	ctx, cancel := context.WithCancel(ctx)
	free, full := make(chan *chunk, len(s.chunks)), make(chan *chunk)
	for k := range s.chunks {
		free <- &s.chunks[k]
	}
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	go func() {
		defer close(ended)
		defer close(full)
		for number := 0; len(order) > 0; number++ {
			var c *chunk
			select {
			case c = <-free:
			case <-ctx.Done():
				return
			}
			c.number = number
			order, c.err = s.fetch(ctx, c, order)
			select {
			case full <- c:
			case <-ctx.Done():
				return
			}
			if c.err != nil {
				return
			}
		}
	}()
	for c := range full {
		if c.err != nil {
			return c.err
		}
		work(c)
		free <- c
	}
	return ctx.Err()
}

// The cache and each of the two chunks take these parts of the entries that are in memory.
const (
	cachePart = 2
	chunkPart = 4
)

// blocksAhead is how long before a block is fetched its source is told.
const blocksAhead = 8

// fetch fills a chunk with the next blocks of the order, and returns the rest.
func (s *stream) fetch(ctx context.Context, c *chunk, order []int) ([]int, error) {
	c.clear(s.Source.Cols())
	for len(order) > 0 && (len(c.rows) == 0 || len(c.x.Indices) < s.Resident/chunkPart) {
		if blocksAhead < len(order) {
			s.Source.Ahead(order[blocksAhead])
		}
		if err := s.Source.Append(ctx, order[0], &c.x); err != nil {
			return order, err
		}
		first, end := s.Source.Range(order[0])
		for i := first; i < end; i++ {
			c.rows = append(c.rows, int32(i))
		}
		order = order[1:]
	}
	return order, nil
}
