package nbsvm

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// packedNames finds n-grams in a packed corpus, whose columns have names.
type packedNames struct {
	ds      *dataset
	o       *Options
	columns map[uint32]uint64 // hashes of the n-grams in wanted buckets that count
}

func (s *packedNames) sight(ctx context.Context, wanted *idset.Set, documents *roaring.Bitmap) (map[uint64]sighting, error) {
	c := s.ds.packed
	if err := s.choose(wanted); err != nil {
		return nil, err
	}
	var blocks []int // that have one of the documents
	for b := range c.Blocks() {
		if first, end, _ := c.BlockRange(b); documents.IntersectsWithInterval(first, end) {
			blocks = append(blocks, b)
		}
	}
	type sight struct {
		hash     uint64
		document int
	}
	rows := make([]sparse.CSR, s.o.threads())
	all := map[uint64]sighting{}
	return all, ordered.Map(ctx, len(rows), len(blocks), func(w, i int) (seen []sight, err error) {
		m := &rows[w]
		if err := c.Block(blocks[i], m); err != nil {
			return nil, err
		}
		first, _, _ := c.BlockRange(blocks[i])
		for r := range m.Rows {
			document := int(first) + r
			if !documents.Contains(uint32(document)) {
				continue
			}
			columns, _ := m.Row(r)
			for _, j := range columns {
				if hash, ok := s.columns[j]; ok {
					seen = append(seen, sight{hash, document})
				}
			}
		}
		return seen, ctx.Err()
	}, func(seen []sight) error {
		for _, x := range seen { // documents come in order
			t, ok := all[x.hash]
			if !ok {
				t.first = x.document
			}
			t.documents++
			all[x.hash] = t
		}
		return nil
	})
}

// choose finds the columns of wanted buckets that count.
func (s *packedNames) choose(wanted *idset.Set) error {
	c := s.ds.packed
	minDF, maxDF := s.o.documentFrequencies(uint64(s.ds.docs))
	s.columns = map[uint32]uint64{}
	return c.EachColumn(func(j uint32, key, frequency uint64) {
		if frequency < uint64(minDF) || frequency > uint64(maxDF) {
			return
		}
		if _, ok := wanted.Rank(hashing.Bucket(key, s.o.Text.Bits)); ok {
			s.columns[j] = key
		}
	})
}

func (s *packedNames) spell(best map[uint32]uint64, _ map[uint64]sighting) (map[uint64]string, error) {
	wanted := make(map[uint64]bool, len(best))
	for _, hash := range best {
		wanted[hash] = true
	}
	texts := make(map[uint64]string, len(best))
	err := s.ds.packed.EachName(func(j uint32, name []byte) {
		if hash, ok := s.columns[j]; ok && wanted[hash] {
			texts[hash] = string(name)
		}
	})
	return texts, err
}
