package matrix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestMatrixAgainstMaps draws datasets of text and of ready-made features, and makes
// their matrix by maps and sorting.
func TestMatrixAgainstMaps(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Bits:    rapid.IntRange(hashing.MinBits, 16).Draw(t, "bits"),
			MinDF:   rapid.IntRange(1, 4).Draw(t, "min-df"),
			MaxDF:   rapid.SampledFrom([]float64{1, 1, 0.5, 3}).Draw(t, "max-df"),
			Counts:  rapid.Bool().Draw(t, "counts"),
			Threads: rapid.IntRange(1, 3).Draw(t, "threads"),
			Temp:    folder,
		}
		o.IDF = o.Counts && rapid.Bool().Draw(t, "idf")
		ds, documents := drawDataset(t, &o)
		defer ds.Close()
		rows := roaring.New()
		for doc := range documents {
			if rapid.IntRange(0, 4).Draw(t, "in rows") > 0 {
				rows.Add(uint32(doc))
			}
		}
		// Laid out of some rows, of all of them twice, as cross-validation does it, and consumed.
		// Of the first two also with rows on disk.
		for i, rows := range []*roaring.Bitmap{rows, ds.All(), ds.All(), ds.All()} {
			want := matrixByMaps(documents, ds.Ready(), rows, &o)
			if len(want.ids) == 0 {
				continue // layOut refuses this
			}
			if i < 2 {
				o := o
				o.OnDisk, o.Memory = true, 1<<30
				d := lay(t, ds, rows, o, false)
				onDisk(t, d, want)
				want.check(t, ds, d)
				must.OK(t, errors.Join(d.Close(), d.Close()))
			}
			d := lay(t, ds, rows, o, i == 3)
			want.check(t, ds, d)
			found := *d.X
			if found.Shared = 0; d.X.Shared != found.SharedColumns() {
				t.Fatalf("%d columns are shared, want %d", d.X.Shared, found.SharedColumns())
			}
			must.OK(t, d.Close())
		}
	})
}

func lay(t *rapid.T, ds *dataset.Dataset, rows *roaring.Bitmap, o Options, consume bool) *Matrix {
	d, err := New(context.Background(), ds, rows, o, consume)
	must.OK(t, err)
	return d
}

// onDisk reads the rows of a matrix that are on disk into memory, and checks that they are there in order.
// Columns of one document are by id on disk, and by document in memory: these are put in memory's order.
func onDisk(t *rapid.T, d *Matrix, want *byMaps) {
	if d.X != nil || d.Disk == nil {
		t.Fatal("rows are in memory")
	}
	x := &sparse.CSR{Rows: d.Rows(), Cols: len(d.IDs), Indptr: []int64{0}}
	err := d.Each(context.Background(), func(first int, some *sparse.CSR) error {
		if first != len(x.Indptr)-1 {
			return fmt.Errorf("rows from %d on, want %d", first, len(x.Indptr)-1)
		}
		for i := range some.Rows {
			columns, values := some.Row(i)
			x.Indices, x.Values = append(x.Indices, columns...), append(x.Values, values...)
			x.Indptr = append(x.Indptr, int64(len(x.Indices)))
		}
		return nil
	})
	if err != nil || x.NNZ() != d.NNZ() || (x.Values != nil) != d.Valued() && d.NNZ() > 0 {
		t.Fatalf("%d entries, want %d, %v", x.NNZ(), d.NNZ(), err)
	}
	single := func(j uint32) bool { return want.sums[d.IDs[j]] == 1 }
	number, ids := make([]uint32, len(d.IDs)), slices.Clone(d.IDs)
	next := uint32(0)
	for next < uint32(len(d.IDs)) && !single(next) {
		next++
	}
	for j := range number {
		number[j] = uint32(j)
	}
	for _, j := range x.Indices {
		if single(j) {
			number[j], ids[next] = next, d.IDs[j]
			next++
		}
	}
	idf := slices.Clone(d.IDF)
	for k, j := range x.Indices {
		x.Indices[k] = number[j]
		if idf != nil {
			idf[number[j]] = d.IDF[j]
		}
	}
	d.X, d.IDs, d.IDF = x, ids, idf
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
		o.Counts, o.IDF = true, false
	}
	text := hashing.DefaultOptions()
	text.Tokenizer, text.NgramHi = hashing.Space, 1
	extract, err := hashing.NewExtractor(text)
	must.OK(t, err)
	var documents [][]entry
	var lines bytes.Buffer
	for i := range rapid.IntRange(1, 40).Draw(t, "documents") {
		words := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 60), 0, 20, rapid.ID).Draw(t, "document")
		slices.Sort(words)
		if fmt.Fprint(&lines, 2*(i%2)-1); !ready {
			lines.WriteByte('\t')
		}
		var document []entry
		for _, n := range words {
			value := rapid.Uint32Range(1, 5).Draw(t, "value")
			if ready {
				fmt.Fprintf(&lines, " %d:%v", n*n, float32(value)/2)
				document = append(document, entry{id: n * n, value: float32(value) / 2})
				continue
			}
			word := fmt.Sprint("w", n)
			for range value {
				lines.WriteString(word + " ")
			}
			document = append(document, entry{hash: extract.AppendHashes(nil, []byte(word))[0], value: float32(value)})
		}
		documents = append(documents, document)
		lines.WriteByte('\n')
	}
	format := corpus.TSV
	if ready {
		format = corpus.SVMLight
	}
	build := dataset.Options{Text: text, Counts: o.Counts, MinDF: rapid.IntRange(1, o.MinDF).Draw(t, "min-df of rows")}
	in := corpus.Input{Stdin: &lines, Format: format}
	ds, err := dataset.Build(context.Background(), in, build)
	must.OK(t, err)
	return ds, documents
}

