package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

type nearest struct{}

// link says that scores are shares of votes.
func (nearest) link(*Params, string) string { return "share" }

// fit keeps the documents whose votes count anything.
func (nearest) fit(ctx context.Context, t *trainer) ([]output, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := len(t.ds.Classes.Labels); n > score.MaxNeighbourLabels {
		return nil, fmt.Errorf("nbsvm: model %s allows at most %d labels, got %d: use another model",
			t.Kind, score.MaxNeighbourLabels, n)
	}
	if err := t.ds.Classes.List(ctx); err != nil {
		return nil, err
	}
	t.rule = &nearestRule{t: t}
	return make([]output, t.ds.Classes.Outputs()), nil
}

// nearestRule stores the documents of a matrix.
type nearestRule struct{ t *trainer }

// needs says that documents are compared by all columns.
func (*nearestRule) needs() []bool { return nil }

// put stores the documents, each a row of the model's features.
func (r *nearestRule) put(m *model.Model, rowOf []uint32) error {
	t := r.t
	s := &score.NeighbourSet{
		K: t.Neighbours, Features: len(rowOf), Labels: len(t.ds.Classes.Labels), Starts: []uint64{0},
	}
	factors := make([]float64, s.Labels) // of one label each
	for class := range factors {
		factors[class] = t.classFactor(class, t.rowsOf(class))
	}
	if t.ds.Classes.Multi {
		s.LabelEnd = []uint32{0}
		for class := range s.Labels {
			pro, con := t.classFactors(class, t.rowsOf(class))
			s.Factors = append(s.Factors, pro, con)
		}
	}
	var values []float64
	var entries []uint64 // row of the model, value
	documents := t.x.Documents.Iterator()
	for i := range t.x.Rows() {
		document := documents.Next()
		labels := t.ds.Classes.LabelsOf(int(document))
		weight := float32(1)
		if t.mass != nil {
			weight = float32(t.mass[i])
		}
		if !t.ds.Classes.Multi {
			weight = float32(float64(weight) * factors[labels[0]])
		}
		if weight == 0 {
			continue
		}
		columns, _ := t.x.X.Row(i)
		values = t.unit(values[:0], i)
		entries = entries[:0]
		for e, j := range columns {
			entries = append(entries, uint64(rowOf[j])<<32|uint64(math.Float32bits(float32(values[e]))))
		}
		slices.Sort(entries)
		for _, e := range entries {
			s.Columns, s.Values = append(s.Columns, uint32(e>>32)), append(s.Values, math.Float32frombits(uint32(e)))
		}
		s.Starts = append(s.Starts, uint64(len(s.Columns)))
		s.Weights, s.Numbers = append(s.Weights, weight), append(s.Numbers, document)
		for _, k := range labels {
			s.Of = append(s.Of, uint16(k))
		}
		if t.ds.Classes.Multi {
			s.LabelEnd = append(s.LabelEnd, uint32(len(s.Of)))
		}
	}
	n := s.Documents()
	switch {
	case n == 0:
		return fmt.Errorf("nbsvm: model %s has no documents to compare with: all have a weight of 0", KNN)
	case n == t.x.Rows() && int(s.Numbers[n-1]) == n-1: // they are numbered from 0
		s.Numbers = nil
	}
	if !slices.ContainsFunc(s.Weights, func(w float32) bool { return w != 1 }) {
		s.Weights = nil
	}
	data, err := s.Encode()
	if err != nil {
		return fmt.Errorf("nbsvm: model %s: %w", KNN, err)
	}
	m.Rule = &model.Rule{Section: model.Neighbours, Data: data}
	return nil
}

// unit appends the values of a row's entries, of unit length.
func (t *trainer) unit(dst []float64, i int) []float64 {
	columns, values := t.x.X.Row(i)
	var square float64
	for e, j := range columns {
		v := 1.0
		if values != nil {
			v = float64(values[e])
		}
		if t.x.IDF != nil {
			v = float64(v * float64(t.x.IDF[j]))
		}
		dst = append(dst, v)
		square += float64(v * v)
	}
	if length := math.Sqrt(square); length > 0 {
		for e := range dst {
			dst[e] /= length
		}
	}
	return dst
}
