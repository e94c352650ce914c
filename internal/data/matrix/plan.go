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
	columnBytes  = 4        // of the corpus: its number
	layoutBytes  = 3 * 4    // of a feature while the matrix is laid out
	featureBytes = 4 + 2    // id and tag
	sumBytes     = 3 * 8    // three sums over documents, until the ratio is known
	outputBytes  = 3 * 4    // ratio, weights, and these as they are kept
	sideBytes    = 1        // of a row and class
	processBytes = 24 << 20 // the program itself
	blockBytes   = 2 << 20  // of a thread: a block that is decoded, mapped and encoded
)

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

// budget is what a training on a packed corpus takes.
type budget struct {
	Shape
	base   int64 // whatever is done
	layout int64 // besides, while the matrix is laid out
	sums   int64 // besides, until ratios are known
	total  int64 // of that, what is kept while there are more classes to solve
	entry  int64 // for an entry of a row
}

// shape is that of the problem being laid out.
func (l *layout) shape() Shape {
	entries := int64(0) // not those of n-grams that don't count: a corpus may have them or not
	for _, n := range l.m.Frequencies {
		entries += int64(n)
	}
	s := Shape{
		Documents: int64(l.m.Documents.GetCardinality()), Columns: int64(l.ds.Rows.Totals().Columns),
		Features: int64(len(l.m.IDs)), Entries: entries, Outputs: l.o.Outputs, Loss: l.o.Loss, Valued: l.m.valued,
	}
	if l.ds.Weights != nil {
		s.Others += 12 * int64(l.ds.Documents)
	}
	if l.o.Prenormalize {
		s.Others += 8 * int64(l.ds.Documents)
	}
	return s
}

func (s Shape) budget() budget {
	b := budget{
		Shape:  s,
		base:   processBytes + featureBytes*s.Features + s.Others,
		layout: columnBytes*s.Columns + layoutBytes*s.Features + blockBytes*planned,
		sums:   sumBytes * s.Features, total: 8 * s.Features, entry: 4,
	}
	if s.Valued {
		b.entry = 8
	}
	return b
}

// InMemory is how many bytes training takes with all rows in memory, about.
func (s Shape) InMemory() int64 {
	b := s.budget()
	return b.inMemory()
}

// OnDisk plans a training with rows on disk that takes so many bytes at most. An error tells how many it needs.
func (s Shape) OnDisk(memory int64) (Plan, error) {
	b := s.budget()
	return b.plan(memory)
}

// solve is what so many classes take that are solved together.
func (b *budget) solve(classes int) int64 {
	if classes == 0 {
		return 0
	}
	return solver.StreamBytes(int(b.Documents), int(b.Features), classes, b.Loss) +
		int64(classes)*(outputBytes*b.Features+sideBytes*b.Documents)
}

func (b *budget) inMemory() int64 {
	bytes := b.base + b.sums + b.entry*b.Entries + 8*b.Documents
	groups := int64(b.Outputs+kernels.GroupSize-1) / kernels.GroupSize
	workers := min(planned, groups)
	switch {
	case b.Outputs == 0:
	case b.Outputs == 1:
		bytes += (outputBytes+20)*b.Features + (sideBytes+90)*b.Documents
	default:
		bytes += workers*(kernels.GroupSize*outputBytes+64)*b.Features + workers*(kernels.GroupSize*sideBytes+192)*b.Documents
	}
	return max(bytes, b.base+b.layout+b.entry*b.Entries)
}

// Plan is how a training goes whose rows are not in memory.
type Plan struct {
	Group    int // classes that are solved side by side
	Resident int // entries of rows that are in memory together
	Bytes    int64
}

// least is how many entries must be in memory at a time.
const least = 2 * packed.BlockEntries

// plan shares out the memory. Rows come first, up to a quarter of them all; then as many
// classes side by side as there is room for, as each of them needs the rows once more
// otherwise.
func (b *budget) plan(memory int64) (Plan, error) {
	base := b.base + b.entry*least
	if b.Outputs > 1 {
		base += b.total
	}
	if need := max(base+b.solve(min(b.Outputs, 1)), b.base+b.layout, b.base+b.sums); need > memory {
		allowed := fmt.Sprintf("%d MiB", memory>>20)
		if memory < 1<<20 {
			allowed = fmt.Sprintf("%d bytes", memory)
		}
		return Plan{}, fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and the limit is %s: raise it (--memory), or use fewer features (--bits, --min-df)", (need+1<<20-1)>>20, allowed)
	}
	left := memory - base
	p := Plan{Group: 1, Resident: least}
	if more := min((left-b.solve(min(b.Outputs, 1)))/b.entry, max(b.Entries/4-least, 0)); more > 0 {
		p.Resident += int(more)
		left -= b.entry * more
	}
	// Searched for is the first number of further classes that do not fit.
	p.Group += sort.Search(max(b.Outputs-1, 0), func(more int) bool { return b.solve(2+more) > left })
	if p.Group < b.Outputs && p.Group > kernels.GroupSize {
		p.Group -= p.Group % kernels.GroupSize // so many are solved in a pass over a row
	}
	p.Bytes = memory - left + b.solve(min(p.Group, b.Outputs))
	return p, nil
}
