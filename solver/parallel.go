package solver

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// Rows and columns are worked on in chunks of these sizes, whatever the number of
// threads, so that sums over chunks are the same for all.
const (
	chunkRows    = 1 << 9
	chunkColumns = 1 << 14
)

// chunks is how many chunks of a size n items make.
func chunks(n, size int) int { return (n + size - 1) / size }

// inChunks calls work for every chunk of n items, from whichever thread is free.
// A single chunk, as a short problem has it, costs no thread.
func inChunks(threads, n, size int, work func(chunk, lo, hi int)) {
	count := chunks(n, size)
	var next atomic.Int64
	inParallel(min(threads, count), func(int) {
		for c := int(next.Add(1)) - 1; c < count; c = int(next.Add(1)) - 1 {
			work(c, c*size, min((c+1)*size, n))
		}
	})
}

// inParallel calls work from so many threads, numbered from 0, of which the caller is one.
func inParallel(threads int, work func(thread int)) {
	var others sync.WaitGroup
	for thread := 1; thread < threads; thread++ {
		others.Go(func() { work(thread) })
	}
	work(0)
	others.Wait()
}

// Columns are cut in two, of about the same work, for what two threads do to the state
// of columns: each of them keeps to its own ones, so that no number of a column ever
// passes from one cache to the other, and what is added to it comes in the same order
// as from one thread.
const (
	both = iota
	left
	right
)

const (
	cutFrom      = 1 << 18 // how many entries a matrix has
	cutFromRow   = 64      // and how many of them a row, on average, for a cut to be worth it
	uncachedWork = 2       // of an entry from column cachedSlots on; 1 of others
)

// middleOf is the column where the right side begins, by the work that some of the rows
// make. It is the number of columns where cutting them is not worth it: of short rows,
// finding the two parts takes as long as what is gained.
func middleOf(x *sparse.CSR, columns int) int {
	const sample, near = 512, 64 // as many columns next to each other are on one side
	if x.NNZ() < cutFrom || x.NNZ() < int64(x.Rows)*cutFromRow {
		return columns
	}
	work := make([]float64, chunks(columns, near))
	total := 0.0
	for k := range min(sample, x.Rows) {
		idx, _ := x.Row(k * x.Rows / min(sample, x.Rows))
		for _, j := range idx {
			if int(j) < columns {
				w := 1.0
				if j >= cachedSlots {
					w = uncachedWork
				}
				work[j/near] += w
				total += w
			}
		}
	}
	middle, sum := 0, 0.0
	for ; sum < total/2; middle++ {
		sum += work[middle]
	}
	return min(middle*near, columns)
}

// bySides calls work for each side of the columns, or once for both at the same time.
func (s *single) bySides(work func(side int)) {
	if s.opts.Threads < 2 || s.middle == len(s.slots) {
		work(both)
		return
	}
	inParallel(2, func(thread int) { work(left + thread) })
}

// columns are those of a side.
func (s *single) columns(side int) (lo, hi int) {
	switch side {
	case left:
		return 0, s.middle
	case right:
		return s.middle, len(s.slots)
	}
	return 0, len(s.slots)
}
