package nbsvm

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// commonScale scales rows to the same length for all outputs of a grown tree. Without a tree, each output scales rows
// to unit length after its own ratio, and scoring needs that ratio. In a tree, where every node has its own, they
// would be most of the model. Instead, a feature counts with the root mean square of its ratios among siblings that are
// classes: as much as it tells similar classes apart.
type commonScale struct {
	columns []float32 // that root mean square, of every column
	rows    []float64 // what gives each row unit length, once its features are multiplied by columns
}

// leastSquare is the least mean square of ratios, where features hardly tell siblings apart, or have none: rows must not
// become so long that outputs above have no use for them.
const leastSquare = 1e-6

// newCommonScale computes the scale of a matrix whose classes are in a grown tree.
func newCommonScale(ctx context.Context, t *trainer, h *hierarchy) (*commonScale, error) {
	var lowest []dataset.Classes // siblings
	h.Groups(func(outputs []int32) {
		classes := slices.DeleteFunc(slices.Clone(outputs), func(o int32) bool { return int(o) >= len(h.nodes) })
		if len(classes) > 1 {
			lowest = append(lowest, h.classes(classes, t.ds.Documents, t.ds.Classes.Multi))
		}
	})
	n := len(t.x.Keys)
	squares, counts := make([]float64, n), make([]float64, n)
	err := par.Map(ctx, t.o.threads(), len(lowest), func(_, i int) (*siblingSquares, error) {
		return t.siblingSquares(ctx, lowest[i])
	}, func(s *siblingSquares) error {
		for e, total := range s.totals {
			j := s.column(e)
			squares[j] += float64(total * s.means[e])
			counts[j] += total
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var sum, count float64
	for j := range squares {
		sum += squares[j]
		count += counts[j]
	}
	mean := leastSquare
	if count > 0 {
		mean = max(mean, sum/count)
	}
	c := &commonScale{columns: make([]float32, n)}
	scale := make([]float32, n)
	for j := range scale {
		// As if each feature occurred once more, with the mean: no scale is 0, and rare features have no extreme one.
		c.columns[j] = float32(math.Sqrt((squares[j] + mean) / (counts[j] + 1)))
		scale[j] = c.columns[j]
		if t.x.IDF != nil {
			scale[j] *= t.x.IDF[j]
		}
	}
	c.rows = t.x.X.InverseNorms(scale)
	return c, nil
}

// some is the scale of some rows and columns.
func (c *commonScale) some(rows *roaring.Bitmap, columns []uint32) *commonScale {
	s := &commonScale{}
	for _, j := range columns {
		s.columns = append(s.columns, c.columns[j])
	}
	for it := rows.Iterator(); it.HasNext(); {
		s.rows = append(s.rows, c.rows[it.Next()])
	}
	return s
}

// siblingSquares are the mean squares of siblings' ratios, by the columns that their documents have.
type siblingSquares struct {
	columns       []uint32  // nil for all
	totals, means []float64 // Σ f, and mean squares
}

// column is the e-th of the columns.
func (s *siblingSquares) column(e int) int {
	if s.columns == nil {
		return e
	}
	return int(s.columns[e])
}

func (t *trainer) siblingSquares(ctx context.Context, siblings dataset.Classes) (*siblingSquares, error) {
	view := *t.ds
	view.Classes = siblings
	rows := t.rowsOfDocuments(roaring.FastOr(siblings.Sets...))
	below, columns := t.inPlace(&view, rows, rows)
	if err := below.count(ctx, len(siblings.Sets)); err != nil {
		return nil, err
	}
	s := &siblingSquares{columns: columns, totals: below.total, means: make([]float64, len(below.x.Keys))}
	c, m := oneAgainstRest{trainer: below}, classMemory{}
	for k := range siblings.Sets {
		if err := c.logRatio(ctx, below.rowsOf(k), &m); err != nil {
			return nil, err
		}
		for j, r := range m.ratio {
			s.means[j] += float64(float64(r)*float64(r)) / float64(len(siblings.Sets))
		}
	}
	return s, nil
}
