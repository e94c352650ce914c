package train

import (
	"context"
	"maps"
	"math"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// Texts are near-duplicates if the minima of their words' hashes agree in all functions of a band (MinHash, Broder
// 1997). So are 93 % of the pairs with nine tenths of their words in common, 43 % of those with eight, 10 % of those with
// seven, and 2 % of those with six: more of these would chain many short texts together.
const (
	minBands     = 8
	minFunctions = 12 // of a band
)

// sketch has the combined minima of each band.
type sketch [minBands]uint64

// sketcher makes sketches of texts: of their words, whatever n-grams are trained on, so that folds don't depend on these.
type sketcher struct {
	words   *hashing.Extractor
	hashes  []uint64
	secrets [minBands * minFunctions]uint64
}

func newSketcher() (*sketcher, error) {
	o := hashing.DefaultOptions()
	o.Punctuation, o.NgramHi = false, 1
	words, err := hashing.NewExtractor(o)
	s, random := &sketcher{words: words}, splitmix.Source(1)
	for k := range s.secrets {
		s.secrets[k] = random.Uint64()
	}
	return s, err
}

// sketch returns the sketch of a text; nil if it has no words.
func (s *sketcher) sketch(text []byte) *sketch {
	if s.hashes = s.words.AppendOnce(s.hashes[:0], text); len(s.hashes) == 0 {
		return nil
	}
	const odd = 0x9e3779b97f4a7c15
	all := &sketch{}
	for k, secret := range s.secrets {
		least := uint64(math.MaxUint64)
		for _, hash := range s.hashes {
			least = min(least, (hash^secret)*odd)
		}
		random := splitmix.Source(all[k/minFunctions] ^ least)
		all[k/minFunctions] = random.Uint64()
	}
	return all
}

// nearDuplicates groups near-duplicates, and theirs. There are none if there are no texts.
func nearDuplicates(ctx context.Context, ds *dataset.Dataset, threads int) (groups, error) {
	if !ds.HasTexts() {
		return nil, nil
	}
	sketchers := make([]*sketcher, threads)
	for w := range sketchers {
		var err error
		if sketchers[w], err = newSketcher(); err != nil {
			return nil, err
		}
	}
	sketches := make([]*sketch, ds.Documents)
	err := ds.EachText(ctx, ds.All(), threads, func(w, doc int, text []byte) { sketches[doc] = sketchers[w].sketch(text) })
	if err != nil {
		return nil, err
	}
	// Each document leads to one before it of its group; the first one to itself.
	before := make([]uint32, ds.Documents)
	for doc := range before {
		before[doc] = uint32(doc)
	}
	first := func(doc uint32) uint32 {
		for before[doc] != doc {
			before[doc] = before[before[doc]]
			doc = before[doc]
		}
		return doc
	}
	for band := range minBands {
		seen := make(map[uint64]uint32, ds.Documents)
		for doc, s := range sketches {
			if s == nil {
				continue
			}
			other, again := seen[s[band]]
			if !again {
				seen[s[band]] = uint32(doc)
				continue
			}
			a, b := first(uint32(doc)), first(other)
			before[max(a, b)] = min(a, b)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	together := groups{}
	for doc := range before {
		if f := first(uint32(doc)); f != uint32(doc) {
			if together[f] == nil {
				together[f] = []uint32{f}
			}
			together[f] = append(together[f], uint32(doc))
		}
	}
	for _, group := range maps.Clone(together) {
		for _, doc := range group {
			together[doc] = group
		}
	}
	return together, nil
}
