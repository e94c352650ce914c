package train

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/bits-and-blooms/bloom/v3"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/score"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// sighting is what is known of an n-gram whose name is wanted.
type sighting struct {
	documents int
	first     int // document
}

// witnesses are how many documents are asked for the n-grams of a bucket that several
// share.
const witnesses = 32

// nameFeatures finds names for the strongest features of every output, by looking
// again at the first documents that have them. A bucket that several
// n-grams share gets the name of the one that most of these have. The design must be of
// all documents.
func nameFeatures(ctx context.Context, ds *dataset.Dataset, d *matrix.Matrix, m *model.Model, o *Options) ([]model.Name, error) {
	if ds.Ready() || o.NamesLimit == 0 || !ds.Named() && !ds.HasTexts() {
		return nil, nil
	}
	wanted := idset.New(m.Universe)
	for _, row := range strongestRows(m, o.NamesLimit) {
		wanted.Add(row)
	}
	wanted.Index()
	shared := func(id uint32) bool {
		row, _ := m.IDs.Rank(id)
		return m.Tags[row] == 0
	}
	witnesses, err := findWitnesses(ctx, d, wanted, shared)
	if err != nil {
		return nil, err
	}
	columns, err := wantedColumns(ds, wanted, o)
	if err != nil {
		return nil, err
	}
	sightings, err := sight(ctx, ds, columns, witnesses, o)
	if err != nil {
		return nil, err
	}

	best := map[uint32]uint64{} // by bucket
	for h, s := range sightings {
		bucket := hashing.Bucket(h, o.Text.Bits)
		rival, taken := best[bucket]
		if r := sightings[rival]; !taken || s.documents > r.documents || s.documents == r.documents && h < rival {
			best[bucket] = h
		}
	}
	texts, err := spell(ctx, ds, columns, best, sightings, o)
	if err != nil {
		return nil, err
	}
	names := make([]model.Name, 0, len(best))
	for bucket, h := range best {
		names = append(names, model.Name{ID: bucket, Shared: shared(bucket), Text: texts[h]})
	}
	slices.SortFunc(names, func(a, b model.Name) int { return cmp.Compare(a.ID, b.ID) })
	return names, nil
}

