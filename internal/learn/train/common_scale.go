package train

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
)

// commonScale scales rows to the same length for all outputs of a grown tree. Without a tree, each output scales rows
// to unit length after its own ratio, and scoring needs that ratio. In a tree, where every node has its own, they
// would be most of the model. Instead, a feature counts with the root mean square of its ratios among siblings that are
// classes: as much as it tells similar classes apart.
type commonScale struct {
	columns []float32 // that root mean square, of every column
	rows    []float64 // what gives each row unit length, once its features are multiplied by columns
}

// newCommonScale computes the scale of a matrix whose classes are in a grown tree.
func newCommonScale(ctx context.Context, t *trainer, h *hierarchy) (*commonScale, error) {
	var lowest [][]*roaring.Bitmap // documents of siblings, all of which are classes
	h.Groups(func(outputs []int32) {
		var sets []*roaring.Bitmap
		for _, o := range outputs {
			if int(o) < len(h.nodes) {
				sets = append(sets, h.set(int(o)))
			}
		}
		if len(sets) > 1 {
			lowest = append(lowest, sets)
		}
	})
	n := len(t.x.IDs)
	squares, counts := make([]float64, n), make([]float64, n)
	workers := make([]siblingRatios, t.o.threads())
	err := ordered.Map(ctx, len(workers), len(lowest), func(w, i int) (*siblingSquares, error) {
		if workers[w].total == nil {
			workers[w] = siblingRatios{trainer: t, total: make([]float64, n), sum: make([]float64, n)}
		}
		return workers[w].squares(lowest[i]), ctx.Err()
	}, func(s *siblingSquares) error {
		for e, j := range s.columns {
			squares[j] += float64(s.totals[e] * s.means[e])
			counts[j] += s.totals[e]
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
	mean := 1.0
	if sum > 0 {
		mean = sum / count
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

// siblingRatios computes the ratios of siblings, for one goroutine.
type siblingRatios struct {
	*trainer
	total, sum []float64 // Σ f of all siblings, and of one, per column; all 0 between two calls
	// The same of the columns that the siblings' documents have, and the ratio.
	inside, rest, ratio []float64
}

// siblingSquares are the mean squares of siblings' ratios, by the columns that their documents have.
type siblingSquares struct {
	columns       []uint32
	totals, means []float64 // Σ f, and mean squares
}

// squares computes the mean squares of the ratios of some siblings, given their documents.
func (s *siblingRatios) squares(sets []*roaring.Bitmap) *siblingSquares {
	out := &siblingSquares{columns: s.add(s.total, s.rowsOfDocuments(roaring.FastOr(sets...)), nil)}
	n := len(out.columns)
	out.totals, out.means = make([]float64, n), make([]float64, n)
	for _, of := range []*[]float64{&s.inside, &s.rest, &s.ratio} {
		*of = slices.Grow((*of)[:0], n)[:n]
	}
	for e, j := range out.columns {
		out.totals[e], s.total[j] = s.total[j], 0
	}
	var own []uint32
	for _, set := range sets {
		own = s.add(s.sum, s.rowsOfDocuments(set), own[:0])
		for e, j := range out.columns {
			s.inside[e], s.rest[e] = s.sum[j], max(0, out.totals[e]-s.sum[j])
		}
		for _, j := range own {
			s.sum[j] = 0
		}
		bayes.LogRatio(s.ratio, s.inside, s.rest, s.o.Alpha)
		for e, r := range s.ratio {
			out.means[e] += float64(r*r) / float64(len(sets))
		}
	}
	return out
}

// add adds up the features of rows, and appends the columns that were 0.
func (s *siblingRatios) add(sums []float64, rows *roaring.Bitmap, columns []uint32) []uint32 {
	for it := rows.Iterator(); it.HasNext(); {
		i := int(it.Next())
		ids, values := s.x.X.Row(i)
		scale := 1.0
		if s.scale != nil {
			scale = s.scale[i]
		}
		for e, j := range ids {
			v := scale
			if values != nil {
				v *= float64(values[e])
			}
			if s.x.IDF != nil {
				v *= float64(s.x.IDF[j])
			}
			if v > 0 && sums[j] == 0 {
				columns = append(columns, j)
			}
			sums[j] += v
		}
	}
	return columns
}
