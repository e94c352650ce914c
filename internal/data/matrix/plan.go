package matrix

import (
	"fmt"
	"sort"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/solver"
)

// What training takes is known before it begins. Bytes an item:
const (
	columnBytes  = 4       // of the corpus: its number
	layoutBytes  = 8       // of a feature while the matrix is laid out
	featureBytes = 8 + 4   // key and frequency
	sumBytes     = 3 * 8   // three sums over documents, until the ratio is known
	classBytes   = 6 * 8   // besides, sums over classes where there are several
	ratioBytes   = 4       // the ratio
	outputBytes  = 3 * 4   // weights, and these as they are kept, with their columns
	sideBytes    = 1       // of a row and class
	blockBytes   = 2 << 20 // of a thread: a block that is decoded, mapped and encoded
)

// ProcessBytes is about what the program itself takes.
const ProcessBytes = 24 << 20

// planned is for how many threads memory is reckoned, whatever their number is, so that
// results don't depend on it.
const planned = 4

// Shape is how large a training problem is: what its memory depends on.
type Shape struct {
	Documents int64 // that are trained on
	Columns   int64 // of the corpus
	Features  int64 // of the matrix
	Entries   int64 // of its rows, at most
	Outputs   int   // that are solved
	Loss      solver.Loss
	Valued    bool  // rows have values
	Others    int64 // bytes besides: of documents' weights and scales
}

// shape returns the shape of the problem being laid out.
func (s *selection) shape() Shape {
	entries := int64(0) // not those of n-grams that don't count: a corpus may have them or not
	for _, n := range s.m.Frequencies {
		entries += int64(n)
	}
	shape := Shape{
		Documents: int64(s.m.Documents.GetCardinality()), Columns: int64(s.ds.Rows.Totals().Columns),
		Features: int64(len(s.m.Keys)), Entries: entries, Outputs: s.o.Outputs, Loss: s.o.Loss, Valued: s.m.valued,
	}
	if s.ds.Weights != nil {
		shape.Others += 12 * int64(s.ds.Documents)
	}
	if s.o.Prenormalize {
		shape.Others += 8 * int64(s.ds.Documents)
	}
	return shape
}

// base returns what training takes whatever is done, in bytes.
func (s Shape) base() int64 { return ProcessBytes + featureBytes*s.Features + s.Others }

// layout returns what the layout of the matrix takes, and nothing after it.
func (s Shape) layout() int64 {
	return s.base() + columnBytes*s.Columns + layoutBytes*s.Features + blockBytes*planned
}

// entry returns what an entry of a row takes.
func (s Shape) entry() int64 {
	if s.Valued {
		return 8
	}
	return 4
}

// solve returns what so many classes take that are solved together.
func (s Shape) solve(classes int) int64 {
	if classes == 0 {
		return 0
	}
	return s.Loss.StreamBytes(int(s.Documents), int(s.Features), classes) +
		int64(classes)*(outputBytes*s.Features+sideBytes*s.Documents)
}

// InMemory returns about how many bytes training takes with all rows in memory.
func (s Shape) InMemory() int64 {
	bytes := s.base() + sumBytes*s.Features + s.entry()*s.Entries + 8*s.Documents
	groups := int64(s.Outputs+kernels.GroupSize-1) / kernels.GroupSize
	workers := min(planned, groups)
	switch {
	case s.Outputs == 0:
	case s.Outputs == 1:
		bytes += (outputBytes+20)*s.Features + (sideBytes+90)*s.Documents
	default:
		bytes += workers*(kernels.GroupSize*outputBytes+64)*s.Features + workers*(kernels.GroupSize*sideBytes+192)*s.Documents
	}
	return max(bytes, s.layout()+s.entry()*s.Entries)
}

// Plan is how a training goes whose rows are not in memory.
type Plan struct {
	Group    int // classes that are solved side by side
	Resident int // entries of rows that are in memory together
	Bytes    int64
}

// least is how many entries must be in memory at a time.
const least = 2 * packed.BlockEntries

// OnDisk plans a training with rows on disk that takes so many bytes at most. An error tells how many it needs. Rows
// come first, up to a quarter of them all; then as many classes side by side as there is room for, as each of them
// needs the rows once more otherwise.
func (s Shape) OnDisk(memory int64) (Plan, error) {
	base, sums := s.base()+s.entry()*least+ratioBytes*s.Features, int64(sumBytes)
	if s.Outputs > 1 {
		sums += classBytes
	}
	if need := max(base+s.solve(min(s.Outputs, 1)), s.layout(), s.base()+sums*s.Features); need > memory {
		allowed := fmt.Sprintf("%d MiB", memory>>20)
		if memory < 1<<20 {
			allowed = fmt.Sprintf("%d bytes", memory)
		}
		return Plan{}, fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and the limit is %s: raise it (Options.Memory), or use fewer features (Options.Text.Bits, Options.MinDF)", (need+1<<20-1)>>20, allowed)
	}
	left := memory - base
	p := Plan{Group: 1, Resident: least}
	if more := min((left-s.solve(min(s.Outputs, 1)))/s.entry(), max(s.Entries/4-least, 0)); more > 0 {
		p.Resident += int(more)
		left -= s.entry() * more
	}
	// Searched for is the first number of further classes that do not fit.
	p.Group += sort.Search(max(s.Outputs-1, 0), func(more int) bool { return s.solve(2+more) > left })
	if p.Group < s.Outputs && p.Group > kernels.GroupSize {
		p.Group -= p.Group % kernels.GroupSize // so many are solved in a pass over a row
	}
	p.Bytes = memory - left + s.solve(min(p.Group, s.Outputs))
	return p, nil
}
