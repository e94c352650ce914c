package learn

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/bits-and-blooms/bloom/v3"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Names names features of a model, about NamesLimit or as many as there are bytes left of MaxModel, and keeps the names
// that the model to update has.
func Names(
	ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, m *model.Model, p *Params,
) ([]model.Name, error) {
	ctx, end := par.WithStage(ctx, par.StageNames)
	defer end()
	if p.MaxModel == 0 {
		names, err := nameFeatures(ctx, ds, x, m, p, p.NamesLimit)
		return p.withNames(names, m), err
	}
	const nameBytes = 48 // of an n-gram with its numbers; most have less
	most := p.mostBytes(m)
	limit := max(0, min(p.NamesLimit, int((most-sizeOf(m))/nameBytes)))
	names, err := nameFeatures(ctx, ds, x, m, p, limit)
	named := *m
	if named.Names = names; sizeOf(&named) > most {
		names = nil
	}
	return names, err
}

// nameFeatures finds names for the strongest features of every output: the first n-gram of each, in the first document
// that has it. The matrix must be of all documents.
func nameFeatures(
	ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, m *model.Model, p *Params, limit int,
) ([]model.Name, error) {
	if ds.Ready() || limit == 0 || !ds.Rows.Named() && !ds.HasTexts() {
		return nil, nil
	}
	rows := strongestRows(m, limit)
	wanted := newKeyFilter(len(rows))
	for _, row := range rows {
		wanted.add(keyOf(m, row), row)
	}
	var first map[uint64]int
	if !ds.Rows.Named() {
		first = firstDocuments(x, wanted)
	}
	texts, err := Spell(ctx, ds, func(key uint64) bool { _, ok := wanted.row(key); return ok }, first, p)
	names := make([]model.Name, 0, len(texts))
	for key, text := range texts {
		names = append(names, model.Name{Row: wanted.rows[key], Text: text})
	}
	slices.SortFunc(names, func(a, b model.Name) int { return cmp.Compare(a.Row, b.Row) })
	return names, err
}

// keyFilter finds the rows of a few keys among many lookups of other keys: a Bloom filter, which fits the first-level
// cache, answers for nearly all of these, and a map for the rest. It may be used concurrently.
type keyFilter struct {
	filter *bloom.BloomFilter
	rows   map[uint64]uint32 // of a model
}

// newKeyFilter returns a filter with room for n keys.
func newKeyFilter(n int) *keyFilter {
	const bitsOfKey = 10 // one in some 30 that are asked for passes the filter wrongly
	return &keyFilter{bloom.New(uint(bitsOfKey*max(n, 1)), 2), make(map[uint64]uint32, n)}
}

// locations returns the two bits of a key in the filter. Keys are hashes, so that no other hash has to be computed.
func locations(key uint64) [2]uint64 { return [2]uint64{key, key * 0x9e3779b97f4a7c15 >> 20} }

func (f *keyFilter) add(key uint64, row uint32) {
	f.rows[key] = row
	for _, location := range locations(key) {
		f.filter.BitSet().Set(uint(location % uint64(f.filter.Cap())))
	}
}

func (f *keyFilter) row(key uint64) (row uint32, ok bool) {
	if at := locations(key); f.filter.TestLocations(at[:]) {
		row, ok = f.rows[key]
	}
	return row, ok
}

// strongestRows lists the rows of the strongest features of each output, about limit in all.
func strongestRows(m *model.Model, limit int) (rows []uint32) {
	if m.Rule != nil && m.Rule.Section == model.Trees && m.Keys.Size() <= limit { // a feature may matter by its absence
		for row := range m.Keys.Size() {
			rows = append(rows, uint32(row))
		}
		return rows
	}
	each := max(1, limit/max(2, m.Outputs))
	for _, top := range score.New(m).Strongest(each, func(int) bool { return true }) {
		for _, f := range top {
			row, _ := m.Keys.Rank(f.Key)
			rows = append(rows, uint32(row))
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Spell finds the texts of n-grams, by their keys: among the names of a packed corpus, or in documents that have them.
func Spell(
	ctx context.Context, ds *dataset.Dataset, wanted func(key uint64) bool, document map[uint64]int, p *Params,
) (map[uint64]string, error) {
	texts := make(map[uint64]string, len(document))
	if ds.Rows.Named() {
		keys := map[uint32]uint64{} // by column
		err := ds.Rows.EachColumn(func(j uint32, key, _ uint64) {
			if wanted(key) {
				keys[j] = key
			}
		})
		if err != nil {
			return nil, err
		}
		return texts, ds.Rows.EachName(func(j uint32, name []byte) {
			if key, ok := keys[j]; ok {
				texts[key] = string(name)
			}
		})
	}
	shift := hashing.MaxBits - p.Meta.Text.Bits
	documents, missing := roaring.New(), map[int][]uint64{} // hashes by document
	for key, doc := range document {
		documents.Add(uint32(doc))
		missing[doc] = append(missing[doc], key<<shift)
	}
	extracts := make([]*hashing.Extractor, p.Threads)
	for w := range extracts {
		var err error
		if extracts[w], err = hashing.NewExtractor(p.Meta.Text); err != nil {
			return nil, err
		}
	}
	var mutex sync.Mutex
	return texts, ds.EachText(ctx, documents, len(extracts), func(w, doc int, text []byte) {
		hashes := missing[doc]
		names := extracts[w].Spell(text, hashes)
		mutex.Lock()
		defer mutex.Unlock()
		for k, h := range hashes {
			texts[h>>shift] = dataset.ShortenName(names[k])
		}
	})
}

// firstDocuments finds the first document, by key, of every column that is wanted and has one.
func firstDocuments(x *dataset.Matrix, wanted *keyFilter) map[uint64]int {
	left, missing := make([]bool, len(x.Keys)), 0 // columns that were not found
	for j, key := range x.Keys {
		if _, ok := wanted.row(key); ok && x.Frequencies[j] > 0 {
			left[j] = true
			missing++
		}
	}
	first := make(map[uint64]int, missing)
	for i := 0; i < x.Rows() && len(first) < missing; i++ {
		columns, _ := x.X.Row(i)
		for _, j := range columns {
			if left[j] {
				left[j], first[x.Keys[j]] = false, i
			}
		}
	}
	return first
}

// withNames adds to the names that a model has from its documents those that it has from the model to update.
func (p *Params) withNames(names []model.Name, m *model.Model) []model.Name {
	if p.From == nil || p.NamesLimit == 0 {
		return names
	}
	named := map[uint32]bool{}
	for _, n := range names {
		named[n.Row] = true
	}
	wanted := strongestRows(m, p.NamesLimit)
	known := map[uint64]string{} // by key
	for _, n := range p.From.Names {
		known[keyOf(p.From, n.Row)] = n.Text
	}
	for _, row := range wanted {
		if text, ok := known[keyOf(m, row)]; ok && !named[row] {
			names = append(names, model.Name{Row: row, Text: text})
		}
	}
	slices.SortFunc(names, func(a, b model.Name) int { return cmp.Compare(a.Row, b.Row) })
	return names
}

// keyOf returns the key of a row.
func keyOf(m *model.Model, row uint32) uint64 {
	for _, key := range m.Keys.Between(int(row), int(row)+1) {
		return key
	}
	return 0
}
