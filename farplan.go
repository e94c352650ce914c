package nbsvm

import (
	"context"
	"fmt"

	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// What training takes is known before it begins. Bytes an item:
const (
	columnBytes  = 8     // of the corpus: its number, and its frequency or its key for a time
	featureBytes = 4 + 2 // id and tag
	sumBytes     = 3 * 8 // three sums over documents
	outputBytes  = 3 * 4 // ratio, weights, and these as they are kept
	sideBytes    = 1     // of a row and class
	processBytes = 24 << 20
)

// base is what a training takes whatever is done with its rows.
func (d *design) base(ds *dataset, o *Options) int64 {
	bytes := processBytes + (featureBytes+sumBytes)*int64(len(d.ids))
	if ds.weights != nil {
		bytes += 12 * int64(ds.docs)
	}
	if o.Prenormalize {
		bytes += 8 * int64(ds.docs)
	}
	return bytes
}

// entryBytes is what an entry of a row takes in memory.
func (d *design) entryBytes() int64 {
	if d.valued {
		return 8
	}
	return 4
}

// inMemory is what training takes with all rows in memory, about.
func (u *unpacker) inMemory() int64 {
	rows, features := int64(u.d.rows.GetCardinality()), int64(len(u.d.ids))
	totals := u.ds.packed.Totals()
	bytes := u.d.base(u.ds, u.o) + u.d.entryBytes()*int64(totals.Entries) + 8*rows + columnBytes*int64(totals.Columns)
	if !u.o.Kind.linear() {
		return bytes
	}
	outputs := int64(1)
	if k := len(u.ds.classes.labels); k > 2 || u.ds.classes.multi {
		outputs = int64(k)
	}
	if outputs == 1 {
		return bytes + (outputBytes+20)*features + (sideBytes+90)*rows
	}
	groups := (outputs + kernels.GroupSize - 1) / kernels.GroupSize
	workers := min(int64(u.o.threads()), groups)
	return bytes + workers*(kernels.GroupSize*outputBytes+64)*features + workers*(kernels.GroupSize*sideBytes+192)*rows
}

// farPlan is how a training goes whose rows are not in memory.
type farPlan struct {
	group    int // classes that are solved side by side
	resident int // entries of rows that are in memory together
	bytes    int64
}

// least is how many entries must be in memory at a time.
const least = packed.BlockEntries

// planFar shares out the memory, and tells how. Rows come first, up to an eighth of them
// all; then as many classes side by side as there is room for, as each of them needs the
// rows once more otherwise.
func (t *trainer) planFar(classes int, loss solver.Loss) (farPlan, error) {
	rows, features := t.d.count(), len(t.d.ids)
	each := solver.StreamBytes(rows, features, 1, loss) + outputBytes*int64(features) + sideBytes*int64(rows)
	entry := 2 * t.d.entryBytes() // in two chunks
	base := t.d.base(t.ds, t.o)
	left := t.o.Memory - base - each
	if need := base + each + entry*least; left < entry*least {
		return farPlan{}, fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and %d may be taken: allow for more, or take fewer features (--bits, --min-df)", (need+1<<20-1)>>20, t.o.Memory>>20)
	}
	p := farPlan{group: 1}
	p.resident = int(min(left/entry, max(t.d.nnz()/8, least)))
	left -= entry * int64(p.resident)
	p.group += int(min(left/each, int64(classes-1)))
	p.bytes = base + int64(p.group)*each + entry*int64(p.resident)
	if t.o.Progress != nil {
		passes := (classes + p.group - 1) / p.group
		detail := fmt.Sprintf("%d MiB in memory: weights of %d features and alpha of %d documents, for %d of %d classes at a time; rows stay on disk, %d MiB, and are read once an epoch, %d %% of them at a time",
			p.bytes>>20, features, rows, p.group, classes, t.d.far.Size()>>20, min(100*int64(p.resident)/max(t.d.nnz(), 1), 100))
		if passes > 1 {
			detail += fmt.Sprintf("; %d groups of classes, one after the other", passes)
		}
		if t.d.far.took > 0 {
			detail += fmt.Sprintf("; reading all rows takes %.1f s", t.d.far.took.Seconds())
		}
		t.o.Progress(Progress{Stage: "plan", Total: -1, Unit: "MiB", Detail: detail})
	}
	return p, nil
}

// fromFar solves problems whose rows are not in memory.
func (c *oneAgainstRest) fromFar(ctx context.Context, problems []solver.Problem, so solver.Options, outputs []output) error {
	if c.streamed == nil {
		var err error
		if c.streamed, err = solver.NewStream(c.d.far, solver.StreamOptions{Resident: c.resident, Inner: 1}); err != nil {
			return err
		}
	}
	stats, err := c.streamed.Solve(ctx, problems, so)
	if err != nil {
		return err
	}
	for k := range outputs {
		outputs[k].stats = &stats[k]
		c.weights, outputs[k].bias = c.streamed.Weights(k, c.weights)
		c.fold(&outputs[k], c.weights, c.classes[k].ratio)
	}
	return nil
}
