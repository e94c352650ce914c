package model

import (
	"errors"
	"fmt"
	"slices"
)

// Only returns the model with some of its features, by their rows. The others are unknown to it, and so are those
// without a weight.
func (m *Model) Only(wanted func(row int) bool) (*Model, error) {
	switch {
	case m.Rule != nil:
		return nil, fmt.Errorf("model: section %s has no weights to drop", m.Rule.Section)
	case slices.ContainsFunc(m.Base, func(b float64) bool { return b != 0 }):
		return nil, errors.New("model: each feature has a base weight for an output, as in naive Bayes, so that none can be dropped")
	}
	var rows []uint32
	var keys []uint64
	weights := 0
	for row, key := range m.Keys.All() {
		if !wanted(row) {
			continue
		}
		before := weights
		m.eachWeight(row, func(int, float32) { weights++ })
		if weights > before {
			rows, keys = append(rows, uint32(row)), append(keys, key)
		}
	}
	some := *m
	some.Meta.StoredGap = nil
	set, _, err := NewKeySet(m.Universe, keys)
	if err != nil {
		return nil, err
	}
	some.Keys = *set
	some.setWeights(m.Bits(), weights, func(entry func(row uint32, output int, w float32)) {
		for to, from := range rows {
			m.eachWeight(int(from), func(output int, w float32) { entry(uint32(to), output, w) })
		}
	})
	if some.Dense != nil {
		some.Dense = sameKind(m.weights(), some.Dense)
	} else {
		some.Sparse.Value = sameKind(m.weights(), some.Sparse.Value)
	}
	some.keepRows(m, rows)
	return &some, nil
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

// keepRows takes over what m has of some rows besides their weights.
func (some *Model) keepRows(m *Model, rows []uint32) {
	if m.IDF != nil {
		some.IDF = gather(m.IDF, rows)
	}
	if m.Ratio != nil {
		ratio := make(Float32s, len(rows))
		for to, from := range rows {
			ratio[to] = m.Ratio.At(int(from))
		}
		some.Ratio = sameKind(m.Ratio, ratio)
	}
	some.Names = nil
	for _, name := range m.Names {
		if row, kept := slices.BinarySearch(rows, name.Row); kept {
			some.Names = append(some.Names, Name{uint32(row), name.Text})
		}
	}
}

func gather[T any](of []T, rows []uint32) []T {
	picked := make([]T, 0, len(rows))
	for _, row := range rows {
		picked = append(picked, of[row])
	}
	return picked
}
