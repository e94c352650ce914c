package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// holdOutFolds is the number of folds from which thresholds and probabilities
// are learned.
const holdOutFolds = 5

// tuneFrom and tuneOn are how many documents, at most, a classifier is trained on and then predicts that is only to
// measure something on held-out documents.
const (
	tuneFrom = 1 << 17
	tuneOn   = 20_000
)

// mostMargins is how many margins a temperature is fitted to, at most.
const mostMargins = 1 << 25

// tuning holds what is learned from the margins of held-out documents.
type tuning struct {
	thresholds  []float64
	platt       []model.Platt
	temperature float64
}

// pool learns one threshold and one sigmoid for all classes in a tree, because most of them have few documents. It
// learns from the log odds of the classes found for held-out documents.
func (t *tuning) pool(
	ctx context.Context, c *score.Classifier, ds *dataset.Dataset, parts *dataset.Division, documents *roaring.Bitmap,
	o *settings,
) error {
	found, missed := learn.NewMargins(1), 0.0 // and the weight of labels that documents carry, and that are not found
	err := score.PredictRows(ctx, c, ds, documents, o.threads(), func(doc int, p *score.Prediction) {
		missed += float64(parts.Weight(doc) * float64(len(ds.Classes.LabelsOf(doc))))
		for k, p := range p.Scores {
			if p == 0 {
				continue
			}
			carried := ds.Classes.Sets[k].Contains(uint32(doc))
			found.Add(parts, doc, 1, []float64{paths.LogOdds(p)}, func(int) bool { return carried })
			if carried {
				missed -= parts.Weight(doc)
			}
		}
	})
	if err != nil {
		return err
	}
	n := c.Model().Outputs
	t.thresholds = slices.Repeat(learn.MicroF1Thresholds(found, missed), n)
	if o.calibrates() {
		t.platt = slices.Repeat(learn.FitPlatt(found), n)
	}
	return nil
}

// fill puts thresholds and probabilities into a model; nil changes nothing.
func (t *tuning) fill(m *model.Model) {
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

// holdOut trains on all folds but one, in turn, until there is enough to learn from the margins of the
// held-out documents: thresholds where documents have any number of labels, and probabilities where they are asked for.
// It returns kept, what is known without, where none is due.
func holdOut(
	ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, o *settings, kept *tuning,
) (*tuning, error) {
	if kept != nil {
		return kept, nil
	}
	calibrate := o.calibrates()
	few := int(rows.GetCardinality()) < holdOutFolds
	switch {
	case calibrate && few:
		return nil, fmt.Errorf("nbsvm: calibration needs at least %d documents, got %d: give more, or leave out Options.Calibrate", holdOutFolds, rows.GetCardinality())
	case few, !ds.Classes.Multi && !calibrate:
		return nil, nil
	}
	quiet := *o
	quiet.Progress, quiet.Valid = nil, nil
	var held *learn.Margins
	var factors []float64
	t := &tuning{}
	pooled := ds.Classes.Multi && o.Tree == AlwaysTree // of which one training will do
	parts, err := ds.Division(ctx, o.threads())
	if err != nil {
		return nil, err
	}
	var folds []*roaring.Bitmap
	if pooled {
		folds = make([]*roaring.Bitmap, 1)
		folds[0], err = parts.Held(ctx, rows, holdOutFolds, o.Seed)
	} else {
		folds, err = parts.Folds(ctx, rows, holdOutFolds, o.Seed)
	}
	if err != nil {
		return nil, err
	}
	for k, fold := range folds {
		rest := roaring.AndNot(rows, fold)
		if pooled {
			if rest, err = ds.Sample(ctx, rest, tuneFrom, o.Seed); err != nil {
				return nil, err
			}
		}
		c, err := trainRows(ctx, ds, rest, &quiet)
		if err != nil {
			return nil, err
		}
		if pooled {
			if fold, err = ds.Sample(ctx, fold, tuneOn, o.Seed); err != nil {
				return nil, err
			}
			return t, t.pool(ctx, c, ds, parts, fold, o)
		}
		// What is to be turned into probabilities, and for which label each of it speaks.
		of, labelOf, n := func(margins []float64) []float64 { return margins }, c.Model().OutputClass, c.Model().Outputs
		if c.Tree() != nil { // the labels are the nodes at which paths end
			of, labelOf, n = c.PathScores(), func(k int) int { return k }, len(ds.Classes.Labels)
		}
		if held == nil {
			held, factors = learn.NewMargins(n), o.classFactors(ds, parts, rows)
			if ds.Classes.Multi {
				held.Positive = factors
			}
		}
		if !ds.Classes.Multi && n > 1 {
			if fold, err = ds.Sample(ctx, fold, max(learn.EnoughDocuments, mostMargins/n), o.Seed); err != nil {
				return nil, err
			}
		}
		err = score.PredictRows(ctx, c, ds, fold, o.threads(), func(doc int, p *score.Prediction) {
			factor := 1.0
			if !ds.Classes.Multi {
				factor = factors[ds.Classes.LabelsOf(doc)[0]]
			}
			held.Add(parts, doc, factor, of(p.Margins),
				func(i int) bool { return ds.Classes.Sets[labelOf(i)].Contains(uint32(doc)) })
		})
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(corpus.Progress{Stage: "hold out", Done: int64(k + 1), Total: holdOutFolds, Unit: "folds"})
		}
		if !ds.Classes.Multi && held.Enough() {
			break
		}
	}
	if ds.Classes.Multi {
		t.thresholds = learn.MicroF1Thresholds(held, 0)
	}
	switch {
	case calibrate && held.Outputs() > 1 && !ds.Classes.Multi:
		t.temperature = learn.FitTemperature(held)
	case calibrate:
		t.platt = learn.FitPlatt(held)
	}
	return t, nil
}

// classFactors returns the factor of each class by which class weights multiply the weights of documents. As in
// logistic regression, probabilities are those of the weighted documents. Thresholds of several labels ignore the
// factors.
func (o *settings) classFactors(ds *dataset.Dataset, parts *dataset.Division, rows *roaring.Bitmap) []float64 {
	factors := slices.Repeat([]float64{1}, len(ds.Classes.Labels))
	if !o.Kind.takes("class-weight") {
		return factors
	}
	mass := func(documents *roaring.Bitmap) (sum float64) {
		for it := documents.Iterator(); it.HasNext(); {
			sum += parts.Weight(int(it.Next()))
		}
		return sum
	}
	all, present := mass(rows), 0.0
	for k, label := range ds.Classes.Labels {
		if f, ok := o.ClassWeight.Weights[label]; ok {
			factors[k] = f
		} else if o.ClassWeight.Balanced {
			if inside := mass(roaring.And(ds.Classes.Sets[k], rows)); inside > 0 {
				factors[k], present = all/inside, present+1
			}
		}
	}
	for k := range factors {
		if o.ClassWeight.Balanced {
			factors[k] /= max(present, 1)
		}
	}
	return factors
}

// trainRows trains on the documents in rows; no names, no thresholds.
func trainRows(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, o *settings) (*score.Classifier, error) {
	d, err := layOut(ctx, ds, rows, o)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return trainOn(ctx, ds, d, o, nil)
}

// trainOn trains on a matrix; no names, no thresholds.
func trainOn(
	ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, o *settings, from *learn.Duals,
) (*score.Classifier, error) {
	m, _, _, err := fitModel(ctx, ds, d, o, from)
	if err != nil {
		return nil, err
	}
	return score.New(m), nil
}
