package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// labelled is a dataset of labels alone.
func labelled(labels [][]string) *Dataset {
	ds := &Dataset{Classes: NewClasses(), duplicates: &duplicates{found: true}}
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

func foldsOf(t rapid.TB, ds *Dataset, rows *roaring.Bitmap, n int, seed uint64) []*roaring.Bitmap {
	t.Helper()
	d, err := ds.Division(context.Background(), 1)
	must.OK(t, err)
	folds, err := d.Folds(context.Background(), rows, n, seed)
	must.OK(t, err)
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

// TestFoldsOfGroups: folds are disjoint, cover all documents, and are stratified by weight as far as groups allow. Each
// group is in one fold, unless it has more than a fold's share of a class; copies always are.
func TestFoldsOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "folds")
		mixed := rapid.Bool().Draw(t, "groups of several classes")
		weighted := rapid.Bool().Draw(t, "weights")
		var labels [][]string
		var groups, copies []uint32
		var weights []float32
		of := map[string]float64{}
		for len(labels) < n || rapid.IntRange(0, 9).Draw(t, "more") > 0 {
			label := rapid.SampledFrom([]string{"a", "b", "c"})
			class, first := label.Draw(t, "label"), uint32(len(labels))
			for k := range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 8}).Draw(t, "documents of a group") {
				if mixed {
					class = label.Draw(t, "label")
				}
				doc := uint32(len(labels))
				groups, copies = append(groups, first), append(copies, doc)
				if k > 0 && rapid.Bool().Draw(t, "copy") {
					copies[doc] = copies[doc-1]
				}
				weight := float32(1)
				if weighted {
					weight = float32(rapid.IntRange(0, 3).Draw(t, "weight"))
				}
				labels, weights = append(labels, []string{class}), append(weights, weight)
				of[class] += float64(weight)
			}
		}
		ds := labelled(labels)
		ds.duplicates = &duplicates{found: true, groups: groups, copies: copies}
		if weighted {
			ds.Weights = weights
		}
		rows := ds.All()
		for doc := range labels {
			if doc > n && rapid.IntRange(0, 9).Draw(t, "left out") == 0 {
				rows.Remove(uint32(doc))
				of[labels[doc][0]] -= float64(weights[doc])
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		folds := foldsOf(t, ds, rows, n, seed)
		division := &Division{ds, copies, groups}
		dealt, err := division.deal(t.Context(), rows, n, seed)
		must.OK(t, err)
		for doc, first := range copies {
			if got := division.Copy(doc); got != int(first) {
				t.Fatalf("document %d says the same as %d, want %d", doc, got, first)
			}
		}
		union, foldOf := roaring.New(), map[uint32]int{}
		counts := make([]map[string]float64, n)
		for k, fold := range folds {
			if union.Intersects(fold) {
				t.Fatalf("fold %d shares documents with those before", k)
			}
			union.Or(fold)
			counts[k] = map[string]float64{}
			for _, doc := range fold.ToArray() {
				foldOf[doc] = k
				counts[k][labels[doc][0]] += float64(weights[doc])
			}
		}
		if !union.Equals(rows) {
			t.Fatalf("the folds hold %d of %d documents", union.GetCardinality(), rows.GetCardinality())
		}
		largest, inGroup, cuttable := map[string]float64{}, map[uint32]map[string]float64{}, map[uint32]bool{}
		for _, doc := range rows.ToArray() {
			g, label := groups[doc], labels[doc][0]
			if inGroup[g] == nil {
				inGroup[g] = map[string]float64{}
			}
			inGroup[g][label] += float64(weights[doc])
			largest[label] = max(largest[label], inGroup[g][label])
			cuttable[g] = cuttable[g] || inGroup[g][label] > math.Ceil(of[label]/float64(n))
		}
		different := map[uint32]bool{}
		for _, doc := range rows.ToArray() {
			different[copies[doc]] = true
		}
		divisible := len(different) < n // nothing else is left to do
		emptied := slices.ContainsFunc(dealt, (*roaring.Bitmap).IsEmpty)
		for _, a := range rows.ToArray() {
			for _, b := range rows.ToArray() {
				if foldOf[a] == foldOf[b] || groups[a] != groups[b] {
					continue
				}
				if copies[a] == copies[b] && !divisible {
					t.Fatalf("the copies %d and %d are in two folds", a, b)
				}
				if !cuttable[groups[a]] && !emptied {
					t.Fatalf("the documents %d and %d of one group are in two folds", a, b)
				}
			}
		}
		for label, documents := range of {
			least, most := documents, 0.0
			for _, counts := range counts {
				least, most = min(least, counts[label]), max(most, counts[label])
			}
			if !mixed && !emptied && most > least+largest[label] {
				t.Fatalf("class %s: a weight of %v to %v in a fold", label, least, most)
			}
		}
		for k, fold := range foldsOf(t, ds, rows, n, seed) {
			if !fold.Equals(folds[k]) {
				t.Fatal("the same seed gives other folds")
			}
		}
	})
}

