package dataset

import (
	"context"
	"math"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Texts are near-duplicates if the minima of their words' hashes agree in all functions of a band (MinHash, Broder
// 1997). So are 93 % of the pairs with nine tenths of their words in common, 43 % of those with eight, 10 % of those
// with seven, and 2 % of those with six: more of these would chain many short texts together.
const (
	minBands     = 8
	minFunctions = 12 // of a band
)

// sketch has the combined minima of each band.
type sketch [minBands]uint64

// sketcher makes sketches of texts: of their words, whatever n-grams are trained on, so that folds don't depend on
// these.
type sketcher struct {
	words   *hashing.Extractor
	secrets [minBands * minFunctions]uint64
	least   [minBands * minFunctions]uint64 // of the hashes of the text so far, each mixed with a secret
}

func newSketcher() (*sketcher, error) {
	o := hashing.DefaultOptions()
	o.Punctuation, o.Families[0].NgramHi, o.Bits = false, 1, hashing.MaxBits
	words, err := hashing.NewExtractor(o)
	s, random := &sketcher{words: words}, xmath.SplitMix(1)
	for k := range s.secrets {
		s.secrets[k] = random.Uint64()
	}
	return s, err
}

// sketch returns the sketch of a text; nil if it has no words.
func (s *sketcher) sketch(text []byte) *sketch {
	for k := range s.least {
		s.least[k] = math.MaxUint64
	}
	words := 0
	for hashes := range s.words.CountedPieces(text) { // distinct, which takes less time than so many minima of all
		words += len(hashes)
		for k := 0; k < len(s.secrets); k += 4 { // four do not wait for one another
			const odd = 0x9e3779b97f4a7c15
			secret, least := (*[4]uint64)(s.secrets[k:]), (*[4]uint64)(s.least[k:])
			a, b, c, d := least[0], least[1], least[2], least[3]
			for _, hash := range hashes {
				a = min(a, (hash^secret[0])*odd)
				b = min(b, (hash^secret[1])*odd)
				c = min(c, (hash^secret[2])*odd)
				d = min(d, (hash^secret[3])*odd)
			}
			*least = [4]uint64{a, b, c, d}
		}
	}
	if words == 0 {
		return nil
	}
	all := &sketch{}
	for k, least := range s.least {
		random := xmath.SplitMix(all[k/minFunctions] ^ least)
		all[k/minFunctions] = random.Uint64()
	}
	return all
}

// nearDuplicates returns, by document, the first one with the same words, and the first of its near-duplicates and
// theirs; nil if there are none.
func nearDuplicates(ctx context.Context, ds *Dataset, threads int) (copies, groups []uint32, err error) {
	sketchers := make([]*sketcher, threads)
	for w := range sketchers {
		if sketchers[w], err = newSketcher(); err != nil {
			return nil, nil, err
		}
	}
	sketches := make([]*sketch, ds.Documents)
	err = ds.EachText(ctx, ds.All(), threads,
		func(w, doc int, text []byte) { sketches[doc] = sketchers[w].sketch(text) })
	if err != nil {
		return nil, nil, err
	}
	// Each document leads to one before it of its group; the first one to itself.
	groups = make([]uint32, ds.Documents)
	for doc := range groups {
		groups[doc] = uint32(doc)
	}
	first := func(doc uint32) uint32 {
		for groups[doc] != doc {
			groups[doc] = groups[groups[doc]]
			doc = groups[doc]
		}
		return doc
	}
	found := false
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
			groups[max(a, b)], found = min(a, b), true
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	if !found {
		return nil, nil, nil
	}
	for doc := range groups {
		groups[doc] = first(uint32(doc))
	}
	return firsts(sketches), groups, nil
}

// equalRows returns, by document, the first one with the same row; nil if there are none. Empty rows say nothing, and
// are not the same.
func equalRows(ctx context.Context, ds *Dataset, threads int) ([]uint32, error) {
	hashes := make([]*[2]uint64, 0, ds.Documents)
	err := EachBlock(ctx, ds.Rows, threads, func(_, _ int, x *sparse.CSR) (some []*[2]uint64, _ error) {
		for i := range x.Rows {
			some = append(some, hashRow(x.Row(i)))
		}
		return some, nil
	}, func(some []*[2]uint64) error { hashes = append(hashes, some...); return nil })
	if err != nil {
		return nil, err
	}
	copies := firsts(hashes)
	for doc, first := range copies {
		if int(first) != doc {
			return copies, nil
		}
	}
	return nil, nil
}

// hashRow returns a hash of a row; nil if it is empty.
func hashRow(columns []uint32, values []float32) *[2]uint64 {
	if len(columns) == 0 {
		return nil
	}
	h := &[2]uint64{uint64(len(columns)), 1}
	mix := func(v uint64) {
		for k := range h {
			random := xmath.SplitMix(h[k] ^ v)
			h[k] = random.Uint64()
		}
	}
	for k, column := range columns {
		if mix(uint64(column)); values != nil {
			mix(uint64(math.Float32bits(values[k])))
		}
	}
	return h
}

// firsts returns, for each element, the first one that is equal; nil is equal to none.
func firsts[T comparable](all []*T) []uint32 {
	first, of := make(map[T]uint32, len(all)), make([]uint32, len(all))
	for i, v := range all {
		of[i] = uint32(i)
		if v == nil {
			continue
		}
		if before, again := first[*v]; again {
			of[i] = before
		} else {
			first[*v] = uint32(i)
		}
	}
	return of
}
