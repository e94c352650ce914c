package packed

import (
	"math/rand/v2"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
)

// count stands for how many documents have each column, in a few bytes: the sum over all entries of a random number of
// their column. Two corpora whose columns are in other numbers of documents have another sum, but for one case in 2^64;
// nobody can make such a case up, as the numbers are drawn anew in every process.
type count uint64

var secret = rand.Uint64()

// of is a column's random number.
func of(column uint32) uint64 {
	s := splitmix.Source(secret + uint64(column))
	return s.Uint64()
}

// add counts entries.
func (c *count) add(columns []uint32) {
	sum := uint64(0)
	for _, j := range columns {
		sum += of(j)
	}
	*c += count(sum)
}

// countOf is the count of columns that are in as many documents as is said.
func countOf(runs []Run) count {
	sum, column := uint64(0), uint32(0)
	for _, r := range runs {
		for range r.Columns {
			sum += r.Frequency * of(column)
			column++
		}
	}
	return count(sum)
}