// strongestRows lists the ids of the features that speak most strongly for any
// output, at most about limit of them.
func strongestRows(m *model.Model, limit int) []uint32 {
	each := max(1, limit/max(2, m.Outputs))
	var ids []uint32
	for _, top := range score.Strongest(m, each, func(uint32) bool { return true }) {
		for _, f := range top {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// findWitnesses are the first document that has a wanted id, and the first several that
// have a shared one.
func findWitnesses(ctx context.Context, d *matrix.Matrix, wanted *idset.Set, shared func(id uint32) bool) (*roaring.Bitmap, error) {
	missing := make([]uint8, len(d.IDs))
	for j, id := range d.IDs {
		if _, ok := wanted.Rank(id); !ok {
			continue
		}
		missing[j] = 1
		if shared(id) {
			missing[j] = witnesses
		}
	}
	documents := roaring.New()
	err := d.Each(ctx, func(first int, x *sparse.CSR) error {
		for i := range x.Rows {
			idx, _ := x.Row(i)
			for _, j := range idx {
				if missing[j] > 0 {
					missing[j]--
					documents.Add(uint32(first + i))
				}
			}
		}
		return nil
	})
	return documents, err
}

// sight counts which of some documents have n-grams, which are given by their columns. Where there are
// texts, these are asked: rows may be gone.
func sight(ctx context.Context, ds *dataset.Dataset, columns map[uint32]uint64, documents *roaring.Bitmap, o *Options) (map[uint64]sighting, error) {
	all := map[uint64]sighting{}
	see := func(hash uint64, document int) { // documents come in order
		s, ok := all[hash]
		if !ok {
			s.first = document
		}
		s.documents++
		all[hash] = s
	}
	if !ds.HasTexts() {
		return all, ds.EachRow(ctx, documents, func(document int, row []uint32) {
			for _, j := range row {
				if hash, ok := columns[j]; ok {
					see(hash, document)
				}
			}
		})
	}
	wanted := newHashSet(len(columns))
	for _, hash := range columns {
		wanted.add(hash)
	}
	extract, err := hashing.NewExtractor(o.Text)
	if err != nil {
		return nil, err
	}
	var hashes []uint64
	return all, ds.EachText(ctx, documents, func(document int, text []byte) {
		hashes, _ = extract.AppendDistinct(hashes[:0], nil, text)
		for _, hash := range hashes {
			if wanted.has(hash) {
				see(hash, document)
			}
		}
	})
}

// wantedColumns are the columns, with the hashes of their n-grams, of wanted buckets that count.
func wantedColumns(ds *dataset.Dataset, wanted *idset.Set, o *Options) (map[uint32]uint64, error) {
	columns := map[uint32]uint64{}
	least, most := o.matrixOptions(ds).DocumentFrequencies(ds.Documents)
	return columns, ds.Rows.EachColumn(func(j uint32, key, frequency uint64) {
		if frequency < uint64(least) || frequency > uint64(most) {
			return
		}
		if _, ok := wanted.Rank(hashing.Bucket(key, o.Text.Bits)); ok {
			columns[j] = key
		}
	})
}

// spell finds the texts of the chosen n-grams: in the dataset, or in the documents where they were
// first seen.
func spell(ctx context.Context, ds *dataset.Dataset, columns map[uint32]uint64, best map[uint32]uint64, sightings map[uint64]sighting, o *Options) (map[uint64]string, error) {
	texts := make(map[uint64]string, len(best))
	if ds.Named() {
		wanted := make(map[uint64]bool, len(best))
		for _, hash := range best {
			wanted[hash] = true
		}
		return texts, ds.EachName(func(j uint32, name []byte) {
			if hash, ok := columns[j]; ok && wanted[hash] {
				texts[hash] = string(name)
			}
		})
	}
	extract, err := hashing.NewExtractor(o.Text)
	if err != nil {
		return nil, err
	}
	documents, missing := roaring.New(), map[int]map[uint64]bool{} // by document
	for _, h := range best {
		doc := sightings[h].first
		documents.Add(uint32(doc))
		if missing[doc] == nil {
			missing[doc] = map[uint64]bool{}
		}
		missing[doc][h] = true
	}
	return texts, ds.EachText(ctx, documents, func(doc int, text []byte) {
		here := missing[doc]
		for h, name := range extract.Ngrams(text) {
			if here[h] {
				delete(here, h)
				texts[h] = dataset.ShortenName(string(name))
			}
			if len(here) == 0 {
				break
			}
		}
	})
}

// hashSet is a set of n-gram hashes that nearly none of those asked for is in: a bloom filter, which fits the
// first cache, answers for nearly all of them, and a map for the rest.
type hashSet struct {
	filter    *bloom.BloomFilter
	members   map[uint64]struct{}
	locations [2]uint64 // scratch memory
}

// newHashSet returns an empty set for about n hashes.
func newHashSet(n int) *hashSet {
	const bitsOfHash = 10 // one in some 30 that are asked for passes the filter wrongly
	return &hashSet{filter: bloom.New(uint(bitsOfHash*max(n, 1)), 2), members: make(map[uint64]struct{}, n)}
}

// locate gives the filter two locations of a hash, which is a good one: no other has to be computed.
func (s *hashSet) locate(hash uint64) []uint64 {
	s.locations = [2]uint64{hash, bits.RotateLeft64(hash, 32)}
	return s.locations[:]
}

func (s *hashSet) add(hash uint64) {
	s.members[hash] = struct{}{}
	for _, location := range s.locate(hash) {
		s.filter.BitSet().Set(uint(location % uint64(s.filter.Cap())))
	}
}

func (s *hashSet) has(hash uint64) bool {
	if !s.filter.TestLocations(s.locate(hash)) {
		return false
	}
	_, ok := s.members[hash]
	return ok
}
