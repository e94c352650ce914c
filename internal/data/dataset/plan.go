package dataset

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// What training takes is known before it begins. Bytes an item:
const (
	columnBytes   = 4       // of the corpus: its number
	layoutBytes   = 8       // of a feature while the matrix is laid out
	featureBytes  = 8 + 4   // key and frequency
	sumBytes      = 3 * 8   // three sums over documents, until the ratio is known
	classBytes    = 6 * 8   // besides, sums over classes where there are several
	outputBytes   = 3 * 4   // weights, and these as they are kept, with their columns
	sideBytes     = 1       // of a row and class
	orderBytes    = 2 * 4   // of a row: the order of an epoch
	solvedBytes   = 80      // of a row of the only problem: what the solver keeps of it
	groupRowBytes = 192     // of a row of a group of problems
	eachBytes     = 38      // of one of several rows of a document: which, threshold, side, weight, scale, start, order
	numberBytes   = 4 * 8   // of a document with a number: this, as it is solved for, its share of the way, its weight
	blockBytes    = 2 << 20 // of a thread: a block that is decoded
)

// processBytes is about what the program itself takes.
const processBytes = 24 << 20

// planned is for how many threads memory is reckoned, whatever their number is, so that
// results don't depend on it.
const planned = 4

// shape is how large a training problem is: what its memory depends on.
type shape struct {
	documents int64 // that are trained on
	columns   int64 // of the corpus
	features  int64 // of the matrix
	entries   int64 // of its rows
	outputs   int   // that are solved
	valued    bool  // rows have values
	each      int64 // rows of the problem that a document is; 0 if the rows of the matrix are those of the problem
	others    int64 // bytes besides: of documents' weights, scales and numbers
}

// shape returns the shape of the problem being laid out.
func (s *selection) shape() shape {
	p := shape{
		documents: int64(s.m.Documents.GetCardinality()), columns: int64(s.ds.Rows.Totals().Columns),
		features: int64(len(s.m.Keys)), outputs: s.o.Outputs, valued: s.m.valued, each: int64(s.o.RowsEach),
	}
	for _, n := range s.m.Frequencies { // not those of n-grams that don't count: a corpus may have them or not
		p.entries += int64(n)
	}
	if s.ds.Weights != nil {
		p.others += 12 * int64(s.ds.Documents)
	}
	if s.ds.Classes.Numbers != nil {
		p.others += numberBytes * int64(s.ds.Documents)
	}
	if s.o.Prenormalize {
		p.others += 8 * int64(s.ds.Documents)
	}
	return p
}

// rows returns what rows take.
func (s *shape) rows() int64 {
	if s.valued {
		return 8*s.entries + 8*s.documents
	}
	return 4*s.entries + 8*s.documents
}

// solver returns what the solver takes of columns, which is always in memory, and of rows, which is where the rows are.
func (s *shape) solver() (columns, rows int64) {
	groups := int64(s.outputs+kernels.GroupSize-1) / kernels.GroupSize
	workers := min(planned, groups)
	switch {
	case s.outputs == 0:
		return 0, 0
	case s.outputs == 1:
		return (outputBytes + 20) * s.features, solvedBytes * s.documents * max(s.each, 1)
	}
	return workers * (kernels.GroupSize*outputBytes + 64) * s.features, workers * groupRowBytes * s.documents
}

// needs returns about how many bytes of memory training takes, and how many of rows, which may be in files.
func (s *shape) needs() (memory, rows int64) {
	columns, state := s.solver()
	sums := int64(sumBytes)
	if s.outputs > 1 {
		sums += classBytes
	}
	layout := columnBytes*s.columns + layoutBytes*s.features + blockBytes*planned
	classes := min(int64(s.outputs), planned*kernels.GroupSize)
	solve := columns + (sideBytes*classes+orderBytes*min(classes, planned)+eachBytes*s.each)*s.documents
	return s.base() + max(layout, sums*s.features, solve), s.rows() + state
}

// base returns what training takes whatever is done.
func (s *shape) base() int64 { return processBytes + featureBytes*s.features + s.others }

// workers returns how many groups of classes there is room for at a time: as many as the plan reckons with, or more.
// The model is the same for any number.
func (s *shape) workers(limit int64, mapped bool) int {
	group := (kernels.GroupSize*outputBytes+64)*s.features + (kernels.GroupSize*sideBytes+orderBytes)*s.documents
	if limit -= s.base(); !mapped {
		group += groupRowBytes * s.documents
		limit -= s.rows()
	}
	return max(planned, int(limit/group))
}

// plan decides whether rows are mapped.
func (s *selection) plan() error {
	shape, limit := s.shape(), s.o.Memory
	memory, rows := shape.needs()
	s.m.Temp, s.m.Mapped = s.o.Temp, s.o.Mapped || limit > 0 && memory+rows > limit
	if limit > 0 {
		s.m.Workers = shape.workers(limit, s.m.Mapped)
	}
	if !s.m.Mapped {
		return nil
	}
	if memory > limit && limit > 0 {
		allowed := fmt.Sprintf("%d MiB", limit>>20)
		if limit < 1<<20 {
			allowed = fmt.Sprintf("%d bytes", limit)
		}
		remedy := "use fewer features (Options.Text.Bits, Options.MinDF)"
		if shape.each > 2 {
			remedy = fmt.Sprintf("train model nbsvr, as a document is %d rows of this one's problem, one for each threshold between levels", shape.each)
		}
		return fmt.Errorf("nbsvm: training takes %d MiB, even with rows left on disk, and the limit is %s: raise it (Options.Memory), or %s", (memory+1<<20-1)>>20, allowed, remedy)
	}
	where := "rows stay on disk, %d MiB, and are read in every epoch"
	if !mem.InFiles {
		where = "rows take %d MiB beside that, as this system can't leave them on disk"
	}
	s.m.Plan = fmt.Sprintf("%d MiB in memory for %d features and %d documents; "+where,
		memory>>20, shape.features, shape.documents, rows>>20)
	return nil
}
