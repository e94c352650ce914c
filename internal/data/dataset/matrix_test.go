package dataset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestMatrixAgainstMaps draws datasets of text and of ready-made features, and makes
// their matrix by maps and sorting.
func TestMatrixAgainstMaps(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := MatrixOptions{
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
		// Laid out of some rows, and of all of them twice, as cross-validation does it.
		for _, rows := range []*roaring.Bitmap{rows, ds.All(), ds.All()} {
			want := matrixByMaps(documents, ds.Ready(), rows, &o)
			if len(want.keys) == 0 {
				continue // layOut refuses this
			}
			mapped := o
			mapped.Mapped = true
			d := lay(t, ds, rows, mapped)
			want.check(t, d)
			d.Close()
			d.Close()
			d = lay(t, ds, rows, o)
			want.check(t, d)
			found := *d.X
			found.Shared = 0
			if n := found.SharedColumns(); d.X.Shared < n || d.X.Shared > n && len(documents) == d.X.Rows {
				t.Fatalf("%d columns are shared, want %d", d.X.Shared, n)
			}
			d.Close()
		}
	})
}

func lay(t *rapid.T, ds *Dataset, rows *roaring.Bitmap, o MatrixOptions) *Matrix {
	d, err := NewMatrix(context.Background(), ds, rows, o)
	must.OK(t, err)
	return d
}

// entry is an n-gram, or a feature, of a document.
type entry struct {
	key   uint64
	value float32
}

// drawDataset draws documents: words, some of which have the same key, or ready-made features.
func drawDataset(t *rapid.T, o *MatrixOptions) (*Dataset, [][]entry) {
	ready := rapid.Bool().Draw(t, "ready")
	if ready {
		o.Counts, o.IDF = true, false
	}
	text := hashing.DefaultOptions()
	text.Families[0].Tokenizer, text.Families[0].NgramHi, text.Bits = hashing.Space, 1, rapid.SampledFrom([]int{hashing.MinBits, DefaultBits}).Draw(t, "bits")
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
				document = append(document, entry{uint64(n * n), float32(value) / 2})
				continue
			}
			word := fmt.Sprint("w", n)
			for range value {
				lines.WriteString(word + " ")
			}
			key := hashing.Key(extract.AppendHashes(nil, []byte(word))[0], text.Bits)
			if k := slices.IndexFunc(document, func(e entry) bool { return e.key == key }); k >= 0 {
				document[k].value += float32(value)
			} else {
				document = append(document, entry{key, float32(value)})
			}
		}
		documents = append(documents, document)
		lines.WriteByte('\n')
	}
	format := corpus.TSV
	if ready {
		format = corpus.SVMLight
	}
	build := Options{Text: text, Counts: o.Counts, MinDF: rapid.IntRange(1, o.MinDF).Draw(t, "min-df of rows")}
	in := corpus.Input{Stdin: &lines, Format: format}
	ds, err := Build(context.Background(), in, build)
	must.OK(t, err)
	return ds, documents
}

// byMaps is a matrix, by key.
type byMaps struct {
	rows []map[uint64]float32
	keys []uint64 // by column
	df   map[uint64]int
}

func matrixByMaps(all [][]entry, ready bool, rows *roaring.Bitmap, o *MatrixOptions) *byMaps {
	w := &byMaps{df: map[uint64]int{}}
	whole := map[uint64]int{} // documents of all, by which columns are ordered
	for i, d := range all {
		for _, e := range d {
			if whole[e.key]++; rows.Contains(uint32(i)) {
				w.df[e.key]++
			}
		}
	}
	most := math.MaxInt
	if o.MaxDF < 1 {
		most = int(o.MaxDF * float64(rows.GetCardinality()))
	} else if o.MaxDF > 1 {
		most = int(o.MaxDF)
	}
	maps.DeleteFunc(w.df, func(_ uint64, n int) bool { return !ready && (n < o.MinDF || n > most) })
	for i, d := range all {
		if !rows.Contains(uint32(i)) {
			continue
		}
		row := map[uint64]float32{}
		for _, e := range d {
			switch {
			case w.df[e.key] == 0:
			case ready || o.Counts:
				row[e.key] = e.value
			default:
				row[e.key] = 1
			}
		}
		w.rows = append(w.rows, row)
	}
	w.keys = slices.SortedFunc(maps.Keys(w.df), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(whole[b], whole[a]), cmp.Compare(a, b))
	})
	return w
}

func (w *byMaps) check(t *rapid.T, d *Matrix) {
	if err := d.X.Validate(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(d.Keys, w.keys) {
		t.Fatalf("columns are of keys %v, want %v", d.Keys, w.keys)
	}
	if d.X.Rows != len(w.rows) || d.X.Cols != len(w.keys) {
		t.Fatalf("%d rows and %d columns, want %d and %d", d.X.Rows, d.X.Cols, len(w.rows), len(w.keys))
	}
	for j, key := range d.Keys {
		if int(d.Frequencies[j]) != w.df[key] {
			t.Fatalf("key %d is said to be in %d documents, not in %d", key, d.Frequencies[j], w.df[key])
		}
	}
	for i, row := range w.rows {
		got := map[uint64]float32{}
		columns, values := d.X.Row(i)
		for k, j := range columns {
			got[d.Keys[j]] = 1
			if values != nil {
				got[d.Keys[j]] = values[k]
			}
		}
		if !maps.Equal(got, row) {
			t.Fatalf("row %d is %v, want %v", i, got, row)
		}
	}
	if d.IDF != nil {
		for j, id := range d.Keys {
			if want := math.Log(float64(1+d.X.Rows)/float64(1+w.df[id])) + 1; math.Abs(float64(d.IDF[j])-want) > 1e-6*max(1, want) {
				t.Fatalf("idf of %d is %v, want %v", id, d.IDF[j], want)
			}
		}
	}
}
