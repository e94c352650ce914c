package neighbours

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// mostInBlock is how many documents at most have their bounds made at the same time: few enough that these stay in the
// second cache. Blocks are of equal size, a multiple of blockUnit.
const (
	mostInBlock = 1 << 15
	blockUnit   = 32
)

// index has, of every feature, which documents have it and about what value: a code of 8 bits, rounded up, of the
// largest magnitude that the feature has anywhere.
type index struct {
	// Where a feature has negative values anywhere, those of every feature have a side of their own, as if they were
	// another feature's: a query's value adds to bounds on the side of its own sign alone, as products with the other
	// side are negative. What follows of features is of their sides.
	sides   int       // 1 or 2
	largest []float32 // magnitude of every feature's values
	longest float64   // Euclidean length of a document, at most
	// A feature of many documents has a column, which has a code for every document, 0 where it is not there.
	block   int     // how many documents there are in one; the last may have fewer
	column  []int32 // of every feature its column, -1 of one with a list
	columns int
	codes   []uint8 // of block after block the columns, each of so many codes
	// Others have a list of documents, ascending.
	starts    []uint64 // of every feature, R+1; of a column nothing is between
	documents []uint32
	listed    []uint8 // their codes
}

// A feature has a column where at least one in so many documents has it. A byte of a column costs that much less than
// an entry of a list, measured on Zen 4; without vectors it costs as much.
const (
	columnShare        = 12
	columnShareGeneric = 2
)

// mostLevels is the code of the largest magnitude.
const mostLevels = 255

// newIndex makes the index of a set.
func newIndex(s *Set) *index {
	n := s.Documents()
	x := &index{sides: 1}
	if slices.ContainsFunc(s.Values, func(v float32) bool { return v < 0 }) {
		x.sides = 2
	}
	sides := s.Features * x.sides
	x.largest, x.column, x.starts = make([]float32, sides), make([]int32, sides), make([]uint64, sides+1)
	counts := make([]uint32, sides)
	for i := range n {
		var square float64
		row, values := s.Row(i)
		for e, j := range row {
			v := values[e]
			at := x.side(j, v < 0)
			v = max(v, -v)
			counts[at]++
			x.largest[at] = max(x.largest[at], v)
			square += float64(float64(v) * float64(v))
		}
		x.longest = max(x.longest, square)
	}
	x.longest = math.Sqrt(x.longest)
	share := columnShareGeneric
	if kernels.Active() != "generic" {
		share = columnShare
	}
	for j, count := range counts {
		x.column[j] = -1
		x.starts[j+1] = x.starts[j]
		if count > 0 && int(count)*share >= n {
			x.column[j] = int32(x.columns)
			x.columns++
		} else {
			x.starts[j+1] += uint64(count)
		}
	}
	blocks := (n + mostInBlock - 1) / mostInBlock
	x.block = ((n+blocks-1)/blocks + blockUnit - 1) / blockUnit * blockUnit
	x.codes = make([]uint8, blocks*x.columns*x.block)
	x.documents, x.listed = make([]uint32, x.starts[sides]), make([]uint8, x.starts[sides])
	next := make([]uint64, sides)
	copy(next, x.starts)
	for i := range n {
		row, values := s.Row(i)
		block := x.codes[i/x.block*x.columns*x.block:]
		for e, j := range row {
			at := x.side(j, values[e] < 0)
			code := x.code(at, values[e])
			if c := x.column[at]; c >= 0 {
				block[int(c)*x.block+i%x.block] = code
				continue
			}
			x.documents[next[at]], x.listed[next[at]] = uint32(i), code
			next[at]++
		}
	}
	return x
}

// side is that of a feature's values of a sign; with one side, there are no negative ones.
func (x *index) side(feature uint32, negative bool) int {
	if negative {
		return int(feature)*x.sides + 1
	}
	return int(feature) * x.sides
}

// code is that of a value on a side: the least for which code/mostLevels of the largest magnitude is no less.
func (x *index) code(side int, value float32) uint8 {
	largest := x.largest[side]
	if largest == 0 {
		return 0
	}
	return uint8(min(math.Ceil(math.Abs(float64(value))*mostLevels/float64(largest)), mostLevels))
}
