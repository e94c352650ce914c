package learn

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Fitted is a trained model in terms of its matrix's columns.
type Fitted struct {
	*Params
	ds      *dataset.Dataset
	x       *dataset.Matrix
	outputs []output
	ratio   *logRatio     // nil unless features are multiplied by it
	Epochs  []Epoch       // of an online model
	Rounds  []boost.Round // of a boosted model
	rule    rule          // of a model that is not linear
	tree    *hierarchy    // of labels that are in one; nil of others
	limits  *[2]float64   // of numbers; nil for none
	levels  *model.Levels // of an ordinal model; nil for none
}

// rule is the decision rule of a model that is not linear, in terms of its matrix's columns.
type rule interface {
	// needs says which columns the model must know; nil for all.
	needs() []bool
	// put gives the rule to a model, in which column j, if it is needed, has the row rowOf[j].
	put(m *model.Model, rowOf []uint32) error
}

// output is one decision function, bias + Σ_j f_j·(base + weight_j).
type output struct {
	part
	base  float64
	bias  float64
	stats *solver.Stats
	took  time.Duration // spent in the solver
}

// part is one output's values by column.
type part struct {
	columns []uint32  // ascending; nil: all
	values  []float32 // parallel to columns
}

// trainer fits the outputs of one matrix.
type trainer struct {
	*Params
	ds         *dataset.Dataset
	x          *dataset.Matrix
	counted    *roaring.Bitmap // the rows that class weights are of; nil for all
	scale      []float64       // what a document's features are counted with: weight·rowScale
	mass       []float64       // document weights, 0 of rows that are not trained on; nil where all are 1
	near       []int32         // rows, those of a class next to each other; nil with one output
	ratio      *logRatio       // nil unless features are multiplied by it
	prior      *prior          // nil, or the model to update
	measuring  sync.Once       // where values are by word:
	lengths    []float64       // of the rows, inverse
	correcting sync.Once       // if there is a prior:
	correction *correction
	duals      *Duals // nil, or those of the last model on the same rows
	// keepsSmall says that small weights are dropped later, for all outputs of a tree together.
	keepsSmall bool
	mutex      sync.Mutex
	done       int
	epochs     []Epoch       // of an online model
	rounds     []boost.Round // of a boosted model
	rule       rule          // of a model that is not linear
	limits     *[2]float64   // of numbers
	levels     *model.Levels // of an ordinal model

	below        []float64 // labels that each class stands for; nil where that is one
	labelsInTree float64   // labels of all documents where classes of several depths share some; 0 for the sum of below
	weighing     sync.Once // of balanced class weights:
	documents    float64   // their weight
	labels       float64   // how many labels they have
}

// Fit trains all outputs of the model: one for two classes, else one per class. It starts from the Duals of another
// model on the same rows, nil for none, and replaces them by its own.
func Fit(ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, p *Params, from *Duals) (*Fitted, error) {
	if p.hasPaths(ds) || p.Grow {
		return fitHierarchy(ctx, ds, x, p, from)
	}
	t := newTrainer(ds, x, p, from)
	t.prior = t.newPrior(p.From)
	outputs, err := p.Learner.fit(ctx, t)
	if err != nil {
		return nil, err
	}
	return &Fitted{
		Params: p, ds: ds, x: x, outputs: outputs, ratio: t.ratio, Epochs: t.epochs, Rounds: t.rounds, rule: t.rule,
		limits: t.limits, levels: t.levels,
	}, nil
}

// newTrainer computes the documents' weights and how much each counts in sums.
func newTrainer(ds *dataset.Dataset, x *dataset.Matrix, p *Params, from *Duals) *trainer {
	t := &trainer{Params: p, ds: ds, x: x, duals: from, scale: x.RowScale}
	if ds.Weights == nil {
		return t
	}
	for it := x.Documents.Iterator(); it.HasNext(); {
		t.mass = append(t.mass, float64(ds.Weights[it.Next()]))
	}
	t.scale = slices.Clone(t.mass)
	for i, scale := range x.RowScale {
		t.scale[i] *= scale
	}
	return t
}

// onSome returns a trainer for siblings that is restricted to rows; ratios and class weights use only the rows in own.
// Its matrix has these rows and their columns, which are returned unless they are all.
func (t *trainer) onSome(siblings *dataset.Dataset, own, rows *roaring.Bitmap) (some *trainer, columns []uint32) {
	x := t.x
	if int(rows.GetCardinality()) < x.Rows() {
		x, columns = x.Some(rows)
	}
	some = newTrainer(siblings, x, t.Params, nil)
	some.ratio = t.ratio.some(columns)
	if own != rows {
		some.counted = ranks(own, rows)
	}
	return some, columns
}