// TestFoldsOfWeights: a document of weight k is in the fold in which k copies of it are, and is held out with them.
func TestFoldsOfWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "folds")
		var once, often [][]string
		var weights []float32
		var copies []uint32
		for doc := range rapid.IntRange(n, 40).Draw(t, "documents") {
			label := []string{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")}
			k := rapid.IntRange(0, 4).Draw(t, "weight")
			if doc < n {
				k++ // else copies are divided
			}
			once, weights = append(once, label), append(weights, float32(k))
			first := uint32(len(often))
			for range k {
				often, copies = append(often, label), append(copies, first)
			}
		}
		weighted, written := labelled(once), labelled(often)
		weighted.Weights = weights
		written.duplicates = &duplicates{found: true, groups: copies, copies: copies}
		seed := rapid.Uint64().Draw(t, "seed")
		want, got := foldsOf(t, written, written.All(), n, seed), foldsOf(t, weighted, weighted.All(), n, seed)
		for k := range got {
			var documents []uint32
			for doc, first := 0, uint32(0); doc < len(once); doc++ {
				if weights[doc] > 0 && want[k].Contains(first) {
					documents = append(documents, uint32(doc))
				}
				first += uint32(weights[doc])
			}
			for _, doc := range got[k].ToArray() {
				if weights[doc] == 0 {
					got[k].Remove(doc)
				}
			}
			if !slices.Equal(got[k].ToArray(), documents) {
				t.Fatalf("fold %d has the documents %d, not %d", k, got[k].ToArray(), documents)
			}
		}
	})
}

// TestHeld: a fold that is mostly one group's is not held out.
func TestHeld(t *testing.T) {
	var labels [][]string
	var copies []uint32
	for doc := range 1000 {
		labels, copies = append(labels, []string{fmt.Sprint(doc % 2)}), append(copies, uint32(doc))
		if doc%2 == 0 && doc < 700 {
			copies[doc] = 0
		}
	}
	ds := labelled(labels)
	ds.duplicates = &duplicates{found: true, groups: copies, copies: copies}
	d, err := ds.Division(t.Context(), 1)
	must.OK(t, err)
	held, err := d.Held(t.Context(), ds.All(), 5, 1)
	must.OK(t, err)
	if n := held.GetCardinality(); held.Contains(0) || n < 120 || n > 200 {
		t.Errorf("%d documents are held out", n)
	}
}

// TestSample: as many documents as are wanted, and each class in its share, whatever their order.
func TestSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var labels [][]string
		of := map[string]int{}
		for range rapid.IntRange(1, 200).Draw(t, "documents") {
			label := rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "label")
			labels = append(labels, []string{label})
			of[label]++
		}
		ds := labelled(labels)
		n, most := len(labels), rapid.IntRange(1, 250).Draw(t, "most")
		some, err := ds.Sample(t.Context(), ds.All(), most, rapid.Uint64().Draw(t, "seed"))
		must.OK(t, err)
		if got := int(some.GetCardinality()); got != min(n, most) || !roaring.AndNot(some, ds.All()).IsEmpty() {
			t.Fatalf("%d of %d documents, want %d", got, n, min(n, most))
		}
		got := map[string]int{}
		for _, doc := range some.ToArray() {
			got[labels[doc][0]]++
		}
		for label, all := range of {
			if want := float64(all) * float64(min(n, most)) / float64(n); math.Abs(float64(got[label])-want) > 1 {
				t.Fatalf("%d of the class %s, want about %v", got[label], label, want)
			}
		}
	})
}
