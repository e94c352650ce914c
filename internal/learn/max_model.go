package learn

import (
	"context"
	"fmt"
	"io"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Model trains a model on a matrix. One that is larger than MaxModel is trained again on the features that matter
// most, as many as fit; whole is what it was before, and nil otherwise.
func Model(
	ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, p *Params, from *Duals,
) (m, whole *model.Model, f *Fitted, err error) {
	if f, err = Fit(ctx, ds, x, p, from); err == nil {
		m, err = par.StageResult(ctx, par.StageWrite, func(context.Context) (*model.Model, error) { return f.Model() })
	}
	if err != nil || p.MaxModel == 0 {
		return m, nil, f, err
	}
	most := p.mostBytes(m)
	if round, err := p.Round(m); err != nil || sizeOf(round) <= most {
		return m, nil, f, err
	}
	whole = m
	if m, err = m.Round(); err != nil || sizeOf(m) <= most {
		return m, whole, f, err
	}
	m, f, err = fitSmall(ctx, ds, x, p, f.ByImportance(), m, most)
	return m, whole, f, err
}

// fitSmall trains on as many of the first columns as fit into a model of this many bytes. The size of several classes'
// weights is known only after training, so it tries a few times to come close to the limit.
func fitSmall(
	ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, p *Params, columns []uint32, whole *model.Model,
	most int64,
) (best *model.Model, of *Fitted, err error) {
	const tries, near = 5, 0.95
	n, err := mostThatFit(whole, x, columns, most)
	tooMany, bytes := len(columns)+1, int64(0)
	for try := 0; err == nil && n > 0 && n < tooMany && (try < tries || best == nil); try++ {
		var f *Fitted
		if f, err = Fit(ctx, ds, x.Only(setOf(x, columns[:n])), p, nil); err != nil {
			break
		}
		var m *model.Model
		if m, err = f.Model(); err == nil {
			m, err = m.Round()
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
			bytes+p.MaxModel-most, p.MaxModel)
	}
	return best, of, err
}

// mostThatFit returns how many of the first columns fit into a model of this many bytes, at least 1.
func mostThatFit(m *model.Model, x *matrix.Matrix, columns []uint32, most int64) (int, error) {
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
func (p *Params) mostBytes(m *model.Model) int64 {
	most := p.MaxModel - int64(p.Reserved) - madeRoom
	if p.Calibrate && m.Platt == nil {
		most -= int64(unsafe.Sizeof(model.Platt{})) * int64(m.Outputs)
	}
	return most
}

// roundBits are the bits of a weight of text or with many outputs: rounding to them changes predictions less than other
// documents would, and sums of them are exact.
const roundBits = 8

// fewFeatures are those of a model that is so small that rounding saves nothing: the numbers that bytes stand for take
// a kilobyte.
const fewFeatures = 1000

// Round returns a model with weights that are rounded, unless they already are. Those of ready-made or few
// features are kept as the solver found them, unless outputs are many.
func (p *Params) Round(m *model.Model) (*model.Model, error) {
	few := m.Outputs < ManyOutputs && (m.Meta.Source != "text" || m.Keys.Size() < fewFeatures)
	if few || m.Bits() <= roundBits || model.KeepWeights || Losses(p.Learner) == nil {
		return m, nil
	}
	return m.Round()
}

// sizeOf returns the size of a model's file.
func sizeOf(m *model.Model) int64 {
	bytes, err := m.WriteTo(io.Discard)
	if err != nil {
		return 1 << 62
	}
	return bytes
}
