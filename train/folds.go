package train

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// splitFolds splits the documents in rows into stratified folds: the documents of
// each class, shuffled by the seed, are dealt out in turn, each class starting
// where the last one stopped, so that folds differ in size by at most one.
func splitFolds(ds *dataset.Dataset, rows *roaring.Bitmap, n int, seed uint64) []*roaring.Bitmap {
	strata := map[string][]uint32{}
	var keys []string
	for it := rows.Iterator(); it.HasNext(); {
		doc := it.Next()
		key := fmt.Sprint(ds.Classes.LabelsOf(int(doc)))
		if strata[key] == nil {
			keys = append(keys, key)
		}
		strata[key] = append(strata[key], doc)
	}
	folds := make([]*roaring.Bitmap, n)
	for i := range folds {
		folds[i] = roaring.New()
	}
	next, random := 0, splitmix.Source(seed)
	for _, key := range keys {
		docs := strata[key]
		splitmix.Shuffle(&random, docs)
		for _, doc := range docs {
			folds[next].Add(doc)
			next = (next + 1) % n
		}
	}
	return folds
}
