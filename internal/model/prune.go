package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Pruning says what dropping the smallest weights has left of a model.
type Pruning struct {
	Weights   int     `json:"weights"`   // that are not 0, before
	Kept      int     `json:"kept"`      // of these
	Features  int     `json:"features"`  // before
	Left      int     `json:"left"`      // of these: they have a weight, for at least one output
	Threshold float64 `json:"threshold"` // weights of a smaller magnitude were dropped
	Share     float64 `json:"share"`     // of weights, that was asked for
	Loss      float64 `json:"loss"`      // that was measured at this share; 0 where none was
}

// Prune gives the model with a share of its weights, above 0 and at most 1: those of the largest magnitude over all
// outputs (Babbar and Schölkopf 2017, "DiSMEC", section 2.3), and all that are as large as the smallest of them. A
// feature that has no weight left is unknown to it, as those are that training has never seen.
func (m *Model) Prune(keep float64) (*Model, Pruning, error) {
	if !(keep > 0) || keep > 1 {
		return nil, Pruning{}, fmt.Errorf("model: the share of weights to keep must be above 0 and at most 1, got %v", keep)
	}
	if err := m.prunable(); err != nil {
		return nil, Pruning{}, err
	}
	p := Pruning{Features: m.IDs.Size, Share: keep}
	p.Threshold = float64(m.threshold(keep, &p))
	pruned, err := m.some(func(_ int, w float32) bool { return math.Abs(float64(w)) >= p.Threshold }, &p)
	return pruned, p, err
}

// Only gives the model with some of its features, by their rows. The others are unknown to it, and so are those without a
// weight.
func (m *Model) Only(kept func(row int) bool) (*Model, error) {
	if err := m.prunable(); err != nil {
		return nil, err
	}
	return m.some(func(row int, _ float32) bool { return kept(row) }, new(Pruning))
}

// prunable refuses a model that needs all it has.
func (m *Model) prunable() error {
	switch {
	case m.Rule != nil:
		return fmt.Errorf("model: section %s has no weights to drop", m.Rule.Section)
	case slices.ContainsFunc(m.Base, func(b float64) bool { return b != 0 }):
		return errors.New("model: each feature has a base weight for an output, as in naive Bayes, so that none can be dropped")
	}
	return nil
}

// some gives the model with some of its weights, and with the features that have one. It counts them.
func (m *Model) some(wanted func(row int, w float32) bool, p *Pruning) (*Model, error) {
	kept := func(row int, visit func(output int, w float32)) {
		m.eachWeight(row, func(output int, w float32) {
			if wanted(row, w) {
				visit(output, w)
			}
		})
	}
	var rows, ids []uint32
	for row, id := range m.IDs.All() {
		before := p.Kept
		kept(row, func(int, float32) { p.Kept++ })
		if p.Kept > before {
			rows, ids = append(rows, uint32(row)), append(ids, id)
		}
	}
	p.Left = len(rows)
	pruned := *m
	pruned.Meta.StoredGap = nil
	var err error
	if pruned.IDs, err = NewSet(m.Universe, ids); err != nil {
		return nil, err
	}
	pruned.setWeights(m.Bits(), p.Kept, func(entry func(row uint32, output int, w float32)) {
		for to, from := range rows {
			kept(int(from), func(output int, w float32) { entry(uint32(to), output, w) })
		}
	})
	if pruned.Dense != nil {
		pruned.Dense = sameKind(m.weights(), pruned.Dense)
	} else {
		pruned.Sparse.Value = sameKind(m.weights(), pruned.Sparse.Value)
	}
	pruned.keepRows(m, rows)
	return &pruned, nil
}

// eachWeight visits the weights of a row that are not 0.
func (m *Model) eachWeight(row int, visit func(output int, w float32)) {
	if m.Dense != nil {
		for k := range m.Outputs {
			if w := m.Dense.At(row*m.Outputs + k); w != 0 {
				visit(k, w)
			}
		}
		return
	}
	for output, w := range m.Sparse.All(row) {
		if w != 0 {
			visit(output, w)
		}
	}
}

// threshold counts the weights, and finds the magnitude of the smallest of those to keep. The bits of magnitudes are in
// their order: one pass finds the upper half of its bits, another one the lower half.
func (m *Model) threshold(keep float64, p *Pruning) float32 {
	const half = 16
	var counts [1 << half]int
	count := func(of func(magnitude uint32) (place uint32, ok bool)) {
		clear(counts[:])
		for row := range m.IDs.Size {
			m.eachWeight(row, func(_ int, w float32) {
				if place, ok := of(math.Float32bits(w) &^ (1 << 31)); ok {
					counts[place]++
				}
			})
		}
	}
	// find gives the place from which on there are so many, and how many of these are still wanted there.
	find := func(wanted int) (place uint32, left int) {
		for i := len(counts) - 1; ; i-- {
			if counts[i] >= wanted || i == 0 {
				return uint32(i), wanted
			}
			wanted -= counts[i]
		}
	}
	count(func(magnitude uint32) (uint32, bool) { return magnitude >> half, true })
	for _, n := range counts {
		p.Weights += n
	}
	if p.Weights == 0 {
		return 0
	}
	upper, wanted := find(int(math.Ceil(keep * float64(p.Weights))))
	count(func(magnitude uint32) (uint32, bool) { return magnitude & (1<<half - 1), magnitude>>half == upper })
	lower, _ := find(wanted)
	return math.Float32frombits(upper<<half | lower)
}

// keepRows takes over what m has of some rows besides their weights.
func (pruned *Model) keepRows(m *Model, rows []uint32) {
	if m.Tags != nil {
		pruned.Tags = gather(m.Tags, rows)
	}
	if m.IDF != nil {
		pruned.IDF = gather(m.IDF, rows)
	}
	if m.Ratio != nil {
		ratio, room := make(Float32s, 0, len(rows)*m.Outputs), make([]float32, m.Outputs)
		for _, row := range rows {
			ratio = append(ratio, m.Ratio.Range(room, int(row)*m.Outputs, (int(row)+1)*m.Outputs)...)
		}
		pruned.Ratio = sameKind(m.Ratio, ratio)
	}
	if m.Norm != nil {
		pruned.Norm = sameKind(m.Norm, Float32s(m.Norm.Gather(nil, rows)))
	}
	if r := m.SparseRatio; r != nil {
		pairs := newSparse(len(rows), r.Pairs.Value.bits(), r.Pairs.visit(rows))
		pairs.Value = sameKind(r.Pairs.Value, pairs.Value)
		pruned.SparseRatio = &SparseRatio{
			Row: sameKind(r.Row, Float32s(r.Row.Gather(nil, rows))), Output: r.Output, Pairs: *pairs,
		}
	}
	pruned.Names = slices.DeleteFunc(slices.Clone(m.Names), func(n Name) bool {
		_, known := pruned.IDs.Rank(n.ID)
		return !known
	})
}

func gather[T any](of []T, rows []uint32) []T {
	some := make([]T, 0, len(rows))
	for _, row := range rows {
		some = append(some, of[row])
	}
	return some
}
