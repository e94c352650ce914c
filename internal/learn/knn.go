package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

type nearest struct{}

// link says that scores are shares of votes.
func (nearest) link(*Params, string) string { return "share" }

// fit keeps the documents whose votes count anything.
func (nearest) fit(ctx context.Context, t *trainer) ([]output, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
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

// put stores the documents, by the model's features.
func (r *nearestRule) put(m *model.Model, rowOf []uint32) error {
	t := r.t
	classes, d := t.ds.Classes, &model.Documents{K: t.Neighbours}
	none := len(classes.Labels)
	factors := make([]float64, none) // of one label each
	for class := range factors {
		if rows := t.rowsOf(class); classes.Multi {
			pro, con := t.classFactors(class, rows)
			d.Factors = append(d.Factors, pro, con)
		} else {
			factors[class] = t.classFactor(class, rows)
		}
	}
	var kept []int // rows of the matrix whose votes count
	var weights []float32
	documents := t.x.Documents.Iterator()
	for i := range t.x.Rows() {
		document, weight := documents.Next(), float32(1)
		if t.mass != nil {
			weight = float32(t.mass[i])
		}
		if !classes.Multi {
			weight = float32(float64(weight) * factors[classes.LabelsOf(int(document))[0]])
		}
		if weight > 0 {
			kept, weights, d.Numbers = append(kept, i), append(weights, weight), append(d.Numbers, document)
		}
	}
	n := len(kept)
	if n == 0 {
		return fmt.Errorf("nbsvm: model %s has no documents to compare with: all have a weight of 0", KNN)
	}
	d.Votes = model.NewSparse(n, func(entry func(row uint32, output int, number float32)) {
		for k, document := range d.Numbers {
			labels := classes.LabelsOf(int(document))
			for _, label := range labels {
				entry(uint32(k), int(label), weights[k])
			}
			if len(labels) == 0 {
				entry(uint32(k), none, weights[k])
			}
		}
	})
	var values []float64
	d.Postings = model.NewSparse(len(rowOf), func(entry func(row uint32, output int, number float32)) {
		for k, i := range kept {
			columns, _ := t.x.X.Row(i)
			values = t.unit(values[:0], i)
			for e, column := range columns {
				entry(rowOf[column], k, float32(values[e]))
			}
		}
	})
	if n == t.x.Rows() && int(d.Numbers[n-1]) == n-1 { // they are numbered from 0
		d.Numbers = nil
	}
	m.Rule = &model.Rule{Section: model.Neighbours, Documents: d}
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
