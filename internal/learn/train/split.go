package train

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// groups has the documents that belong together, by each of them. A document that belongs to no other need not be there.
type groups map[uint32][]uint32

// splitFolds splits the documents in rows into stratified folds. The documents of each class, shuffled by the seed, are
// dealt out, large groups first: to the fold with the fewest of the class, and of these to the smallest. Without groups
// (nil), each class starts where the last one stopped. A group that has more than a fold's share of a class is cut.
func splitFolds(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap, together groups, n int, seed uint64) ([]*roaring.Bitmap, error) {
	s, err := newStrata(ctx, ds, rows)
	if err != nil {
		return nil, err
	}
	folds, dealt, random := newFolds(n, len(s.documents)), roaring.New(), splitmix.Source(seed)
	for class, docs := range s.documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		splitmix.Shuffle(&random, docs)
		var parts [][]uint32
		for i, doc := range docs {
			if group := together[doc]; group == nil {
				parts = append(parts, docs[i:i+1])
			} else if dealt.CheckedAdd(group[0]) {
				parts = append(parts, s.cut(group, n)...)
			}
		}
		slices.SortStableFunc(parts, func(a, b []uint32) int { return cmp.Compare(len(b), len(a)) })
		for _, part := range parts {
			folds.add(part, s.of)
		}
		folds.counts[class] = nil // which all folds of all classes would be much of
	}
	return folds.documents, nil
}

// foldsSoFar are folds that documents are dealt out to.
type foldsSoFar struct {
	documents []*roaring.Bitmap
	sizes     []int
	counts    [][]int // of documents, by class and fold; nil for a class that has none
}

func newFolds(n, classes int) *foldsSoFar {
	f := &foldsSoFar{documents: make([]*roaring.Bitmap, n), sizes: make([]int, n), counts: make([][]int, classes)}
	for k := range f.documents {
		f.documents[k] = roaring.New()
	}
	return f
}

// add adds documents to the fold that has the fewest of their classes, which keeps the sum of the squares of the counts
// small, and of such folds to the smallest.
func (f *foldsSoFar) add(docs []uint32, classes []int32) {
	alike := make([]int, len(f.sizes)) // pairs of documents of one class, one new, one of the fold
	for _, doc := range docs {
		class := classes[doc]
		if f.counts[class] == nil {
			f.counts[class] = make([]int, len(f.sizes))
		}
		for k, n := range f.counts[class] {
			alike[k] += n
		}
	}
	to := 0
	for k := range f.sizes {
		if cmp.Or(cmp.Compare(alike[k], alike[to]), cmp.Compare(f.sizes[k], f.sizes[to])) < 0 {
			to = k
		}
	}
	f.documents[to].AddMany(docs)
	f.sizes[to] += len(docs)
	for _, doc := range docs {
		f.counts[classes[doc]][to]++
	}
}

// strata are documents by their labels.
type strata struct {
	documents [][]uint32
	of        []int32 // by document
}

func newStrata(ctx context.Context, ds *dataset.Dataset, rows *roaring.Bitmap) (*strata, error) {
	if err := ds.Classes.List(ctx); err != nil {
		return nil, err
	}
	s, numbers := &strata{of: make([]int32, ds.Documents)}, map[string]int32{}
	for it := rows.Iterator(); it.HasNext(); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		doc := it.Next()
		var labels []byte
		for _, k := range ds.Classes.LabelsOf(int(doc)) {
			labels = binary.LittleEndian.AppendUint32(labels, uint32(k))
		}
		k, known := numbers[string(labels)]
		if !known {
			k = int32(len(numbers))
			numbers[string(labels)], s.documents = k, append(s.documents, nil)
		}
		s.documents[k], s.of[doc] = append(s.documents[k], doc), k
	}
	return s, nil
}

// cut cuts a group into parts that have no more documents of a class than one of n folds should.
func (s *strata) cut(group []uint32, n int) (parts [][]uint32) {
	first, counts := 0, map[int32]int{}
	for i, doc := range group {
		class := s.of[doc]
		if counts[class]++; counts[class] > (len(s.documents[class])+n-1)/n {
			parts = append(parts, group[first:i])
			first, counts = i, map[int32]int{class: 1}
		}
	}
	return append(parts, group[first:])
}
