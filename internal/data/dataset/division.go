package dataset

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Division divides documents into those that are trained on and those that are held out, and says what each document
// counts. It alone does, so that no copy of a document is ever on both sides, and a document of weight k is the same as
// k copies of it.
type Division struct {
	ds     *Dataset
	copies []uint32 // by document, the first one that says the same; nil if all differ
	groups []uint32 // by document, the first of its near-duplicates; nil if there are none
}

// duplicates are found once for a dataset and all views of it, when they are first needed.
type duplicates struct {
	mutex          sync.Mutex
	found          bool
	copies, groups []uint32
}

// Division returns the division of the documents. The first call takes time: it compares all documents, by their texts
// or, where none are kept, by their rows. It must come before rows are given up.
func (d *Dataset) Division(ctx context.Context, threads int) (*Division, error) {
	same := d.duplicates
	same.mutex.Lock()
	defer same.mutex.Unlock()
	if !same.found {
		var err error
		if d.HasTexts() {
			same.copies, same.groups, err = nearDuplicates(ctx, d, threads)
		} else {
			same.copies, err = equalRows(ctx, d, threads)
			same.groups = same.copies
		}
		if err != nil {
			return nil, err
		}
		same.found = true
	}
	return &Division{d, same.copies, same.groups}, nil
}

// Plain returns the division without groups: of two copies, one may be trained on and the other one held out.
func (d *Dataset) Plain() *Division { return &Division{ds: d} }

// Copy returns the first document that says the same.
func (d *Division) Copy(document int) int {
	if d.copies == nil {
		return document
	}
	return int(d.copies[document])
}

// Weight returns what a document counts.
func (d *Division) Weight(document int) float64 {
	if d.ds.Weights == nil {
		return 1
	}
	return float64(d.ds.Weights[document])
}

// Grouped returns the number of documents that have near-duplicates, all in the same fold, and of those that have some
// in other folds.
func (d *Division) Grouped(folds []*roaring.Bitmap) (together, divided int) {
	for _, group := range d.groupsIn(roaring.FastOr(folds...)) {
		fold := slices.IndexFunc(folds, func(f *roaring.Bitmap) bool { return f.Contains(group[0]) })
		if roaring.BitmapOf(group...).AndCardinality(folds[fold]) == uint64(len(group)) {
			together += len(group)
		} else {
			divided += len(group)
		}
	}
	return together, divided
}

// Folds divides the documents in rows into n folds. Each has its share of every class, or of every combination of
// labels, by weight. The groups of each class, shuffled by the seed, are dealt out, large ones first: to the fold with
// the least of the class, and of these to the smallest. Without groups, each class starts where the last one stopped. A
// group that has more than a fold's share of a class is cut, but not between copies. Only if fewer documents differ
// than there are folds, so that a fold would be empty, copies are divided, too.
func (d *Division) Folds(ctx context.Context, rows *roaring.Bitmap, n int, seed uint64) ([]*roaring.Bitmap, error) {
	for _, by := range []*Division{d, {d.ds, d.copies, d.copies}} {
		folds, err := by.deal(ctx, rows, n, seed)
		if err != nil || d.groups == nil || !slices.ContainsFunc(folds, (*roaring.Bitmap).IsEmpty) {
			return folds, err
		}
	}
	return d.ds.Plain().deal(ctx, rows, n, seed)
}

