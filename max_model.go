package nbsvm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/stage"
)

// fitModel trains a model on a matrix. One that is larger than MaxModel is trained again on the features that matter
// most, as many as fit; whole is what it was before, and nil otherwise.
func fitModel(
	ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, o *settings, from *learn.Duals,
) (m, whole *model.Model, f *learn.Fitted, err error) {
	if f, err = learn.Fit(ctx, ds, x, o.params(ds), from); err == nil {
		m, err = stage.Get(ctx, stage.Write, func(context.Context) (*model.Model, error) { return f.Model() })
	}
	if err != nil || o.MaxModel == 0 {
		return m, nil, f, err
	}
	most, err := o.mostBytes(ds, m)
	if err != nil {
		return nil, nil, nil, err
	}
	if round, err := withRoundWeights(m, o); err != nil || sizeOf(round) <= most {
		return m, nil, f, err
	}
	whole = m
	if m, err = rounded(m); err != nil || sizeOf(m) <= most {
		return m, whole, f, err
	}
	if x.Disk != nil {
		return nil, nil, nil, errors.New("nbsvm: Options.MaxModel trains again on fewer n-grams, which needs all documents in memory, and they exceed Options.Memory: raise it, or leave out Options.MaxModel")
	}
	m, f, err = fitSmall(ctx, ds, x, o, f.ByImportance(), m, most)
	return m, whole, f, err
}

// fitSmall trains on as many of the first columns as fit into a model of this many bytes. The size of several classes'
// weights is known only after training, so it tries a few times to come close to the limit.
func fitSmall(
	ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, o *settings, columns []uint32, whole *model.Model,
	most int64,
) (best *model.Model, of *learn.Fitted, err error) {
	const tries, near = 5, 0.95
	n, err := mostFeatures(whole, x, columns, most)
	tooMany, bytes := len(columns)+1, int64(0)
	for try := 0; err == nil && n > 0 && n < tooMany && (try < tries || best == nil); try++ {
		var f *learn.Fitted
		if f, err = learn.Fit(ctx, ds, x.Only(setOf(x, columns[:n])), o.params(ds), nil); err != nil {
			break
		}
		var m *model.Model
		if m, err = f.Model(); err == nil {
			m, err = rounded(m)
		}
		if err != nil {
			break
		}
		if bytes = sizeOf(m); bytes > most {
			tooMany = n
		} else if best, of = m, f; float64(bytes) >= near*float64(most) {
			break
		}
		n = min(int(float64(n)*float64(most)/float64(bytes)*(1+near)/2), tooMany-1)
		if best != nil && n <= best.Keys.Size() {
			break
		}
	}
	if err == nil && best == nil {
		err = fmt.Errorf("nbsvm: a model with a single n-gram takes %d bytes, and Options.MaxModel is %d: raise it",
			bytes+o.MaxModel-most, o.MaxModel)
	}
	return best, of, err
}

// mostFeatures returns how many of the first columns fit into a model of this many bytes, at least 1.
func mostFeatures(m *model.Model, x *matrix.Matrix, columns []uint32, most int64) (int, error) {
	fits, tooMany := 1, len(columns)
	for tooMany-fits > 1+fits/100 {
		n := (fits + tooMany) / 2
		kept := make([]bool, m.Keys.Size())
		for _, j := range columns[:n] {
			if row, ok := m.Keys.Rank(x.Keys[j]); ok {
				kept[row] = true
			}
		}
		small, err := m.Only(func(row int) bool { return kept[row] })
		if err != nil {
			return 0, err
		}
		if sizeOf(small) <= most {
			fits = n
		} else {
			tooMany = n
		}
	}
	return fits, nil
}

// setOf marks some columns of a matrix among all.
func setOf(x *matrix.Matrix, columns []uint32) []bool {
	set := make([]bool, len(x.Keys))
	for _, j := range columns {
		set[j] = true
	}
	return set
}

// madeRoom is reserved for the part of the training report that is known only afterwards.
const madeRoom = 1024

