package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/neighbours"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// How quickly BM25 is satisfied with occurrences, and how much of a document's length it makes up for.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

type nearest struct{}

func (nearest) values(o *Options) (values Values, sublinear bool) {
	if o.Similarity == BM25 {
		return Count, false
	}
	return TFIDF, true
}

func (nearest) orders() (lo, hi int) { return 1, 1 }

// link says that scores are shares of votes.
func (nearest) link(*Options, string) string { return "share" }

func (nearest) check(o *Options) error {
	switch {
	case o.Similarity != Cosine && o.Similarity != BM25:
		return fmt.Errorf("nbsvm: unknown Options.Similarity %q: use %s or %s", o.Similarity, Cosine, BM25)
	case o.Similarity == BM25 && o.Values == TFIDF:
		return errors.New("nbsvm: similarity bm25 has an inverse document frequency of its own: take values count, not tfidf")
	case o.Similarity == BM25 && o.Prenormalize:
		return errors.New("nbsvm: similarity bm25 corrects for the length of documents itself: leave prenormalize off")
	}
	return nil
}

// fit keeps the documents whose votes count anything.
func (nearest) fit(ctx context.Context, t *trainer) ([]output, error) {
	if err := t.inMemory(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := len(t.ds.Classes.Labels); n > neighbours.MaxLabels {
		return nil, fmt.Errorf("nbsvm: model %s takes at most %d labels, and there are %d: take another model", KNN, neighbours.MaxLabels, n)
	}
	if t.o.Similarity == BM25 {
		if err := t.checkNonNegative(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.ds.Classes.List(ctx); err != nil {
		return nil, err
	}
	t.rule = &nearestRule{t: t}
	return make([]output, outputsOf(t.ds)), nil
}

// nearestRule is the documents of a matrix.
type nearestRule struct{ t *trainer }

// needs says that documents are compared by all columns.
func (*nearestRule) needs() []bool { return nil }

// put stores the documents, each a row of the model's features.
func (r *nearestRule) put(m *model.Model, rowOf []uint32) error {
	t := r.t
	s := &neighbours.Set{
		K: t.o.Neighbours, Cosine: t.o.Similarity == Cosine,
		Features: len(rowOf), Labels: len(t.ds.Classes.Labels), Starts: []uint64{0},
	}
	weigh := t.cosine
	if t.o.Similarity == BM25 {
		weigh = t.bm25()
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
		values = weigh(values[:0], i)
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

// values appends the values of a row's entries.
func (t *trainer) values(dst []float64, i int) []float64 {
	columns, values := t.x.X.Row(i)
	if values == nil {
		return append(dst, slices.Repeat([]float64{1}, len(columns))...)
	}
	for _, v := range values {
		dst = append(dst, float64(v))
	}
	return dst
}

// cosine appends the values of a row's entries, of unit length.
func (t *trainer) cosine(dst []float64, i int) []float64 {
	columns, _ := t.x.X.Row(i)
	dst = t.values(dst, i)
	var square float64
	for e, j := range columns {
		if t.x.IDF != nil {
			dst[e] = float64(dst[e] * float64(t.x.IDF[j]))
		}
		square += float64(dst[e] * dst[e])
	}
	if length := math.Sqrt(square); length > 0 {
		for e := range dst {
			dst[e] /= length
		}
	}
	return dst
}

// bm25 gives what appends the weights of a row's entries: Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", Foundations and Trends in Information Retrieval 2009, equation 3.15, with an inverse
// document frequency that is never negative, log(1 + (N − n + 1/2)/(n + 1/2)).
func (t *trainer) bm25() func(dst []float64, i int) []float64 {
	n := t.x.Rows()
	lengths, all := make([]float64, n), 0.0
	var values []float64
	for i := range n {
		values = t.values(values[:0], i)
		lengths[i] = bayes.Total(values)
		all += lengths[i]
	}
	mean := max(all, math.SmallestNonzeroFloat64) / float64(n)
	idf := make([]float64, len(t.x.Keys))
	for j, df := range t.x.Frequencies {
		idf[j] = xmath.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
	}
	return func(dst []float64, i int) []float64 {
		columns, _ := t.x.X.Row(i)
		dst = t.values(dst, i)
		normal := float64(bm25K1 * (1 - bm25B + float64(bm25B*lengths[i]/mean)))
		for e, j := range columns {
			dst[e] = float64(idf[j]*float64(dst[e]*(bm25K1+1))) / (dst[e] + normal)
		}
		return dst
	}
}