// byMaps is a matrix, by feature id.
type byMaps struct {
	rows []map[uint32]float32
	ids  []uint32            // by column
	df   map[uint32]int      // documents
	sums map[uint32]int      // documents of n-grams, added up, but not more than there are
	tags map[uint32][]uint16 // of the n-grams that count
}

func matrixByMaps(all [][]entry, ready bool, rows *roaring.Bitmap, o *Options) *byMaps {
	w := &byMaps{df: map[uint32]int{}, sums: map[uint32]int{}, tags: map[uint32][]uint16{}}
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
		if id := hashing.Bucket(h, o.Bits); counts(h) && !ready {
			w.tags[id] = append(w.tags[id], hashing.Tag(h))
		}
	}
	for _, d := range some {
		row := map[uint32]float32{}
		for _, e := range d {
			switch {
			case ready:
				row[e.id] = e.value
				w.sums[e.id]++
			case counts(e.hash) && o.Counts:
				row[hashing.Bucket(e.hash, o.Bits)] += e.value
				w.sums[hashing.Bucket(e.hash, o.Bits)]++
			case counts(e.hash):
				row[hashing.Bucket(e.hash, o.Bits)] = 1
				w.sums[hashing.Bucket(e.hash, o.Bits)]++
			}
		}
		for id := range row {
			w.df[id]++
		}
		w.rows = append(w.rows, row)
	}
	for id, n := range w.sums {
		if w.sums[id] = min(n, len(some)); w.sums[id] > 1 {
			w.ids = append(w.ids, id)
		}
	}
	slices.SortFunc(w.ids, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(w.sums[b], w.sums[a]), cmp.Compare(a, b))
	})
	for _, row := range w.rows {
		for _, id := range slices.Sorted(maps.Keys(row)) {
			if w.sums[id] == 1 {
				w.ids = append(w.ids, id)
			}
		}
	}
	return w
}

func (w *byMaps) check(t *rapid.T, ds *dataset.Dataset, d *Matrix) {
	if err := d.X.Validate(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(d.IDs, w.ids) {
		t.Fatalf("columns are of ids %v, want %v", d.IDs, w.ids)
	}
	if d.X.Rows != len(w.rows) || d.X.Cols != len(w.ids) {
		t.Fatalf("%d rows and %d columns, want %d and %d", d.X.Rows, d.X.Cols, len(w.rows), len(w.ids))
	}
	for j, id := range d.IDs {
		if int(d.Frequencies[j]) != w.df[id] {
			t.Fatalf("id %d is said to be in %d documents, not in %d", id, d.Frequencies[j], w.df[id])
		}
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
			if want := math.Log(float64(1+d.X.Rows)/float64(1+w.df[id])) + 1; math.Abs(float64(d.IDF[j])-want) > 1e-6*max(1, want) {
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
