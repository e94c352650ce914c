package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// HoldOutFolds is the number of folds from which thresholds and probabilities
// are learned.
const HoldOutFolds = 5

// TuneFrom and TuneOn are how many documents, at most, a classifier is trained on and then predicts that is only to
// measure something on held-out documents.
const (
	TuneFrom = 1 << 17
	TuneOn   = 20_000
)

// mostMargins is how many margins a temperature is fitted to, at most.
const mostMargins = 1 << 25

// Tuning holds what is learned from the margins of held-out documents.
type Tuning struct {
	thresholds  []float64
	platt       []model.Platt
	temperature float64
}

// pool learns one threshold and one sigmoid for all classes in a tree, because most of them have few documents. It
// learns from the log odds of the classes found for held-out documents.
func (t *Tuning) pool(
	ctx context.Context, c *score.Classifier, ds *dataset.Dataset, parts *dataset.Division, documents *roaring.Bitmap,
	p *Params,
) error {
	found, missed := newMargins(1), 0.0 // and the weight of labels that documents carry, and that are not found
	err := score.PredictRows(ctx, c, ds, documents, p.Threads, func(doc int, o *score.Prediction) {
		missed += float64(parts.Weight(doc) * float64(len(ds.Classes.LabelsOf(doc))))
		for k, p := range o.Scores {
			if p == 0 {
				continue
			}
			carried := ds.Classes.Sets[k].Contains(uint32(doc))
			found.add(parts, doc, 1, []float64{model.LogOdds(p)}, func(int) bool { return carried })
			if carried {
				missed -= parts.Weight(doc)
			}
		}
	})
	if err != nil {
		return err
	}
	n := c.Model().Outputs
	t.thresholds = slices.Repeat(microF1Thresholds(found, missed), n)
	if p.Calibrate {
		t.platt = slices.Repeat(fitPlatt(found), n)
	}
	return nil
}

// Fill puts thresholds and probabilities into a model; nil changes nothing.
func (t *Tuning) Fill(m *model.Model) {
	if t == nil {
		return
	}
	if t.thresholds != nil {
		m.Threshold = t.thresholds
	}
	if t.temperature != 0 {
		if m.Temperature = t.temperature; m.Meta.Paths == nil {
			m.Meta.Link = "temperature"
		}
	}
	if t.platt == nil {
		return
	}
	if m.Platt = t.platt; m.Meta.Paths == nil {
		m.Meta.Link = "platt"
	}
	if p := t.platt[0]; m.Meta.Task == "binary" {
		m.Threshold[0] = -p.B / p.A // where the probability is one half
	}
}

// HoldOut trains on all folds but one, in turn, until there is enough to learn from the margins of the
// held-out documents: thresholds where documents have any number of labels, and probabilities where they are asked for.
// Nothing is due where a model to update has them, or with few documents: it returns what is known.
func HoldOut(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, p *Params,
) (*Tuning, error) {
	if kept := p.keptTuning(ds); kept != nil {
		return kept, nil
	}
	calibrate := p.Calibrate
	few := int(rows.GetCardinality()) < HoldOutFolds
	switch {
	case calibrate && few:
		return nil, fmt.Errorf("nbsvm: calibration needs at least %d documents, got %d: give more, or leave out Options.Calibrate", HoldOutFolds, rows.GetCardinality())
	case few, !ds.Classes.Multi && !calibrate:
		return nil, nil
	}
	quiet := *p
	quiet.Progress, quiet.Judge = nil, nil
	var held *margins
	var factors []float64
	t := &Tuning{}
	pooled := ds.Classes.Multi && p.Grow // of which one training will do
	parts, err := ds.Division(ctx, p.Threads)
	if err != nil {
		return nil, err
	}
	var folds []*roaring.Bitmap
	if pooled {
		folds = make([]*roaring.Bitmap, 1)
		folds[0], err = parts.Held(ctx, rows, HoldOutFolds, p.Solver.Seed)
	} else {
		folds, err = parts.Folds(ctx, rows, HoldOutFolds, p.Solver.Seed)
	}
	if err != nil {
		return nil, err
	}
	for k, fold := range folds {
		rest := roaring.AndNot(rows, fold)
		if pooled {
			if rest, err = ds.Sample(ctx, rest, TuneFrom, p.Solver.Seed); err != nil {
				return nil, err
			}
		}
		c, err := trainRows(ctx, ds, rest, &quiet)
		if err != nil {
			return nil, err
		}
		if pooled {
			if fold, err = ds.Sample(ctx, fold, TuneOn, p.Solver.Seed); err != nil {
				return nil, err
			}
			return t, t.pool(ctx, c, ds, parts, fold, p)
		}
		// What is to be turned into probabilities, and for which label each of it speaks.
		of, labelOf, n := func(margins []float64) []float64 { return margins }, c.Model().OutputClass, c.Model().Outputs
		if c.Tree() != nil { // the labels are the nodes at which paths end
			of, labelOf, n = c.PathScores(), func(k int) int { return k }, len(ds.Classes.Labels)
		}
		if held == nil {
			held, factors = newMargins(n), p.classFactors(ds, parts, rows)
			if ds.Classes.Multi {
				held.positive = factors
			}
		}
		if !ds.Classes.Multi && n > 1 {
			if fold, err = ds.Sample(ctx, fold, max(enoughDocuments, mostMargins/n), p.Solver.Seed); err != nil {
				return nil, err
			}
		}
		err = score.PredictRows(ctx, c, ds, fold, p.Threads, func(doc int, found *score.Prediction) {
			factor := 1.0
			if !ds.Classes.Multi {
				factor = factors[ds.Classes.LabelsOf(doc)[0]]
			}
			held.add(parts, doc, factor, of(found.Margins),
				func(i int) bool { return ds.Classes.Sets[labelOf(i)].Contains(uint32(doc)) })
		})
		if err != nil {
			return nil, err
		}
		if p.Progress != nil {
			p.Progress(corpus.Progress{Stage: "hold out", Done: int64(k + 1), Total: HoldOutFolds, Unit: "folds"})
		}
		if !ds.Classes.Multi && held.enough() {
			break
		}
	}
	if ds.Classes.Multi {
		t.thresholds = microF1Thresholds(held, 0)
	}
	switch {
	case calibrate && len(held.of) > 1 && !ds.Classes.Multi:
		t.temperature = fitTemperature(held)
	case calibrate:
		t.platt = fitPlatt(held)
	}
	return t, nil
}

