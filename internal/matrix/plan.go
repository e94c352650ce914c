package matrix

import (
	"fmt"
	"sort"

	"github.com/seed-167f963f/nbsvm/internal/packed"
	"github.com/seed-167f963f/nbsvm/kernels"
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

// budget is what a training on a packed corpus takes.
type budget struct {
	base     int64 // whatever is done
	layout   int64 // besides, while the matrix is laid out
	sums     int64 // besides, until ratios are known
	total    int64 // of that, what is kept while there are more classes to solve
	features int64
	loss     solver.Loss
	entry    int64 // for an entry of a row
	rows     int64
	nnz      int64 // at most
	outputs  int
}

func (l *layout) budget() budget {
	rows, features, totals := int64(l.m.Documents.GetCardinality()), int64(len(l.m.IDs)), l.ds.Rows.Totals()
	b := budget{
		base:   processBytes + featureBytes*features,
		layout: columnBytes*int64(totals.Columns) + layoutBytes*features + blockBytes*planned,
		sums:   sumBytes * features, total: 8 * features, entry: 4,
		features: features, rows: rows, nnz: int64(totals.Entries), outputs: l.o.Outputs, loss: l.o.Loss,
	}
	if l.ds.Weights != nil {
		b.base += 12 * int64(l.ds.Documents)
	}
	if l.o.Prenormalize {
		b.base += 8 * int64(l.ds.Documents)
	}
	if l.m.valued {
		b.entry = 8
	}
	return b
}

// solve is what so many classes take that are solved together.
func (b *budget) solve(classes int) int64 {
	if classes == 0 {
		return 0
	}
	return solver.StreamBytes(int(b.rows), int(b.features), classes, b.loss) + int64(classes)*(outputBytes*b.features+sideBytes*b.rows)
}

// inMemory is what training takes with all rows in memory, about.
func (b *budget) inMemory(features int64) int64 {
	bytes := b.base + b.sums + b.entry*b.nnz + 8*b.rows
	groups := int64(b.outputs+kernels.GroupSize-1) / kernels.GroupSize
	workers := min(planned, groups)
	switch {
	case b.outputs == 0:
	case b.outputs == 1:
		bytes += (outputBytes+20)*features + (sideBytes+90)*b.rows
	default:
		bytes += workers*(kernels.GroupSize*outputBytes+64)*features + workers*(kernels.GroupSize*sideBytes+192)*b.rows
	}
	return max(bytes, b.base+b.layout+b.entry*b.nnz)
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
	if b.outputs > 1 {
		base += b.total
	}
	if need := max(base+b.solve(min(b.outputs, 1)), b.base+b.layout, b.base+b.sums); need > memory {
		allowed := fmt.Sprintf("%d MiB", memory>>20)
		if memory < 1<<20 {
			allowed = fmt.Sprintf("%d bytes", memory)
		}
		return Plan{}, fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and %s may be taken: allow for more (--memory), or take fewer features (--bits, --min-df)", (need+1<<20-1)>>20, allowed)
	}
	left := memory - base
	p := Plan{Group: 1, Resident: least}
	if more := min((left-b.solve(min(b.outputs, 1)))/b.entry, max(b.nnz/4-least, 0)); more > 0 {
		p.Resident += int(more)
		left -= b.entry * more
	}
	// Searched for is the first number of further classes that do not fit.
	p.Group += sort.Search(max(b.outputs-1, 0), func(more int) bool { return b.solve(2+more) > left })
	if p.Group < b.outputs && p.Group > kernels.GroupSize {
		p.Group -= p.Group % kernels.GroupSize // so many are solved in a pass over a row
	}
	p.Bytes = memory - left + b.solve(min(p.Group, b.outputs))
	return p, nil
}
