package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// groupTexts reads texts, of two classes in turns, and lists those that have near-duplicates, by each of these.
func groupTexts(t *testing.T, texts []string) map[uint32][]uint32 {
	t.Helper()
	var in strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&in, "class%d\t%s\n", i%2, text)
	}
	ds, err := Build(t.Context(), corpus.Input{Format: corpus.TSV, Stdin: strings.NewReader(in.String())}, Options{Text: hashing.DefaultOptions(), MinDF: 1, Threads: 2})
	must.OK(t, err)
	defer ds.Close()
	d, err := ds.Division(t.Context(), 2)
	must.OK(t, err)
	groups, all := d.groupsIn(ds.All()), map[uint32][]uint32{}
	for _, group := range groups {
		slices.Sort(group)
		for _, doc := range group {
			all[doc] = group
		}
	}
	if together, divided := d.Grouped([]*roaring.Bitmap{ds.All()}); together != len(all) || divided != 0 {
		t.Errorf("%d documents are grouped, but %d are said to be, and %d divided", len(all), together, divided)
	}
	return all
}

// TestNearDuplicates: texts of the same words, and of nearly the same, are together; others, and those without words,
// are alone.
func TestNearDuplicates(t *testing.T) {
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprint("word", i))
	}
	long := strings.Join(words, " ")
	all := groupTexts(t, []string{
		"What is the capital of Italy?",
		long,
		"who wrote it",
		"WHAT IS the capital, of Italy",
		"...",
		strings.ReplaceAll(long, "word17", "another"),
		"!?",
		"who sang a song",
		strings.ReplaceAll(long, "word32", "different"),
		"what is the capital of Italy",
	})
	want := map[uint32][]uint32{}
	for _, group := range [][]uint32{{0, 3, 9}, {1, 5, 8}} {
		for _, doc := range group {
			want[doc] = group
		}
	}
	if fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("groups are %v, not %v", all, want)
	}
}

// TestNearDuplicatesByLikeness: texts are grouped as often as their common words would have it.
func TestNearDuplicatesByLikeness(t *testing.T) {
	const pairs, words = 1000, 36 // of a text
	for _, common := range []int{24, 28, 32, 34} {
		likeness := float64(common) / (2*words - float64(common))
		random := rand.New(rand.NewPCG(1, uint64(common)))
		var texts []string
		for range pairs {
			var text []string
			for range 2*words - common {
				text = append(text, fmt.Sprintf("w%x", random.Uint64()))
			}
			texts = append(texts, strings.Join(text[:words], " "), strings.Join(text[words-common:], " "))
		}
		all := groupTexts(t, texts)
		for doc, group := range all {
			if !slices.Equal(group, []uint32{doc &^ 1, doc | 1}) {
				t.Fatalf("texts of different words are in one group: %d in %d", doc, group)
			}
		}
		want := 1 - math.Pow(1-math.Pow(likeness, minFunctions), minBands)
		if got := float64(len(all)) / (2 * pairs); math.Abs(got-want) > 0.05 {
			t.Errorf("of pairs with a share of %.2f words in common, %.3f are together, not about %.3f", likeness, got, want)
		}
	}
}
