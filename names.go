package nbsvm

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/bits-and-blooms/bloom/v3"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
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
	wanted := newIDFilter(strongestIDs(m, o.NamesLimit))
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
	first, ofRivals, err := findWitnesses(ctx, d, wanted, shared, func(id uint32) bool { return ngrams[id] > 1 }, o.threads())
	if err != nil {
		return nil, err
	}
	rivals := map[uint32]uint64{} // columns of buckets of several n-grams
	sightings := make(map[uint64]sighting, len(columns))
	for j, hash := range columns {
		bucket := hashing.Bucket(hash, o.Text.Bits)
		if ngrams[bucket] > 1 {
			rivals[j] = hash
		} else if document, ok := first[bucket]; ok {
			sightings[hash] = sighting{1, document}
		}
	}
	if err := sight(ctx, ds, rivals, ofRivals, sightings, o); err != nil {
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
	document := make(map[uint64]int, len(best))
	for _, hash := range best {
		document[hash] = sightings[hash].first
	}
	texts, err := spell(ctx, ds, columns, document, o)
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

// idFilter tells few ids from many others, most of them by one look at a small table.
type idFilter struct {
	may [1 << 10]uint64 // by the last bits of ids
	ids map[uint32]bool
}

func newIDFilter(ids []uint32) *idFilter {
	f := &idFilter{ids: make(map[uint32]bool, len(ids))}
	for _, id := range ids {
		f.may[id>>6%uint32(len(f.may))] |= 1 << (id % 64)
		f.ids[id] = true
	}
	return f
}

func (f *idFilter) has(id uint32) bool {
	return f.may[id>>6%uint32(len(f.may))]>>(id%64)&1 != 0 && f.ids[id]
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

// rival marks a column of several n-grams among the witnesses that columns lack.
const rival = 1 << 7

// findWitnesses finds the first document of every wanted bucket. The first one, or several of a shared bucket, are
// witnesses; ofRivals are those of them that have any bucket of several n-grams.
func findWitnesses(
	ctx context.Context, d *matrix.Matrix, wanted *idFilter, shared, several func(id uint32) bool, threads int,
) (first map[uint32]int, ofRivals *roaring.Bitmap, err error) {
	left, missing := make([]uint8, len(d.IDs)), 0 // of a column the witnesses that are missing, and whether it has rivals
	for j, id := range d.IDs {
		if !wanted.has(id) {
			continue
		}
		if left[j] = 1; shared(id) {
			left[j] = uint8(min(witnesses, d.Frequencies[j]))
		}
		missing += int(left[j])
		if several(id) {
			left[j] |= rival
		}
	}
	first, ofRivals = make(map[uint32]int, len(wanted.ids)), roaring.New()
	err = d.Each(ctx, func(begin int, x *sparse.CSR) error {
		if missing == 0 {
			return nil
		}
		threads := max(min(threads, x.Rows/witnessRows), 1)
		found := make([][]witness, threads)
		par.Do(threads, func(thread int) {
			mine := left
			if threads > 1 { // none knows what others find before
				mine = slices.Clone(left)
			}
			found[thread] = witnessesIn(x, x.Rows*thread/threads, x.Rows*(thread+1)/threads, mine, missing)
		})
		if threads == 1 { // they are counted below
			for _, w := range found[0] {
				left[w.column]++
			}
		}
		for _, some := range found {
			for _, w := range some {
				n := left[w.column]
				if n&^rival == 0 {
					continue
				}
				left[w.column] = n - 1
				missing--
				id, document := d.IDs[w.column], begin+int(w.row)
				if _, ok := first[id]; !ok {
					first[id] = document
				}
				if w.ofRivals {
					ofRivals.Add(uint32(document))
				}
			}
		}
		return ctx.Err()
	})
	return first, ofRivals, err
}

// witnessRows are worth a thread.
const witnessRows = 1 << 11

// witness is a row that has a column whose witnesses were not complete.
type witness struct {
	column, row uint32
	ofRivals    bool // the row has any column of several n-grams
}

// witnessesIn finds witnesses in some rows, counting down what is left of each column, until none is missing.
func witnessesIn(x *sparse.CSR, from, to int, left []uint8, missing int) (found []witness) {
	for i := from; i < to && missing > 0; i++ {
		columns, _ := x.Row(i)
		before, kinds := len(found), uint8(0)
		for _, j := range columns {
			n := left[j]
			if kinds |= n; n&^rival == 0 {
				continue
			}
			left[j] = n - 1
			missing--
			found = append(found, witness{column: j, row: uint32(i)})
		}
		if kinds&rival != 0 {
			for k := range found[before:] {
				found[before+k].ofRivals = true
			}
		}
	}
	return found
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
func wantedColumns(ds *dataset.Dataset, wanted *idFilter, o *Options) (map[uint32]uint64, error) {
	columns := map[uint32]uint64{}
	least, most := o.matrixOptions(ds).DocumentFrequencies(ds.Documents)
	return columns, ds.Rows.EachColumn(func(j uint32, key, frequency uint64) {
		if frequency < uint64(least) || frequency > uint64(most) {
			return
		}
		if wanted.has(hashing.Bucket(key, o.Text.Bits)) {
			columns[j] = key
		}
	})
}

// spell finds the texts of n-grams, which are given by their hashes, each with a document that has it: among the names
// of the dataset's columns, of which columns has the hashes, or in these documents.
func spell(
	ctx context.Context, ds *dataset.Dataset, columns map[uint32]uint64, document map[uint64]int, o *Options,
) (map[uint64]string, error) {
	texts := make(map[uint64]string, len(document))
	if ds.Named() {
		return texts, ds.EachName(func(j uint32, name []byte) {
			hash, ok := columns[j]
			if _, wanted := document[hash]; ok && wanted {
				texts[hash] = string(name)
			}
		})
	}
	extracts, err := extractors(o)
	if err != nil {
		return nil, err
	}
	documents, missing := roaring.New(), map[int][]uint64{} // by document
	for h, doc := range document {
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
			texts[h] = dataset.ShortenName(names[k])
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