// deal divides documents into folds, some of which may be empty.
func (d *Division) deal(ctx context.Context, rows *roaring.Bitmap, n int, seed uint64) ([]*roaring.Bitmap, error) {
	s, err := newStrata(ctx, d, rows)
	if err != nil {
		return nil, err
	}
	groups := d.groupsIn(rows)
	folds, dealt, random := d.newFolds(n, len(s.documents)), roaring.New(), xmath.SplitMix(seed)
	var weightless [][]uint32 // groups, which are dealt last and so change nothing for others
	for class, docs := range s.documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var counted [][]uint32 // groups with weight
		for i, doc := range docs {
			group := docs[i : i+1]
			if d.groups != nil {
				if more := groups[d.groups[doc]]; more != nil {
					group = more
					if !dealt.CheckedAdd(d.groups[doc]) {
						continue
					}
				}
			}
			if d.total(group) > 0 {
				counted = append(counted, group)
			} else {
				weightless = append(weightless, group)
			}
		}
		xmath.Shuffle(&random, counted)
		var parts [][]uint32
		for _, group := range counted {
			parts = append(parts, s.cut(group, n)...)
		}
		slices.SortStableFunc(parts, func(a, b []uint32) int { return cmp.Compare(d.total(b), d.total(a)) })
		for _, part := range parts {
			folds.add(part, s.of)
		}
		folds.weights[class] = nil // which all folds of all classes would be much of
	}
	for _, group := range weightless {
		folds.add(group, s.of)
	}
	return folds.documents, nil
}

// Held returns one in n of the documents in rows to hold out: the first fold of about that size. A fold with a group
// that is larger has fewer documents that differ.
func (d *Division) Held(ctx context.Context, rows *roaring.Bitmap, n int, seed uint64) (*roaring.Bitmap, error) {
	folds, err := d.Folds(ctx, rows, n, seed)
	if err != nil {
		return nil, err
	}
	weights, all := make([]float64, n), 0.0
	for k, fold := range folds {
		weights[k] = d.total(fold.ToArray())
		all += weights[k]
	}
	share := all / float64(n)
	best, off := 0, math.Inf(1)
	for k, weight := range weights {
		if by := max(math.Abs(weight-share), share/10); by < off {
			best, off = k, by
		}
	}
	return folds[best], nil
}

// Sample returns at most so many of the documents in rows, each class in its share, chosen by the seed.
func (d *Dataset) Sample(ctx context.Context, rows *roaring.Bitmap, most int, seed uint64) (*roaring.Bitmap, error) {
	n := rows.GetCardinality()
	if n <= uint64(most) {
		return rows, nil
	}
	s, err := newStrata(ctx, d.Plain(), rows)
	if err != nil {
		return nil, err
	}
	sample, before, random := roaring.New(), uint64(0), xmath.SplitMix(seed)
	for _, docs := range s.documents {
		xmath.Shuffle(&random, docs)
		end := before + uint64(len(docs))
		sample.AddMany(docs[:end*uint64(most)/n-before*uint64(most)/n])
		before = end
	}
	return sample, nil
}

// total returns the weight of some documents.
func (d *Division) total(docs []uint32) (sum float64) {
	if d.ds.Weights == nil {
		return float64(len(docs))
	}
	for _, doc := range docs {
		sum += float64(d.ds.Weights[doc])
	}
	return sum
}

// groupsIn lists the documents of each group that has several in rows, copies side by side.
func (d *Division) groupsIn(rows *roaring.Bitmap) map[uint32][]uint32 {
	groups := map[uint32][]uint32{}
	if d.groups == nil {
		return groups
	}
	shared := roaring.New()
	for doc, first := range d.groups {
		if int(first) != doc {
			shared.Add(first)
		}
	}
	for it := rows.Iterator(); it.HasNext(); {
		if doc := it.Next(); shared.Contains(d.groups[doc]) {
			groups[d.groups[doc]] = append(groups[d.groups[doc]], doc)
		}
	}
	for first, group := range groups {
		if len(group) == 1 {
			delete(groups, first)
			continue
		}
		slices.SortStableFunc(group, func(a, b uint32) int { return cmp.Compare(d.copies[a], d.copies[b]) })
	}
	return groups
}

// foldsSoFar are folds that documents are dealt out to.
type foldsSoFar struct {
	d         *Division
	documents []*roaring.Bitmap
	sizes     []float64
	counts    []int       // of documents
	weights   [][]float64 // by class and fold; nil for a class that has none
}

func (d *Division) newFolds(n, classes int) *foldsSoFar {
	f := &foldsSoFar{
		d: d, documents: make([]*roaring.Bitmap, n), sizes: make([]float64, n), counts: make([]int, n),
		weights: make([][]float64, classes),
	}
	for k := range f.documents {
		f.documents[k] = roaring.New()
	}
	return f
}

