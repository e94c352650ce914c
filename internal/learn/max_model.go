package learn

import (
	"context"
	"fmt"
	"io"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// Model trains a model on a matrix. One that is larger than MaxModel is trained again on the features that matter
// most, as many as fit; whole is what it was before, and nil otherwise.
func Model(
	ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, p *Params, from *Duals,
) (m, whole *model.Model, f *Fitted, err error) {
	if f, err = Fit(ctx, ds, x, p, from); err == nil {
		m, err = f.Model()
	}
	if err != nil || p.MaxModel == 0 {
		return m, nil, f, err
	}
	most := p.mostBytes(m)
	if round, err := p.Round(m); err != nil || sizeOf(round) <= most {
		return m, nil, f, err
	}
	whole = m
	if m, err = m.Quantize(); err != nil || sizeOf(m) <= most {
		return m, whole, f, err
	}
	m, f, err = fitSmall(ctx, ds, x, p, f.ByImportance(), m, most)
	return m, whole, f, err
}

// fitSmall trains on as many of the first columns as fit into a model of this many bytes. The size of several classes'
// weights is known only after training, so it tries a few times to come close to the limit, each time by what the last
// two models, the first of which is whole, say that a column takes.
func fitSmall(
	ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, p *Params, columns []uint32, whole *model.Model,
	most int64,
) (best *model.Model, of *Fitted, err error) {
	const tries, near = 5, 0.98
	target := float64(float64(most) * (1 + near) / 2)
	before, bytesBefore := len(columns), float64(sizeOf(whole))
	n, tooMany, bytes := max(int(float64(before)*target/bytesBefore), 1), before+1, 0.0
	for try := 0; n > 0 && n < tooMany && (try < tries || best == nil); try++ {
		f, err := Fit(ctx, ds, x.Only(setOf(x, columns[:n])), p, nil)
		if err != nil {
			return nil, nil, err
		}
		m, err := f.Model()
		if err == nil {
			m, err = m.Quantize()
		}
		if err != nil {
			return nil, nil, err
		}
		size := sizeOf(m)
		if bytes = float64(size); size > most {
			tooMany = n
		} else if best, of = m, f; bytes >= near*float64(most) {
			break
		}
		column := bytes / float64(n)
		if before != n && (bytesBefore > bytes) == (before > n) {
			column = (bytesBefore - bytes) / float64(before-n)
		}
		before, bytesBefore = n, bytes
		n = min(n+int((target-bytes)/column), tooMany-1)
		if n < 1 && best == nil {
			n = min(1, tooMany-1)
		}
		if best != nil && n <= best.Keys.Size() {
			break
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("nbsvm: a model with a single n-gram takes %d bytes, and Options.MaxModel is %d: raise it",
			int64(bytes)+p.MaxModel-most, p.MaxModel)
	}
	return best, of, nil
}

// setOf marks some columns of a matrix among all.
func setOf(x *dataset.Matrix, columns []uint32) []bool {
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
	if few || m.Bits() <= roundBits || model.KeepWeights || !p.solved() {
		return m, nil
	}
	return m.Quantize()
}

// sizeOf returns the size of a model's file.
func sizeOf(m *model.Model) int64 {
	bytes, err := m.WriteTo(io.Discard)
	if err != nil {
		return 1 << 62
	}
	return bytes
}