// mostBytes returns the largest size of a model without its training report and what held-out documents add.
func (o *settings) mostBytes(ds *dataset.Dataset, m *model.Model) (int64, error) {
	made, err := json.Marshal(newReport(ds, o))
	most := o.MaxModel - int64(len(made)) - madeRoom
	if o.calibrates() && m.Platt == nil {
		most -= int64(unsafe.Sizeof(model.Platt{})) * int64(m.Outputs)
	}
	return most, err
}

// shrinking measures on held-out documents what MaxModel costs. It returns nil if there is no limit, or if a model of
// the other documents is not above it.
func shrinking(ctx context.Context, ds *dataset.Dataset, o *settings) (*Shrinking, error) {
	if o.MaxModel == 0 || ds.Documents < holdOutFolds {
		return nil, nil
	}
	quiet := *o
	quiet.Progress, quiet.Valid = nil, nil
	parts, err := ds.Division(ctx, o.threads())
	if err != nil {
		return nil, err
	}
	held, err := parts.Held(ctx, ds.All(), holdOutFolds, o.Seed)
	if err != nil {
		return nil, err
	}
	rest, err := ds.Sample(ctx, roaring.AndNot(ds.All(), held), tuneFrom, o.Seed)
	if err != nil {
		return nil, err
	}
	if held, err = ds.Sample(ctx, held, tuneOn, o.Seed); err != nil {
		return nil, err
	}
	x, err := layOut(ctx, ds, rest, &quiet)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	small, whole, _, err := fitModel(ctx, ds, x, &quiet, nil)
	if err != nil || whole == nil {
		return nil, err
	}
	before, err := (&Classifier{score.New(whole)}).microF1(ctx, ds, held, parts.Weight, o.threads())
	if err != nil {
		return nil, err
	}
	after, err := (&Classifier{score.New(small)}).microF1(ctx, ds, held, parts.Weight, o.threads())
	if err != nil {
		return nil, err
	}
	// Where documents have one label, micro F1 is the accuracy.
	return &Shrinking{Documents: int(held.GetCardinality()), Before: before, After: after}, nil
}

// nameWithin names features of a model, as many as there are bytes left of MaxModel.
func nameWithin(
	ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, m *model.Model, o *settings,
) ([]model.Name, error) {
	if o.MaxModel == 0 {
		return nameFeatures(ctx, ds, x, m, o)
	}
	most, err := o.mostBytes(ds, m)
	if err != nil {
		return nil, err
	}
	const nameBytes = 48 // of an n-gram with its numbers; most have less
	few := *o
	few.NamesLimit = max(0, min(o.NamesLimit, int((most-sizeOf(m))/nameBytes)))
	names, err := nameFeatures(ctx, ds, x, m, &few)
	named := *m
	if named.Names = names; sizeOf(&named) > most {
		names = nil
	}
	return names, err
}

// roundBits are the bits of a weight of text or with many outputs: rounding to them changes predictions less than other
// documents would, and sums of them are exact.
const roundBits = 8

// fewFeatures are those of a model that is so small that rounding saves nothing: the numbers that bytes stand for take
// a kilobyte.
const fewFeatures = 1000

// withRoundWeights returns a model with weights that are rounded, unless they already are. Those of ready-made or few
// features are kept as the solver found them, unless outputs are many.
func withRoundWeights(m *model.Model, o *settings) (*model.Model, error) {
	few := m.Outputs < learn.ManyOutputs && (m.Meta.Source != "text" || m.Keys.Size() < fewFeatures)
	if few || m.Bits() <= roundBits || model.KeepWeights || !o.Kind.Solved() {
		return m, nil
	}
	return rounded(m)
}

// rounded returns a model with weights of few bits.
func rounded(m *model.Model) (*model.Model, error) { return m.Round() }

// sizeOf returns the size of a model's file.
func sizeOf(m *model.Model) int64 {
	bytes, err := m.WriteTo(io.Discard)
	if err != nil {
		return 1 << 62
	}
	return bytes
}