// add adds documents to the fold that has the least weight of their classes, which keeps the sum of the squares of
// these small, and of such folds to the smallest. Documents without weight go to the fold with the fewest documents.
func (f *foldsSoFar) add(docs []uint32, classes []int32) {
	alike := make([]float64, len(f.sizes)) // products of weights, of documents of one class, one new, one of the fold
	for _, doc := range docs {
		class := classes[doc]
		if f.weights[class] == nil {
			f.weights[class] = make([]float64, len(f.sizes))
		}
		weight := f.d.Weight(int(doc))
		for k, w := range f.weights[class] {
			alike[k] += float64(weight * w)
		}
	}
	to, total := 0, f.d.total(docs)
	for k := range f.sizes {
		smaller := cmp.Compare(f.sizes[k], f.sizes[to])
		if total == 0 {
			smaller = cmp.Compare(f.counts[k], f.counts[to])
		}
		if cmp.Or(cmp.Compare(alike[k], alike[to]), smaller) < 0 {
			to = k
		}
	}
	f.documents[to].AddMany(docs)
	f.sizes[to] += total
	f.counts[to] += len(docs)
	for _, doc := range docs {
		f.weights[classes[doc]][to] += f.d.Weight(int(doc))
	}
}

// strata are documents by their labels, or by the ranges of their numbers.
type strata struct {
	d         *Division
	documents [][]uint32
	weights   []float64
	of        []int32 // by document
}

// newStrata lists documents with weight first, so that the others do not change the order of classes.
func newStrata(ctx context.Context, d *Division, rows *roaring.Bitmap) (*strata, error) {
	if err := d.ds.Classes.List(ctx); err != nil {
		return nil, err
	}
	s, numbers := &strata{d: d, of: make([]int32, d.ds.Documents)}, map[string]int32{}
	var labels []byte
	var bins []int32
	if d.ds.Classes.Numbers != nil {
		bins = d.ds.Classes.bins()
	}
	list := func(doc uint32) {
		labels = labels[:0]
		of := d.ds.Classes.LabelsOf(int(doc))
		if bins != nil {
			of = bins[doc : doc+1]
		}
		for _, k := range of {
			labels = binary.LittleEndian.AppendUint32(labels, uint32(k))
		}
		k, known := numbers[string(labels)]
		if !known {
			k = int32(len(numbers))
			numbers[string(labels)], s.documents, s.weights = k, append(s.documents, nil), append(s.weights, 0)
		}
		s.documents[k], s.of[doc] = append(s.documents[k], doc), k
		s.weights[k] += d.Weight(int(doc))
	}
	var weightless []uint32
	for it := rows.Iterator(); it.HasNext(); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		doc := it.Next()
		if d.Weight(int(doc)) == 0 {
			weightless = append(weightless, doc)
			continue
		}
		list(doc)
	}
	for _, doc := range weightless {
		list(doc)
	}
	return s, nil
}

// cut cuts a group into parts that have no more of a class than one of n folds should, but leaves copies together.
func (s *strata) cut(group []uint32, n int) (parts [][]uint32) {
	if len(group) == 1 {
		return [][]uint32{group}
	}
	first, weights := 0, map[int32]float64{}
	for i := 0; i < len(group); {
		end := i + 1
		for end < len(group) && s.d.copies[group[end]] == s.d.copies[group[i]] {
			end++
		}
		tooMuch := false
		for _, doc := range group[i:end] {
			class := s.of[doc]
			weights[class] += s.d.Weight(int(doc))
			tooMuch = tooMuch || weights[class] > math.Ceil(s.weights[class]/float64(n))
		}
		if tooMuch && i > first {
			parts, first = append(parts, group[first:i]), i
			clear(weights)
			for _, doc := range group[i:end] {
				weights[s.of[doc]] += s.d.Weight(int(doc))
			}
		}
		i = end
	}
	return append(parts, group[first:])
}
