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

func foldsOf(t rapid.TB, ds *dataset.Dataset, rows *roaring.Bitmap, together groups, n int, seed uint64) []*roaring.Bitmap {
	t.Helper()
	folds, err := splitFolds(context.Background(), ds, rows, together, n, seed)
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
		folds := foldsOf(t, ds, rows, nil, n, seed)
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
		for k, fold := range foldsOf(t, ds, rows, nil, n, seed) {
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
	if foldsOf(t, ds, ds.All(), nil, 5, 1)[0].Equals(foldsOf(t, ds, ds.All(), nil, 5, 2)[0]) {
		t.Error("another seed gives the same folds")
	}
}

// TestFoldsOfGroups: disjoint, covering, stratified as far as the groups allow, and with each group in one fold, unless
// it has more than a fold's share of a class.
func TestFoldsOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "folds")
		mixed := rapid.Bool().Draw(t, "groups of several classes")
		var labels [][]string
		together, of := groups{}, map[string]int{}
		for len(labels) < n || rapid.IntRange(0, 9).Draw(t, "more") > 0 {
			label := rapid.SampledFrom([]string{"a", "b", "c"})
			class := label.Draw(t, "label")
			var group []uint32
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 8}).Draw(t, "documents of a group") {
				if mixed {
					class = label.Draw(t, "label")
				}
				group = append(group, uint32(len(labels)))
				labels = append(labels, []string{class})
				of[class]++
			}
			for _, doc := range group {
				together[doc] = group
			}
		}
		ds := labelled(labels)
		seed := rapid.Uint64().Draw(t, "seed")
		folds := foldsOf(t, ds, ds.All(), together, n, seed)
		union, foldOf := roaring.New(), map[uint32]int{}
		counts := make([]map[string]int, n)
		for k, fold := range folds {
			if union.Intersects(fold) {
				t.Fatalf("fold %d shares documents with those before", k)
			}
			union.Or(fold)
			counts[k] = map[string]int{}
			for _, doc := range fold.ToArray() {
				foldOf[doc] = k
				counts[k][labels[doc][0]]++
			}
		}
		if !union.Equals(ds.All()) {
			t.Fatalf("the folds hold %d of %d documents", union.GetCardinality(), ds.Documents)
		}
		largest := map[string]int{} // of a class in a group
		for _, group := range together {
			in, inFolds := map[string]int{}, map[int]bool{}
			fits := true
			for _, doc := range group {
				label := labels[doc][0]
				in[label]++
				fits = fits && in[label] <= (of[label]+n-1)/n
				largest[label] = max(largest[label], in[label])
				inFolds[foldOf[doc]] = true
			}
			if fits && len(inFolds) > 1 {
				t.Fatalf("the documents %d of one group are in %d folds", group, len(inFolds))
			}
		}
		for label, documents := range of {
			least, most := ds.Documents, 0
			for _, counts := range counts {
				least, most = min(least, counts[label]), max(most, counts[label])
			}
			if uneven := min(largest[label], (documents+n-1)/n); !mixed && most > least+uneven {
				t.Fatalf("class %s: %d to %d documents in a fold", label, least, most)
			}
		}
		for k, fold := range foldsOf(t, ds, ds.All(), together, n, seed) {
			if !fold.Equals(folds[k]) {
				t.Fatal("the same seed gives other folds")
			}
		}
	})
}
