package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// groupTexts reads texts, of two classes in turns, and groups their near-duplicates.
func groupTexts(t *testing.T, texts []string) groups {
	t.Helper()
	var in strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&in, "class%d\t%s\n", i%2, text)
	}
	ds, _, err := Prepare(t.Context(), corpus.Input{Format: corpus.TSV, Stdin: strings.NewReader(in.String())}, DefaultOptions(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	all, err := nearDuplicates(t.Context(), ds, 2)
	if err != nil {
		t.Fatal(err)
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
	want := groups{}
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

// TestFoldsOfTexts: no two folds have the same text, whatever the case and the seed.
func TestFoldsOfTexts(t *testing.T) {
	var in strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	const documents, texts = 300, 60
	text := func(doc int) int { return doc % texts }
	for doc := range documents {
		word := fmt.Sprintf("word%d common", text(doc))
		if random.IntN(2) == 0 {
			word = strings.ToUpper(word) + "!"
		}
		fmt.Fprintf(&in, "class%d\t%s\n", random.IntN(2), word)
	}
	for seed := range uint64(5) {
		o := DefaultOptions()
		o.Seed = seed
		f, err := OpenFolds(t.Context(), corpus.Input{Format: corpus.TSV, Stdin: strings.NewReader(in.String())}, o, 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		foldOf := map[int]int{}
		for k, fold := range f.tests {
			if n := fold.GetCardinality(); n < documents/4-10 || n > documents/4+10 {
				t.Errorf("fold %d has %d of %d documents", k, n, documents)
			}
			for _, doc := range fold.ToArray() {
				if other, met := foldOf[text(int(doc))]; met && other != k {
					t.Fatalf("seed %d: text %d is in folds %d and %d", seed, text(int(doc)), other, k)
				}
				foldOf[text(int(doc))] = k
			}
		}
	}
}
