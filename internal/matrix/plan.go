package matrix

import (
	"fmt"

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
	base    int64 // whatever is done
	layout  int64 // besides, while the matrix is laid out
	sums    int64 // besides, until ratios are known
	total   int64 // of that, what is kept while there are more classes to solve
	output  int64 // for every class that is solved together with others
	entry   int64 // for an entry of a row
	rows    int64
	nnz     int64 // at most
	outputs int
}

func (l *layout) budget() budget {
	rows, features, totals := int64(l.m.Documents.GetCardinality()), int64(len(l.m.IDs)), l.ds.Rows.Totals()
	b := budget{
		base:   processBytes + featureBytes*features,
		layout: columnBytes*int64(totals.Columns) + layoutBytes*features + blockBytes*planned,
		sums:   sumBytes * features, total: 8 * features, entry: 4,
		rows: rows, nnz: int64(totals.Entries), outputs: l.o.Outputs,
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
	if l.o.Outputs > 0 {
		b.output = solver.StreamBytes(int(rows), int(features), 1, l.o.Loss) + outputBytes*features + sideBytes*rows
	}
	return b
}

// inMemory is what training takes with all rows in memory, about.
func (b *budget) inMemory(features int64) int64 {
	bytes := b.base + b.sums + b.entry*b.nnz + 8*b.rows
	groups := int64(b.outputs+kernels.GroupSize-1) / kernels.GroupSize
	workers := min(planned, groups)
	switch {
	case b.output == 0:
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
const least = packed.BlockEntries

// plan shares out the memory. Rows come first, up to an eighth of them all; then as many
// classes side by side as there is room for, as each of them needs the rows once more
// otherwise.
func (b *budget) plan(memory int64) (Plan, error) {
	entry := 2 * b.entry // in two chunks
	solve := b.base + b.output + entry*least
	if b.outputs > 1 {
		solve += b.total
	}
	if need := max(solve, b.base+b.layout, b.base+b.sums); need > memory {
		return Plan{}, fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and %d may be taken: allow for more, or take fewer features (--bits, --min-df)", (need+1<<20-1)>>20, memory>>20)
	}
	left := memory - solve
	p := Plan{Group: 1, Resident: least}
	if more := min(left/entry, max(b.nnz/8-least, 0)); more > 0 {
		p.Resident += int(more)
		left -= entry * more
	}
	if b.output > 0 {
		p.Group += int(min(left/b.output, int64(b.outputs-1)))
	}
	p.Bytes = memory - left + int64(p.Group-1)*b.output
	return p, nil
}
