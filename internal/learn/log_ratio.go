package learn

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// logRatio is what NBSVM multiplies features by: for two classes the naive-Bayes log-count ratio (Wang and Manning
// 2012, section 2.3). With more, every class has a ratio against the rest, and a feature has the root mean square of
// these: in part over its occurrences, each with the ratio of its document's class, and in part over classes. All
// outputs share it, so a document has one length, whatever the class.
type logRatio struct {
	columns []float32 // by column, 0 or more
	scale   []float32 // the same times idf
	signed  []float32 // the ratio itself, of two classes; else nil
}

// newLogRatio computes the ratio of a matrix's classes. Features that the model to update knows keep theirs.
func (t *trainer) newLogRatio(ctx context.Context) (*logRatio, error) {
	ctx, end := par.WithStage(ctx, par.StageRatio)
	defer end()
	if err := t.checkNonNegative(); err != nil {
		return nil, err
	}
	total := t.totals()
	r := &logRatio{columns: make([]float32, len(total))}
	if classes := t.outputClasses(); len(classes) == 1 {
		c, all := classSums{sums: make([]float64, len(total)), others: total}, xmath.Sum(total)
		t.sums(c.sums, t.rowsOf(classes[0]))
		for j, sum := range c.sums {
			c.others[j] = max(0, c.others[j]-sum) // rounding may have left it below 0
		}
		t.quotients(&c, all)
		r.signed = c.ratios
		for j, v := range r.signed {
			r.columns[j] = float32(math.Abs(float64(v)))
		}
	} else if err := r.meanSquares(ctx, t, classes, total); err != nil {
		return nil, err
	}
	t.finishRatio(r)
	return r, nil
}

// withinWords is what the ratios of n-grams within words are multiplied by where their values are by word: each adds as
// much to the margin as before, but less to the length of the document, of which they would be most. Among .5, .6, .7,
// .85 and 1, it cross-validates best on eight sets, see docs/explanation/defaults.md.
const withinWords = 0.5

// finishRatio weighs the ratio, and takes over that of features that the model to update knows.
func (t *trainer) finishRatio(r *logRatio) {
	if t.Matrix.ByWord {
		t.weighWithinWords(r)
	}
	if t.prior != nil {
		t.prior.keepRatio(r.columns)
	}
	r.scaled(t.x.IDF)
}

// weighWithinWords weighs the ratios of n-grams within words, and divides them by the mean of the n-gram's values in the
// documents that have it: else frequent n-grams would outweigh words in long documents.
func (t *trainer) weighWithinWords(r *logRatio) {
	values, documents := make([]float64, len(r.columns)), make([]float64, len(r.columns))
	presence := *t.x.X
	presence.Values = nil
	t.x.X.AddColumnSums(values, nil, t.scale)
	presence.AddColumnSums(documents, nil, t.scale)
	for j, key := range t.x.Keys {
		if values[j] == 0 || !t.Meta.Text.WithinWord(key) {
			continue // of documents without weight, its ratio does not matter
		}
		weight := float32(withinWords * documents[j] / values[j])
		r.columns[j] *= weight
		if r.signed != nil {
			r.signed[j] *= weight
		}
	}
}

// scaleRows sets how rows are scaled, by the ratio of the problem's columns. Where values are by word, the square of a
// row's length is Σ x·r², the sum of those of its words, in place of Σ (x·r)².
func (t *trainer) scaleRows(p *solver.Problem) {
	p.RowScale, p.UnitRows = t.x.RowScale, t.Normalize
	if !t.Matrix.ByWord || !t.Normalize {
		return
	}
	t.measuring.Do(func() {
		squares := make([]float64, len(p.ColScale))
		for j, r := range p.ColScale {
			squares[j] = float64(r) * float64(r)
		}
		t.lengths = make([]float64, t.x.Rows())
		const chunk = 1 << 10
		par.Chunks(t.Threads, t.x.Rows(), chunk, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				columns, values := t.x.X.Row(i)
				if square := kernels.Dot64(squares, columns, values); square > 0 {
					t.lengths[i] = 1 / math.Sqrt(square)
				}
			}
		})
	})
	p.RowScale, p.UnitRows = t.lengths, false
}

// scaled sets the scale.
func (r *logRatio) scaled(idf []float32) {
	if r.scale = r.columns; idf != nil {
		r.scale = make([]float32, len(r.columns))
		for j, v := range r.columns {
			r.scale[j] = v * idf[j]
		}
	}
}

// some returns the ratio restricted to some columns; nil for all.
func (r *logRatio) some(columns []uint32) *logRatio {
	if r == nil || columns == nil {
		return r
	}
	s := &logRatio{columns: make([]float32, len(columns)), scale: make([]float32, len(columns))}
	for e, j := range columns {
		s.columns[e], s.scale[e] = r.columns[j], r.scale[j]
	}
	return s
}