// classFactors returns the factor of each class by which class weights multiply the weights of documents. As in
// logistic regression, probabilities are those of the weighted documents. Thresholds of several labels ignore the
// factors.
func (p *Params) classFactors(ds *dataset.Dataset, parts *dataset.Division, rows *roaring.Bitmap) []float64 {
	factors := slices.Repeat([]float64{1}, len(ds.Classes.Labels))
	mass := func(documents *roaring.Bitmap) (sum float64) {
		for it := documents.Iterator(); it.HasNext(); {
			sum += parts.Weight(int(it.Next()))
		}
		return sum
	}
	all, present := mass(rows), 0.0
	for k, label := range ds.Classes.Labels {
		if f, ok := p.ClassWeight[label]; ok {
			factors[k] = f
		} else if p.Balanced {
			if inside := mass(roaring.And(ds.Classes.Sets[k], rows)); inside > 0 {
				factors[k], present = all/inside, present+1
			}
		}
	}
	for k := range factors {
		if p.Balanced {
			factors[k] /= max(present, 1)
		}
	}
	return factors
}

// LayOut makes the matrix of some documents, and tells if its rows are mapped.
func LayOut(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, p *Params) (*dataset.Matrix, error) {
	x, err := dataset.NewMatrix(ctx, ds, rows, p.Matrix)
	if err == nil && x.Mapped && p.Progress != nil {
		p.Progress(corpus.Progress{Stage: "plan", Total: -1, Unit: "MiB", Detail: x.Plan})
	}
	return x, err
}

// trainRows trains on the documents in rows; no names, no thresholds.
func trainRows(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, p *Params) (*score.Classifier, error) {
	x, err := LayOut(ctx, ds, rows, p)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	m, _, _, err := Model(ctx, ds, x, p, nil)
	if err != nil {
		return nil, err
	}
	return score.New(m), nil
}

// keptTuning returns the thresholds and probabilities of the model to update, with their means for new labels: new
// documents may be too few, or lack labels, to learn them from. It is nil if the model decides in another way or lacks
// probabilities that are asked for.
func (p *Params) keptTuning(ds *dataset.Dataset) *Tuning {
	m := p.From
	if m == nil || m.Meta.Task != ds.Classes.Task() || p.Calibrate && m.Platt == nil && m.Temperature == 0 {
		return nil
	}
	outputs := ds.Classes.Outputs()
	t := &Tuning{thresholds: slices.Repeat([]float64{xmath.Mean(m.Threshold)}, outputs), temperature: m.Temperature}
	if m.Platt != nil {
		var of [2][]float64
		for _, sigmoid := range m.Platt {
			of[0], of[1] = append(of[0], sigmoid.A), append(of[1], sigmoid.B)
		}
		t.platt = slices.Repeat([]model.Platt{{A: xmath.Mean(of[0]), B: xmath.Mean(of[1])}}, outputs)
	}
	for k := range outputs {
		from := k
		if m.Meta.Task != "binary" {
			if from = slices.Index(m.Meta.Labels, ds.Classes.Labels[k]); from < 0 {
				continue
			}
		}
		if t.thresholds[k] = m.Threshold[from]; t.platt != nil {
			t.platt[k] = m.Platt[from]
		}
	}
	return t
}