// inPlace returns onSome for siblings in a grown tree. A large part of the rows is left where it is: it has most
// columns, and a copy would take time and memory.
func (t *trainer) inPlace(siblings *dataset.Dataset, own, rows *roaring.Bitmap) (some *trainer, columns []uint32) {
	const large = 8 // at least one of so many rows
	if n := int(rows.GetCardinality()); n == t.x.Rows() || n < t.x.Rows()/large {
		return t.onSome(siblings, own, rows)
	}
	some = newTrainer(siblings, t.x, t.Params, nil)
	mass := make([]float64, t.x.Rows())
	for it := rows.Iterator(); it.HasNext(); {
		i := it.Next()
		if mass[i] = 1; some.mass != nil {
			mass[i] = some.mass[i]
		}
	}
	some.mass, some.counted, some.ratio = mass, own, t.ratio
	return some, nil
}

// ranks returns the places of some numbers among more of them.
func ranks(some, all *roaring.Bitmap) *roaring.Bitmap {
	places, it := roaring.New(), all.Iterator()
	for place := uint32(0); it.HasNext(); place++ {
		if some.Contains(it.Next()) {
			places.Add(place)
		}
	}
	return places
}

// massOf returns the total weight of the documents in rows, or of all if rows is nil.
func (t *trainer) massOf(rows *roaring.Bitmap) float64 {
	switch {
	case t.mass == nil && rows == nil:
		return float64(t.x.Rows())
	case t.mass == nil:
		return float64(rows.GetCardinality())
	}
	var sum float64
	if rows == nil {
		for _, m := range t.mass {
			sum += m
		}
		return sum
	}
	for it := rows.Iterator(); it.HasNext(); {
		sum += t.mass[it.Next()]
	}
	return sum
}

// rowsOf returns the matrix's rows that carry a label.
func (t *trainer) rowsOf(class int) *roaring.Bitmap {
	return t.rowsOfDocuments(t.ds.Classes.Sets[class])
}

// rowsOfDocuments returns the matrix's rows of some documents.
func (t *trainer) rowsOfDocuments(documents *roaring.Bitmap) *roaring.Bitmap {
	if int(t.x.Documents.GetCardinality()) == t.ds.Documents {
		return documents
	}
	rows := roaring.New()
	it := roaring.And(t.x.Documents, documents).Iterator()
	for it.HasNext() {
		rows.Add(uint32(t.x.Documents.Rank(it.Next()) - 1))
	}
	return rows
}

// against reports whether the only output separates the second class from the first. Where documents have any number of
// labels and there is only one label, the only output is for that label.
func (t *trainer) against() bool { return t.ds.Classes.Outputs() == 1 && !t.ds.Classes.Multi }

// opposed reports whether each output separates a class from the other one, or from the rest.
func (t *trainer) opposed() bool { return t.against() || t.ds.Classes.Multi }

// outputClasses lists the class that each output is for.
func (t *trainer) outputClasses() []int {
	if t.against() {
		return []int{1}
	}
	all := make([]int, t.ds.Classes.Outputs())
	for i := range all {
		all[i] = i
	}
	return all
}

// outputOf returns the number of the output that is for a class.
func (t *trainer) outputOf(class int) int {
	if t.against() {
		return 0
	}
	return class
}

// sums adds up the features of the rows, or of all if rows is nil.
func (t *trainer) sums(dst []float64, rows *roaring.Bitmap) { t.sumsOf(dst, rows, t.scale) }

// sumsOf adds up features, those of each row times a scale; nil for 1.
func (t *trainer) sumsOf(dst []float64, rows *roaring.Bitmap, scale []float64) {
	t.x.X.AddColumnSums(dst, rows, scale)
	for j, idf := range t.x.IDF {
		dst[j] *= float64(idf)
	}
}

// checkNonNegative refuses negative features, for which log-counts are undefined.
func (t *trainer) checkNonNegative() error {
	if !t.x.Valued() {
		return nil
	}
	for i := range t.x.Rows() {
		ids, values := t.x.X.Row(i)
		for k, v := range values {
			if v < 0 {
				others := "svm or logistic"
				if t.ds.Classes.Numbers != nil {
					others = "svr or ridge"
				}
				return fmt.Errorf("nbsvm: feature %d has the value %v in document %d, but model %s counts features, which cannot be negative: use Options.Kind %s", t.x.Keys[ids[k]], v, i+1, t.Kind, others)
			}
		}
	}
	return nil
}

// finished reports that some of the classes are done.
func (t *trainer) finished(some, classes int) {
	if classes == 1 {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done += some
	t.tell(corpus.Progress{Stage: "solve", Done: int64(t.done), Total: int64(classes), Unit: "classes"})
}

// tell reports progress, if that is wanted.
func (t *trainer) tell(p corpus.Progress) {
	if t.Progress != nil {
		t.Progress(p)
	}
}
