package nbsvm

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// manyOutputs is from how many outputs on small weights are dropped.
const manyOutputs = 20

// leastShare is the least weight that is kept of an output, as a share of the root mean square of its weights. Of
// sets of 20 to 306 classes, cross-validated accuracy is within .03 points of that of all weights, and .2 loses up to
// .13; models are half as large (docs/explanation/quantization.md).
const leastShare = 0.1

// roundBits are the bits of a weight of text or with many outputs: rounding to them changes predictions less than other
// documents would, and sums of them are exact.
const roundBits = 8

// fewFeatures are those of a model that is so small that rounding saves nothing: the numbers that bytes stand for take
// a kilobyte.
const fewFeatures = 1000

// withRoundWeights returns a model with weights that are rounded, unless they already are. Those of ready-made or few
// features are kept as the solver found them, unless outputs are many.
func withRoundWeights(m *model.Model, o *settings) (*model.Model, error) {
	few := m.Outputs < manyOutputs && (m.Meta.Source != "text" || m.Keys.Size() < fewFeatures)
	if few || m.Bits() <= roundBits || model.KeepWeights || !o.Kind.Solved() {
		return m, nil
	}
	return rounded(m)
}

// rounded returns a model with weights of few bits.
func rounded(m *model.Model) (*model.Model, error) { return m.Round() }

// withoutSmall drops the weights below leastShare of their root mean square. With many outputs, most weights are small:
// noise, for which one against the rest has no use. DiSMEC (Babbar and Schölkopf 2017) drops those below 0.01.
func (out output) withoutSmall() output {
	if model.KeepWeights {
		return out
	}
	var squares float64
	for _, w := range out.values {
		squares += float64(float64(w) * float64(w))
	}
	least := leastShare * math.Sqrt(squares/float64(max(len(out.values), 1)))
	kept := part{columns: []uint32{}}
	out.each(func(j uint32, w float32) {
		if math.Abs(float64(w)) >= least {
			kept.columns, kept.values = append(kept.columns, j), append(kept.values, w)
		}
	})
	out.part = kept
	return out
}
