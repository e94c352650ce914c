package train

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/bits-and-blooms/bloom/v3"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
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
	for _, id := range strongestIDs(m, o.NamesLimit) {
		wanted.Add(id)
	}
	wanted.Index()
	columns, err := wantedColumns(ds, wanted, o)
	if err != nil {
		return nil, err
	}
	ngrams := map[uint32]int{} // by bucket
	for _, hash := range columns {
		ngrams[hashing.Bucket(hash, o.Text.Bits)]++
	}
	shared := func(id uint32) bool {
		row, _ := m.IDs.Rank(id)
		return m.Tags[row] == 0
	}
	found, err := findWitnesses(ctx, d, wanted, shared, func(id uint32) bool { return ngrams[id] > 1 }, o.threads())
	if err != nil {
		return nil, err
	}
	rivals := map[uint32]uint64{} // columns of buckets of several n-grams
	sightings := make(map[uint64]sighting, len(columns))
	for j, hash := range columns {
		bucket := hashing.Bucket(hash, o.Text.Bits)
		if ngrams[bucket] > 1 {
			rivals[j] = hash
		} else if first, ok := found.first[bucket]; ok {
			sightings[hash] = sighting{1, first}
		}
	}
	if err := sight(ctx, ds, rivals, found.ofRivals, sightings, o); err != nil {
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

// strongestIDs lists the ids of the features that speak most strongly for any
// output, at most about limit of them.
func strongestIDs(m *model.Model, limit int) []uint32 {
	if m.Rule != nil && m.Rule.Section == model.Trees && m.IDs.Size <= limit { // a feature may matter by its absence
		var ids []uint32
		for _, id := range m.IDs.All() {
			ids = append(ids, id)
		}
		return ids
	}
	each := max(1, limit/max(2, m.Outputs))
	var ids []uint32
	for _, top := range score.New(m).Strongest(each, func(uint32) bool { return true }) {
		for _, f := range top {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// witnessed is what documents tell of wanted buckets.
type witnessed struct {
	first    map[uint32]int  // documents, by bucket
	ofRivals *roaring.Bitmap // witnesses of any bucket that have one of several n-grams
}

// findWitnesses finds the first document that has a wanted id, and the first several that have a shared one.
func findWitnesses(ctx context.Context, d *matrix.Matrix, wanted *idset.Set, shared, several func(id uint32) bool, threads int) (*witnessed, error) {
	// In left is, for each thread, how many more documents of a column are looked for, and whether its bucket is of
	// several n-grams. A thread's documents ascend.
	const rival, none = 1 << 7, math.MaxUint32
	missing, asked, left := make([]uint8, len(d.IDs)), make([]uint8, len(d.IDs)), make([][]uint8, max(threads, 1))
	for j, id := range d.IDs {
		if _, ok := wanted.Rank(id); !ok {
			continue
		}
		if missing[j] = 1; shared(id) {
			missing[j] = witnesses
		}
		if asked[j] = missing[j]; several(id) {
			asked[j] |= rival
		}
	}
	for w := range left {
		left[w] = slices.Clone(asked)
	}
	found := &witnessed{first: make(map[uint32]int, wanted.Size), ofRivals: roaring.New()}
	documents := roaring.New()
	type entry struct{ document, column uint32 }
	err := d.Each(ctx, func(first int, x *sparse.CSR) error {
		const together = 256 // rows
		return ordered.Map(ctx, threads, (x.Rows+together-1)/together, func(w, part int) (wanted []entry, err error) {
			left := left[w]
			for i := part * together; i < min((part+1)*together, x.Rows); i++ {
				columns, _ := x.Row(i)
				before, kinds := len(wanted), uint8(0)
				for _, j := range columns {
					n := left[j]
					if n == 0 {
						continue
					}
					if kinds |= n; n != rival {
						wanted = append(wanted, entry{uint32(first + i), j})
						left[j] = n - 1
					}
				}
				if kinds&rival != 0 && len(wanted) > before {
					wanted = append(wanted, entry{uint32(first + i), none})
				}
			}
			return wanted, ctx.Err()
		}, func(wanted []entry) error {
			for _, e := range wanted {
				if e.column == none {
					found.ofRivals.Add(e.document)
				} else if missing[e.column] > 0 {
					missing[e.column]--
					documents.Add(e.document)
					if _, ok := found.first[d.IDs[e.column]]; !ok {
						found.first[d.IDs[e.column]] = int(e.document)
					}
				}
			}
			return nil
		})
	})
	found.ofRivals.And(documents)
	return found, err
}

// sight adds to sightings which of some documents have n-grams, which are given by their columns. Where there are
// texts, these are asked: rows may be gone.
func sight(ctx context.Context, ds *dataset.Dataset, columns map[uint32]uint64, documents *roaring.Bitmap, all map[uint64]sighting, o *Options) error {
	see := func(hash uint64, document int) {
		s, ok := all[hash]
		if !ok || document < s.first {
			s.first = document
		}
		s.documents++
		all[hash] = s
	}
	if !ds.HasTexts() {
		return ds.EachRow(ctx, documents, func(document int, row []uint32) {
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
	extracts, err := extractors(o)
	if err != nil {
		return err
	}
	hashes := make([][]uint64, len(extracts))
	var mutex sync.Mutex
	return ds.EachText(ctx, documents, len(extracts), func(w, document int, text []byte) {
		hashes[w], _ = extracts[w].AppendDistinct(hashes[w][:0], nil, text)
		for _, hash := range hashes[w] {
			if wanted.has(hash) {
				mutex.Lock()
				see(hash, document)
				mutex.Unlock()
			}
		}
	})
}

// extractors are one for each thread.
func extractors(o *Options) (all []*hashing.Extractor, err error) {
	all = make([]*hashing.Extractor, o.threads())
	for w := range all {
		if all[w], err = hashing.NewExtractor(o.Text); err != nil {
			return nil, err
		}
	}
	return all, nil
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
	extracts, err := extractors(o)
	if err != nil {
		return nil, err
	}
	documents, missing := roaring.New(), map[int][]uint64{} // by document
	for _, h := range best {
		doc := sightings[h].first
		documents.Add(uint32(doc))
		missing[doc] = append(missing[doc], h)
	}
	var mutex sync.Mutex
	return texts, ds.EachText(ctx, documents, len(extracts), func(w, doc int, text []byte) {
		hashes := missing[doc]
		names := extracts[w].Spell(text, hashes)
		mutex.Lock()
		defer mutex.Unlock()
		for k, h := range hashes {
			texts[h] = dataset.ShortenName(string(names[k]))
		}
	})
}

// hashSet is a set of n-gram hashes that nearly none of those asked for is in: a bloom filter, which fits the first
// cache, answers for nearly all of them, and a map for the rest. Once it is filled, it may be used concurrently.
type hashSet struct {
	filter  *bloom.BloomFilter
	members map[uint64]struct{}
}

// newHashSet returns an empty set for about n hashes.
func newHashSet(n int) *hashSet {
	const bitsOfHash = 10 // one in some 30 that are asked for passes the filter wrongly
	return &hashSet{filter: bloom.New(uint(bitsOfHash*max(n, 1)), 2), members: make(map[uint64]struct{}, n)}
}

// locations are the filter's two of a hash, which is a good one: no other has to be computed.
func locations(hash uint64) [2]uint64 { return [2]uint64{hash, bits.RotateLeft64(hash, 32)} }

func (s *hashSet) add(hash uint64) {
	s.members[hash] = struct{}{}
	for _, location := range locations(hash) {
		s.filter.BitSet().Set(uint(location % uint64(s.filter.Cap())))
	}
}

func (s *hashSet) has(hash uint64) bool {
	at := locations(hash)
	if !s.filter.TestLocations(at[:]) {
		return false
	}
	_, ok := s.members[hash]
	return ok
}