// ofClasses is the share of the mean over classes; the rest is the mean over occurrences. Among 0, .15, .3, .5 and 1,
// it cross-validates best on five sets of 4 to 77 classes, see docs/explanation/nbsvm.md.
const ofClasses = 0.3

// meanSquares sets the columns to the root of the mean squares of the classes' ratios.
func (r *logRatio) meanSquares(ctx context.Context, t *trainer, classes []int, total []float64) error {
	n, all := len(total), xmath.Sum(total)
	over, counts := make([]float64, n), make([]float64, n) // occurrences
	each := make([]float64, n)                             // class, less what absent gives
	absent := make([]float64, n)                           // plus that of a class, its ratio where it has no occurrence
	for j, sum := range total {
		absent[j] = -xmath.Log(t.Alpha + sum)
	}
	var sum, squares float64 // of absent of each class
	rooms := make([][]float64, t.Threads)
	if t.x.Mapped {
		rooms = rooms[:1] // memory is scarce
	}
	spare := sync.Pool{New: func() any { return new(classSums) }}
	err := par.Map(ctx, len(rooms), len(classes), func(w, k int) (*classSums, error) {
		if rooms[w] == nil {
			rooms[w] = make([]float64, n)
		}
		c := spare.Get().(*classSums)
		t.addClass(c, classes[k], rooms[w], total, all)
		return c, ctx.Err()
	}, func(c *classSums) error {
		sum += c.absent
		squares += float64(c.absent * c.absent)
		for e, j := range c.columns {
			ratio, otherwise := float64(c.ratios[e]), absent[j]+c.absent
			over[j] += float64(c.sums[e] * float64(ratio*ratio))
			counts[j] += c.sums[e]
			each[j] += float64(ratio*ratio) - float64(otherwise*otherwise)
		}
		spare.Put(c)
		return nil
	})
	k := float64(len(classes))
	for j, a := range absent {
		square := (each[j] + float64(float64(k*a)*a) + float64(2*float64(a*sum)) + squares) / k
		if counts[j] > 0 { // else only documents without labels have it
			square = float64(ofClasses*square) + float64((1-ofClasses)*over[j])/counts[j]
		}
		r.columns[j] = float32(math.Sqrt(max(square, 0)))
	}
	return err
}

// classSums holds, for the features of a class's documents, the sums over these documents and over all others.
type classSums struct {
	columns      []uint32
	sums, others []float64
	ratios       []float32
	absent       float64 // of the ratio of a feature that is not there, the class's part
}

// addClass adds up the features of a class's documents, in room for the sums of all columns, and computes their ratios.
func (t *trainer) addClass(c *classSums, class int, room, total []float64, all float64) {
	c.columns, c.sums, c.others = c.columns[:0], c.sums[:0], c.others[:0]
	rows := t.rowsOf(class)
	t.sums(room, rows)
	add := func(j uint32) {
		sum := room[j]
		c.columns, c.sums = append(c.columns, j), append(c.sums, sum)
		c.others = append(c.others, max(0, total[j]-sum)) // rounding may have left it below 0
		room[j] = 0
	}
	for it := rows.Iterator(); it.HasNext(); { // of thousands of classes, most have few columns
		ids, _ := t.x.X.Row(int(it.Next()))
		for _, j := range ids {
			if room[j] > 0 {
				add(j)
			}
		}
	}
	if 2*xmath.Sum(c.sums) > all { // its other ratios are not of the form that others have, see bayes.BySize
		has := make([]bool, len(room))
		for _, j := range c.columns {
			has[j] = true
		}
		for j := range room {
			if !has[j] {
				add(uint32(j))
			}
		}
	}
	t.quotients(c, all)
}

// quotients computes the log-count ratios of a class against the rest, given the sum of all columns over all documents.
// Of features that the class does not have the ratio is absent - log(alpha + their sum over all documents).
func (t *trainer) quotients(c *classSums, all float64) {
	inside, alpha := xmath.Sum(c.sums), bayes.Equal(t.Alpha)
	outside := max(0, all-inside)
	if t.AlphaBySize {
		alpha = bayes.BySize(t.Alpha, inside, outside)
	}
	shift := alpha.Shift(inside, outside, len(t.x.Keys))
	c.ratios = slices.Grow(c.ratios[:0], len(c.sums))[:len(c.sums)]
	bayes.LogQuotient(c.ratios, c.sums, c.others, alpha, shift)
	c.absent = xmath.Log(alpha.Pos) - shift
}

// totals adds up the features of all documents, by column.
func (t *trainer) totals() []float64 {
	total := make([]float64, len(t.x.Keys))
	if t.scale != nil || t.x.Valued() || t.x.IDF != nil {
		t.sums(total, nil)
		return total
	}
	for j, n := range t.x.Frequencies { // which spares a pass over the rows
		total[j] = float64(n)
	}
	return total
}
