package nbsvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

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
		f, err := openFolds(t.Context(), corpus.Input{Format: corpus.TSV, Stdin: strings.NewReader(in.String())}, o, 4, nil)
		must.OK(t, err)
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
