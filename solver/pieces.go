package solver

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Rows and columns are worked on in chunks of these sizes, whatever the number of
// threads, so that sums over chunks are the same for all.
const (
	chunkRows    = 1 << 9
	chunkColumns = 1 << 14
)

// Columns are cut into pieces of about the same work, for what threads do to the state of
// columns: each thread keeps to its own pieces, so that no number of a column ever
// passes from one cache to another, and what is added to it comes in the same order as
// from one thread. The sum over a row is that of its sums over pieces, whatever the
// number of threads.
const (
	mostPieces   = 8
	cutFrom      = 1 << 18 // how many entries a matrix has for cuts to be worth it
	pieceEntries = 32      // that a row has in a piece, on average, or more
	uncachedWork = 3       // of an entry from column cachedSlots on; 1 of others
)

// pieces are some that lie next to each other.
type pieces struct{ from, to int }

// share returns the pieces of a thread.
func (p pieces) share(thread, threads int) pieces {
	n := p.to - p.from
	return pieces{p.from + n*thread/threads, p.from + n*(thread+1)/threads}
}

// boundsOf cuts the columns: the k-th piece has those from bounds[k] to bounds[k+1]. There
// is one piece where cuts are not worth it: of short rows, finding the parts takes as
// long as what is gained. Pieces are of the same work in some of the rows.
func boundsOf(x *sparse.CSR, columns int) []int {
	const sample, near = 512, 16 // as many columns next to each other are in one piece
	count := 1
	for 2*count <= mostPieces && x.NNZ() >= cutFrom && x.NNZ() >= int64(x.Rows)*int64(2*count)*pieceEntries {
		count *= 2
	}
	bounds := make([]int, count+1)
	bounds[count] = columns
	if count == 1 {
		return bounds
	}
	work := make([]float64, par.Count(columns, near))
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
	sum, next := 0.0, 1
	for k, w := range work {
		for ; next < count && sum >= total*float64(next)/float64(count); next++ {
			bounds[next] = k * near
		}
		sum += w
	}
	for ; next < count; next++ {
		bounds[next] = columns
	}
	return bounds
}

// all returns all pieces.
func (s *single) all() pieces { return pieces{0, len(s.bounds) - 1} }

// byPieces calls work for all pieces, each thread having some.
func (s *single) byPieces(work func(of pieces)) {
	threads := max(min(s.opts.Threads, s.all().to), 1)
	par.Do(threads, func(thread int) { work(s.all().share(thread, threads)) })
}

// findEnds finds where the pieces of a row end, given its row of the matrix.
func (s *single) findEnds(i, row int) {
	idx, _ := s.x.Row(row)
	from, ends := 0, s.endsOf(i)
	for k := range ends {
		more, _ := slices.BinarySearch(idx[from:], uint32(s.bounds[k+1]))
		from += more
		ends[k] = int32(from)
	}
}

// endsOf returns how many of a row's columns lie before the end of each piece.
func (s *single) endsOf(i int) []int32 {
	n := s.all().to
	return s.ends[i*n:][:n]
}

// within returns what of a row's head is in some pieces.
func (s *single) within(i int, of pieces) part {
	at, ends := s.starts[i], s.endsOf(i)
	lo := at
	if of.from > 0 {
		lo += int64(ends[of.from-1])
	}
	return part{s.x, lo, at + int64(ends[of.to-1])}
}
