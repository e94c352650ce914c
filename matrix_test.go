package nbsvm

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestMatrixAgainstMaps draws datasets of text and of ready-made features, and makes
// their matrix by maps and sorting.
func TestMatrixAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(func(o *Options) {
			o.Text.Bits = rapid.IntRange(hashing.MinBits, 16).Draw(t, "bits")
			o.MinDF = rapid.IntRange(1, 4).Draw(t, "min-df")
			o.MaxDF = rapid.SampledFrom([]float64{1, 1, 0.5, 3}).Draw(t, "max-df")
			o.Values = rapid.SampledFrom([]Values{Binary, Count, TFIDF}).Draw(t, "values")
			o.Threads = rapid.IntRange(1, 3).Draw(t, "threads")
		})
		ds := drawDataset(t, &o)
		rows := roaring.New()
		for doc := range ds.docs {
			if rapid.IntRange(0, 4).Draw(t, "in rows") > 0 {
				rows.Add(uint32(doc))
			}
		}
		want := matrixByMaps(ds, rows, &o)
		if len(want.ids) == 0 {
			return // newDesign refuses this
		}
		// Laid out twice, as cross-validation does it, and then given up.
		for _, release := range []bool{false, false, true} {
			d, err := newDesign(context.Background(), ds, rows, &o, release)
			if err != nil {
				t.Fatal(err)
			}
			want.check(t, ds, d)
		}
	})
}

// drawDataset draws batches of documents; of text, some n-grams share a bucket.
func drawDataset(t *rapid.T, o *Options) *dataset {
	ds := &dataset{ready: rapid.Bool().Draw(t, "ready")}
	if ds.ready {
		o.Values = Count
	}
	for range rapid.IntRange(1, 4).Draw(t, "batches") {
		b := &batch{first: ds.docs}
		for range rapid.IntRange(0, 9).Draw(t, "documents") {
			ngrams := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 60), 0, 20, rapid.ID).Draw(t, "document")
			if ds.ready {
				slices.Sort(ngrams)
			}
			for _, n := range ngrams {
				value := rapid.Uint32Range(1, 5).Draw(t, "value")
				switch {
				case ds.ready:
					b.ids, b.values = append(b.ids, n*n), append(b.values, float32(value)/2)
				default:
					b.hashes = append(b.hashes, uint64(n%41)*0x9e3779b97f4a7c15+uint64(n))
					if o.counted() {
						b.counts = append(b.counts, value)
					}
				}
			}
			b.ends = append(b.ends, len(b.hashes)+len(b.ids))
			ds.docs++
		}
		ds.sample = hashing.AppendSample(ds.sample, b.hashes)
		ds.batches = append(ds.batches, b)
	}
	return ds
}

// byMaps is a matrix, by feature id.
type byMaps struct {
	rows []map[uint32]float32
	ids  []uint32            // by column
	df   map[uint32]int      // documents
	tags map[uint32][]uint16 // of the n-grams that count
}

func matrixByMaps(ds *dataset, rows *roaring.Bitmap, o *Options) *byMaps {
	w := &byMaps{df: map[uint32]int{}, tags: map[uint32][]uint16{}}
	documents := map[uint64]int{} // of n-grams
	each := func(visit func(b *batch, lo, hi int)) {
		for _, b := range ds.batches {
			for k := range b.ends {
				if lo, hi := b.bounds(k); rows.Contains(uint32(b.first + k)) {
					visit(b, lo, hi)
				}
			}
		}
	}
	each(func(b *batch, lo, hi int) {
		if !ds.ready {
			for _, h := range b.hashes[lo:hi] {
				documents[h]++
			}
		}
	})
	most := math.MaxInt
	if o.MaxDF < 1 {
		most = int(o.MaxDF * float64(rows.GetCardinality()))
	} else if o.MaxDF > 1 {
		most = int(o.MaxDF)
	}
	counts := func(h uint64) bool { return documents[h] >= o.MinDF && documents[h] <= most }
	for h := range documents {
		if id := hashing.Bucket(h, o.Text.Bits); counts(h) {
			w.tags[id] = append(w.tags[id], hashing.Tag(h))
		}
	}
	each(func(b *batch, lo, hi int) {
		row := map[uint32]float32{}
		for e := lo; e < hi; e++ {
			switch {
			case ds.ready:
				row[b.ids[e]] = b.values[e]
			case counts(b.hashes[e]) && o.counted():
				row[hashing.Bucket(b.hashes[e], o.Text.Bits)] += float32(b.counts[e])
			case counts(b.hashes[e]):
				row[hashing.Bucket(b.hashes[e], o.Text.Bits)] = 1
			}
		}
		for id := range row {
			w.df[id]++
		}
		w.rows = append(w.rows, row)
	})
	for id, n := range w.df {
		if n > 1 {
			w.ids = append(w.ids, id)
		}
	}
	slices.SortFunc(w.ids, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(w.df[b], w.df[a]), cmp.Compare(a, b))
	})
	for _, row := range w.rows {
		for _, id := range slices.Sorted(maps.Keys(row)) {
			if w.df[id] == 1 {
				w.ids = append(w.ids, id)
			}
		}
	}
	return w
}

func (w *byMaps) check(t *rapid.T, ds *dataset, d *design) {
	if err := d.x.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.ids, w.ids) {
		t.Fatalf("columns are of ids %v, want %v", d.ids, w.ids)
	}
	if d.x.Rows != len(w.rows) || d.x.Cols != len(w.ids) {
		t.Fatalf("%d rows and %d columns, want %d and %d", d.x.Rows, d.x.Cols, len(w.rows), len(w.ids))
	}
	for i, row := range w.rows {
		got := map[uint32]float32{}
		columns, values := d.x.Row(i)
		for k, j := range columns {
			got[d.ids[j]] = 1
			if values != nil {
				got[d.ids[j]] = values[k]
			}
		}
		if !maps.Equal(got, row) {
			t.Fatalf("row %d is %v, want %v", i, got, row)
		}
	}
	if d.idf != nil {
		for j, id := range d.ids {
			if want := math.Log(float64(1+d.x.Rows)/float64(1+w.df[id])) + 1; !near(float64(d.idf[j]), want, 1e-6) {
				t.Fatalf("idf of %d is %v, want %v", id, d.idf[j], want)
			}
		}
	}
	if ds.ready {
		return
	}
	for k, id := range slices.Sorted(maps.Keys(w.df)) {
		tags := slices.Compact(slices.Sorted(slices.Values(w.tags[id])))
		if len(tags) == 1 && d.tags[k] != tags[0] || len(tags) > 1 && d.tags[k] != 0 {
			t.Fatalf("id %d has the tag %d, its n-grams have %v", id, d.tags[k], tags)
		}
	}
}
