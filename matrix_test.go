package nbsvm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"

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
		ds, documents := drawDataset(t, &o)
		defer ds.Close()
		rows := roaring.New()
		for doc := range documents {
			if rapid.IntRange(0, 4).Draw(t, "in rows") > 0 {
				rows.Add(uint32(doc))
			}
		}
		// Laid out of some rows, of all of them twice, as cross-validation does it, and consumed.
		for i, rows := range []*roaring.Bitmap{rows, ds.All(), ds.All(), ds.All()} {
			want := matrixByMaps(documents, ds.Ready(), rows, &o)
			if len(want.ids) == 0 {
				continue // layOut refuses this
			}
			d, err := o.layOut(context.Background(), ds, rows, i == 3)
			if err != nil {
				t.Fatal(err)
			}
			want.check(t, ds, d)
			d.Close()
		}
	})
}

// entry is an n-gram, or a feature, of a document.
type entry struct {
	hash  uint64
	id    uint32
	value float32
}

// drawDataset draws documents: words, some of which share a bucket, or ready-made features.
func drawDataset(t *rapid.T, o *Options) (*dataset.Dataset, [][]entry) {
	ready := rapid.Bool().Draw(t, "ready")
	if ready {
		o.Values = Count
	}
	o.Text.Tokenizer, o.Text.NgramHi, o.AutoNgrams = hashing.Space, 1, false
	o.Text.Seed = o.Seed
	extract, err := hashing.NewExtractor(o.Text)
	if err != nil {
		t.Fatal(err)
	}
	var documents [][]entry
	var text bytes.Buffer
	for i := range rapid.IntRange(1, 40).Draw(t, "documents") {
		words := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 60), 0, 20, rapid.ID).Draw(t, "document")
		slices.Sort(words)
		if fmt.Fprint(&text, 2*(i%2)-1); !ready {
			text.WriteByte('\t')
		}
		var document []entry
		for _, n := range words {
			value := rapid.Uint32Range(1, 5).Draw(t, "value")
			if ready {
				fmt.Fprintf(&text, " %d:%v", n*n, float32(value)/2)
				document = append(document, entry{id: n * n, value: float32(value) / 2})
				continue
			}
			word := fmt.Sprint("w", n)
			for range value {
				text.WriteString(word + " ")
			}
			document = append(document, entry{hash: extract.AppendHashes(nil, []byte(word))[0], value: float32(value)})
		}
		documents = append(documents, document)
		text.WriteByte('\n')
	}
	format := corpus.TSV
	if ready {
		format = corpus.SVMLight
	}
	build := o.Pack()
	build.MinDF = rapid.IntRange(1, o.MinDF).Draw(t, "min-df of rows")
	ds, err := dataset.Build(context.Background(), input(text.Bytes(), format), build)
	if err != nil {
		t.Fatal(err)
	}
	return ds, documents
}

// byMaps is a matrix, by feature id.
type byMaps struct {
	rows []map[uint32]float32
	ids  []uint32            // by column
	df   map[uint32]int      // documents
	tags map[uint32][]uint16 // of the n-grams that count
}

func matrixByMaps(all [][]entry, ready bool, rows *roaring.Bitmap, o *Options) *byMaps {
	w := &byMaps{df: map[uint32]int{}, tags: map[uint32][]uint16{}}
	var some [][]entry
	documents := map[uint64]int{} // of n-grams
	for i, d := range all {
		if !rows.Contains(uint32(i)) {
			continue
		}
		some = append(some, d)
		for _, e := range d {
			documents[e.hash]++
		}
	}
	most := math.MaxInt
	if o.MaxDF < 1 {
		most = int(o.MaxDF * float64(rows.GetCardinality()))
	} else if o.MaxDF > 1 {
		most = int(o.MaxDF)
	}
	counts := func(h uint64) bool { return documents[h] >= o.MinDF && documents[h] <= most }
	for h := range documents {
		if id := hashing.Bucket(h, o.Text.Bits); counts(h) && !ready {
			w.tags[id] = append(w.tags[id], hashing.Tag(h))
		}
	}
	for _, d := range some {
		row := map[uint32]float32{}
		for _, e := range d {
			switch {
			case ready:
				row[e.id] = e.value
			case counts(e.hash) && o.counted():
				row[hashing.Bucket(e.hash, o.Text.Bits)] += e.value
			case counts(e.hash):
				row[hashing.Bucket(e.hash, o.Text.Bits)] = 1
			}
		}
		for id := range row {
			w.df[id]++
		}
		w.rows = append(w.rows, row)
	}
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

func (w *byMaps) check(t *rapid.T, ds *dataset.Dataset, d *matrix.Matrix) {
	if err := d.X.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.IDs, w.ids) {
		t.Fatalf("columns are of ids %v, want %v", d.IDs, w.ids)
	}
	if d.X.Rows != len(w.rows) || d.X.Cols != len(w.ids) {
		t.Fatalf("%d rows and %d columns, want %d and %d", d.X.Rows, d.X.Cols, len(w.rows), len(w.ids))
	}
	for i, row := range w.rows {
		got := map[uint32]float32{}
		columns, values := d.X.Row(i)
		for k, j := range columns {
			got[d.IDs[j]] = 1
			if values != nil {
				got[d.IDs[j]] = values[k]
			}
		}
		if !maps.Equal(got, row) {
			t.Fatalf("row %d is %v, want %v", i, got, row)
		}
	}
	if d.IDF != nil {
		for j, id := range d.IDs {
			if want := math.Log(float64(1+d.X.Rows)/float64(1+w.df[id])) + 1; !near(float64(d.IDF[j]), want, 1e-6) {
				t.Fatalf("idf of %d is %v, want %v", id, d.IDF[j], want)
			}
		}
	}
	if ds.Ready() {
		return
	}
	for k, id := range slices.Sorted(maps.Keys(w.df)) {
		tags := slices.Compact(slices.Sorted(slices.Values(w.tags[id])))
		if len(tags) == 1 && d.Tags[k] != tags[0] || len(tags) > 1 && d.Tags[k] != 0 {
			t.Fatalf("id %d has the tag %d, its n-grams have %v", id, d.Tags[k], tags)
		}
	}
}
