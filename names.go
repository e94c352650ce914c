package nbsvm

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/model"
)

// maxNameBytes shortens what a name in the dictionary may take.
const maxNameBytes = 200

// sighting is what is known of an n-gram whose name is wanted.
type sighting struct {
	documents int
	first     int // document
}

// nameFeatures finds names for the strongest features of every output, by looking
// through the texts again. A bucket gets the name of the n-gram that most
// documents have of those that share it.
func nameFeatures(ctx context.Context, ds *dataset, d *design, m *model.Model, o *Options) ([]model.Name, error) {
	if ds.ready || o.NamesLimit == 0 {
		return nil, nil
	}
	wanted := idset.New(m.Universe)
	for _, row := range strongestRows(m, o.NamesLimit) {
		wanted.Add(row)
	}
	wanted.Index()
	sightings, err := ds.sight(ctx, d, wanted, o)
	if err != nil {
		return nil, err
	}

	best := map[uint32]uint64{} // by bucket
	shared := map[uint32]bool{}
	for h, s := range sightings {
		bucket := hashing.Bucket(h, o.Text.Bits)
		rival, taken := best[bucket]
		shared[bucket] = taken
		if r := sightings[rival]; !taken || s.documents > r.documents || s.documents == r.documents && h < rival {
			best[bucket] = h
		}
	}
	texts, err := ds.spell(best, sightings, o)
	if err != nil {
		return nil, err
	}
	names := make([]model.Name, 0, len(best))
	for bucket, h := range best {
		names = append(names, model.Name{ID: bucket, Shared: shared[bucket], Text: texts[h]})
	}
	slices.SortFunc(names, func(a, b model.Name) int { return cmp.Compare(a.ID, b.ID) })
	return names, nil
}

// strongestRows lists the ids of the features that speak most strongly for any
// output, at most about limit of them.
func strongestRows(m *model.Model, limit int) []uint32 {
	each := max(1, limit/max(2, m.Outputs))
	var ids []uint32
	for _, top := range strongest(m, each) {
		for _, f := range top {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sight counts, for all n-grams in wanted buckets that the design selects, their
// documents.
func (ds *dataset) sight(ctx context.Context, d *design, wanted *idset.Set, o *Options) (map[uint64]sighting, error) {
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
			l.hashes, _ = l.extract.AppendDistinct(l.hashes[:0], nil, text)
			for _, h := range l.hashes {
				if _, ok := wanted.Rank(hashing.Bucket(h, o.Text.Bits)); !ok {
					continue
				}
				if _, ok := d.selected.Column(h); !ok {
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

// spell finds the text of the chosen n-grams in the documents where they were
// first seen.
func (ds *dataset) spell(best map[uint32]uint64, sightings map[uint64]sighting, o *Options) (map[uint64]string, error) {
	extract, err := hashing.NewExtractor(o.Text)
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
	for _, b := range ds.batches {
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
