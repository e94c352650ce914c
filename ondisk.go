package nbsvm

import (
	"fmt"
)

// tellPlan tells of the plan, once the rows are written and have been read.
func (t *trainer) tellPlan(classes int) {
	if t.o.Progress == nil {
		return
	}
	p, nnz := t.d.Plan, max(t.d.NNZ(), 1)
	detail := fmt.Sprintf("%d MiB in memory: weights of %d features and alpha of %d documents, for %d of %d classes at a time; rows stay on disk, %d MiB, and are read once an epoch, %.1f %% of them at a time",
		p.Bytes>>20, len(t.d.IDs), t.d.Rows(), p.Group, classes, t.d.Disk.Size()>>20, min(100*float64(p.Resident)/float64(nnz), 100))
	if groups := (classes + p.Group - 1) / p.Group; groups > 1 {
		detail += fmt.Sprintf("; %d groups of classes, one after the other", groups)
	}
	if took := t.d.Disk.Took(); took > 0 {
		detail += fmt.Sprintf("; reading all rows took %.1f s", took.Seconds())
	}
	t.o.Progress(Progress{Stage: "plan", Total: -1, Unit: "MiB", Detail: detail})
}

// diskVisits is how often rows are visited while they are in memory: more visits save more
// passes, but the third and fourth little.
const diskVisits = 2
