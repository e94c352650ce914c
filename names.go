package nbsvm

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// maxNameBytes shortens what a name in the dictionary may take.
const maxNameBytes = 200

// sighting is what is known of an n-gram whose name is wanted.
type sighting struct {
	documents int
	first     int // document
}

// witnesses are how many documents are asked for the n-grams of a bucket that several
// share.
const witnesses = 32

// nameSource knows which n-grams documents have, and what they are called.
type nameSource interface {
	// sight counts, for all n-grams in wanted buckets that count, which of the given
	// documents have them.
	sight(ctx context.Context, wanted *idset.Set, documents *roaring.Bitmap) (map[uint64]sighting, error)
	// spell finds the texts of the chosen n-grams.
	spell(best map[uint32]uint64, sightings map[uint64]sighting) (map[uint64]string, error)
}

// nameSource is nil where there are no names.
func (ds *dataset) nameSource(d *design, o *Options) nameSource {
	switch {
	case ds.ready || o.NamesLimit == 0:
		return nil
	case ds.packed == nil:
		return &textNames{ds, d, o}
	case ds.packed.Named():
		return &packedNames{ds: ds, o: o}
	}
	return nil
}

// nameFeatures finds names for the strongest features of every output, by looking
// again at the first documents that have them. A bucket that several
// n-grams share gets the name of the one that most of these have. The design must be of
// all documents.
func nameFeatures(ctx context.Context, ds *dataset, d *design, m *model.Model, o *Options) ([]model.Name, error) {
	source := ds.nameSource(d, o)
	if source == nil {
		return nil, nil
	}
	wanted := idset.New(m.Universe)
	for _, row := range strongestRows(m, o.NamesLimit) {
		wanted.Add(row)
	}
	wanted.Index()
	shared := func(id uint32) bool {
		row, _ := m.IDs.Row(id)
		return m.Tags[row] == 0
	}
	witnesses, err := d.witnesses(ctx, wanted, shared)
	if err != nil {
		return nil, err
	}
	sightings, err := source.sight(ctx, wanted, witnesses)
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
	texts, err := source.spell(best, sightings)
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
	for _, top := range strongest(m, each, func(uint32) bool { return true }) {
		for _, f := range top {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// witnesses are the first document that has a wanted id, and the first several that
// have a shared one.
func (d *design) witnesses(ctx context.Context, wanted *idset.Set, shared func(id uint32) bool) (*roaring.Bitmap, error) {
	missing := make([]uint8, len(d.ids))
	for j, id := range d.ids {
		if _, ok := wanted.Rank(id); !ok {
			continue
		}
		missing[j] = 1
		if shared(id) {
			missing[j] = witnesses
		}
	}
	documents := roaring.New()
	err := d.each(ctx, func(first int, x *sparse.CSR) error {
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

// textNames finds n-grams in texts that are in memory.
type textNames struct {
	ds *dataset
	d  *design
	o  *Options
}

func (n *textNames) sight(ctx context.Context, wanted *idset.Set, documents *roaring.Bitmap) (map[uint64]sighting, error) {
	ds, d, o := n.ds, n.d, n.o
	type looker struct {
		extract *hashing.Extractor
		hashes  []uint64
		found   map[uint64]sighting
	}
	lookers := make([]*looker, o.threads())
	err := ordered.Each(ctx, len(lookers), len(ds.batches), func(w, i int) error {
		if lookers[w] == nil {
			extract, err := hashing.NewExtractor(o.Text)
			if err != nil {
				return err
			}
			lookers[w] = &looker{extract: extract, found: map[uint64]sighting{}}
		}
		l, b := lookers[w], ds.batches[i]
		for k, text := range b.texts {
			if !documents.Contains(uint32(b.first + k)) {
				continue
			}
			l.hashes, _ = l.extract.AppendDistinct(l.hashes[:0], nil, text)
			for _, h := range l.hashes {
				if _, ok := wanted.Rank(hashing.Bucket(h, o.Text.Bits)); !ok {
					continue
				}
				if !d.selected.Holds(h) {
					continue
				}
				s, seen := l.found[h]
				if doc := b.first + k; !seen || doc < s.first {
					s.first = doc
				}
				s.documents++
				l.found[h] = s
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	all := map[uint64]sighting{}
	for _, l := range lookers {
		if l == nil {
			continue
		}
		for h, s := range l.found {
			t, seen := all[h]
			if !seen || s.first < t.first {
				t.first = s.first
			}
			t.documents += s.documents
			all[h] = t
		}
	}
	return all, nil
}

// spell looks into the documents where the n-grams were first seen.
func (n *textNames) spell(best map[uint32]uint64, sightings map[uint64]sighting) (map[uint64]string, error) {
	extract, err := hashing.NewExtractor(n.o.Text)
	if err != nil {
		return nil, err
	}
	missing := map[int]map[uint64]bool{} // by document
	for _, h := range best {
		doc := sightings[h].first
		if missing[doc] == nil {
			missing[doc] = map[uint64]bool{}
		}
		missing[doc][h] = true
	}
	texts := make(map[uint64]string, len(best))
	for _, b := range n.ds.batches {
		for k, text := range b.texts {
			here := missing[b.first+k]
			if here == nil {
				continue
			}
			for h, name := range extract.Ngrams(text) {
				if here[h] {
					delete(here, h)
					texts[h] = shorten(name)
				}
				if len(here) == 0 {
					break
				}
			}
		}
	}
	return texts, nil
}

// shorten cuts a name at a character's start.
func shorten(name string) string {
	if len(name) <= maxNameBytes {
		return name
	}
	cut := maxNameBytes
	for cut > 0 && name[cut]&0xc0 == 0x80 {
		cut--
	}
	return name[:cut] + "…"
}
