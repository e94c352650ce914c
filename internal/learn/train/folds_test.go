package train

import (
	"context"
	"fmt"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// labelled is a dataset of labels alone.
func labelled(labels [][]string) *dataset.Dataset {
	ds := &dataset.Dataset{Classes: dataset.NewClasses()}
	for _, of := range labels {
		var raw [][]byte
		for _, label := range of {
			raw = append(raw, []byte(label))
		}
		if err := ds.Classes.Add(raw); err != nil {
			panic(err)
		}
		ds.Documents++
	}
	ds.Classes.Sort()
	return ds
}

func foldsOf(t rapid.TB, ds *dataset.Dataset, rows *roaring.Bitmap, n int, seed uint64) []*roaring.Bitmap {
	t.Helper()
	folds, err := splitFolds(context.Background(), ds, rows, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return folds
}

// TestFolds: stratified, disjoint, covering, and of equal sizes as far as that goes.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "folds")
		var labels [][]string
		for range rapid.IntRange(n, 60).Draw(t, "documents") {
			labels = append(labels, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(t, "labels"))
		}
		ds := labelled(labels)
		rows := ds.All()
		if skip := rapid.IntRange(1, 4).Draw(t, "skip"); skip > 1 {
			for doc := 0; doc < ds.Documents; doc += skip {
				rows.Remove(uint32(doc))
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		folds := foldsOf(t, ds, rows, n, seed)
		union := roaring.New()
		smallest, largest := uint64(1<<62), uint64(0)
		perStratum := make([]map[string]int, n)
		strata := map[string]bool{}
		for k, fold := range folds {
			if union.Intersects(fold) {
				t.Fatalf("fold %d shares documents with those before", k)
			}
			union.Or(fold)
			smallest, largest = min(smallest, fold.GetCardinality()), max(largest, fold.GetCardinality())
			perStratum[k] = map[string]int{}
			for it := fold.Iterator(); it.HasNext(); {
				key := fmt.Sprint(ds.Classes.LabelsOf(int(it.Next())))
				perStratum[k][key]++
				strata[key] = true
			}
		}
		if !union.Equals(rows) {
			t.Fatalf("the folds hold %d of %d documents", union.GetCardinality(), rows.GetCardinality())
		}
		if largest > smallest+1 {
			t.Fatalf("folds of %d to %d documents", smallest, largest)
		}
		for key := range strata {
			least, most := ds.Documents, 0
			for _, counts := range perStratum {
				least, most = min(least, counts[key]), max(most, counts[key])
			}
			if most > least+1 {
				t.Fatalf("stratum %s: %d to %d documents in a fold", key, least, most)
			}
		}
		for k, fold := range foldsOf(t, ds, rows, n, seed) {
			if !fold.Equals(folds[k]) {
				t.Fatal("the same seed gives other folds")
			}
		}
	})
}

// TestFoldsDependOnSeed, or they would not be random.
func TestFoldsDependOnSeed(t *testing.T) {
	var labels [][]string
	for i := range 100 {
		labels = append(labels, []string{fmt.Sprint("label", i%2)})
	}
	ds := labelled(labels)
	if foldsOf(t, ds, ds.All(), 5, 1)[0].Equals(foldsOf(t, ds, ds.All(), 5, 2)[0]) {
		t.Error("another seed gives the same folds")
	}
}
