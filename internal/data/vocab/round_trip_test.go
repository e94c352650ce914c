package vocab

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// checkReadBack opens a corpus, whose documents and their order are known, and compares all of it.
func checkReadBack(t testing.TB, data []byte, docs []document, kind Values) *Corpus {
	t.Helper()
	c, err := opened(t, data)
	must.OK(t, err)
	must.OK(t, c.Verify(context.Background()))
	keys, err := c.Keys()
	must.OK(t, err)
	doc := 0
	var m sparse.CSR
	for b := range c.Blocks() {
		must.OK(t, c.Block(b, &m))
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		for i := range m.Rows {
			d := &docs[doc]
			columns, values := m.Row(i)
			if len(columns) != len(d.keys) {
				t.Fatalf("document %d has %d entries, want %d", doc, len(columns), len(d.keys))
			}
			for k, j := range columns {
				at, ok := slices.BinarySearch(d.keys, keys[j])
				if !ok || kind != Binary && values[k] != d.values[at] {
					t.Fatalf("document %d: key %x is not its own, or has another value", doc, keys[j])
				}
			}
			if !c.Sets[d.labels[0]].Contains(uint32(doc)) {
				t.Fatalf("document %d lost its label", doc)
			}
			doc++
		}
	}
	if doc != len(docs) {
		t.Fatalf("%d documents of %d", doc, len(docs))
	}
	return c
}

// shapes are what the rows of a corpus can be like: given a document's number, its keys.
var shapes = []struct {
	name string
	keys func(rng *rand.Rand, doc, width int) []uint64
}{
	{"none", func(*rand.Rand, int, int) []uint64 { return nil }},
	{"single column", func(*rand.Rand, int, int) []uint64 { return []uint64{math.MaxUint64} }},
	{"constant", func(_ *rand.Rand, _, width int) []uint64 { return first(width) }},
	{"nearly constant", func(rng *rand.Rand, _, width int) []uint64 {
		return append(first(width), uint64(width+rng.IntN(40)))
	}},
	{"dense", func(rng *rand.Rand, _, width int) []uint64 {
		return slices.DeleteFunc(first(width), func(uint64) bool { return rng.IntN(20) == 0 })
	}},
	{"one huge", func(_ *rand.Rand, doc, width int) []uint64 {
		if doc == 1 {
			return first(1000 * width)
		}
		return first(doc % 3)
	}},
	{"sparse", func(rng *rand.Rand, _, width int) []uint64 {
		var keys []uint64
		for range width {
			keys = append(keys, rng.Uint64()>>rng.IntN(64))
		}
		slices.Sort(keys)
		return slices.Compact(keys)
	}},
	{"one each", func(_ *rand.Rand, doc, _ int) []uint64 { return []uint64{uint64(doc) << 40} }},
}

func first(n int) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(i)
	}
	return keys
}

// wholes and floats are values of all sizes.
var (
	wholes = []float32{1, 2, 127, 128, 1<<24 - 1, 1 << 24, 1<<24 + 2, 3 << 24, 1<<32 - 256, 1 << 32}
	floats = []float32{1, -1, 0.5, 1e-45, -math.MaxFloat32, math.MaxFloat32, 1 << 24, 0}
)

// shaped makes documents of a shape. All values are the same where small is true.
func shaped(rng *rand.Rand, shape, n, width int, kind Values, small bool) []document {
	values := wholes
	if kind == Floats {
		values = floats
	}
	if small {
		values = values[:1]
	}
	docs := make([]document, n)
	for i := range docs {
		d := document{keys: shapes[shape].keys(rng, i, width), labels: []int{i % 2}, weight: 1}
		for range d.keys {
			d.values = append(d.values, values[rng.IntN(len(values))])
		}
		docs[i] = d
	}
	return docs
}

// roundTrip packs documents in two parts, merges them, and reads all three.
func roundTrip(t testing.TB, docs []document, kind Values) {
	labels := []string{"a", "b"}
	whole := checkReadBack(t, corpusOf(t, docs, labels, kind, 1), docs, kind)
	var parts []*Corpus
	for _, part := range [][]document{docs[:len(docs)/3], docs[len(docs)/3:]} {
		parts = append(parts, checkReadBack(t, corpusOf(t, part, labels, kind, 1), part, kind))
	}
	head := whole.Head
	head.Runs, head.Distinct = nil, 0
	var merged bytes.Buffer
	o := MergeOptions{Kind: kind, MinDF: 1, Threads: 2, Temp: t.TempDir()}
	if _, err := Merge(context.Background(), &merged, parts, &head, o); err != nil {
		t.Fatal(err)
	}
	checkReadBack(t, merged.Bytes(), docs, kind)
}

// TestWrittenIsRead: what the writer writes, and what is merged of it, the reader takes and reads the
// same: rows of any shape, of which those of few gaps take less than a byte an entry, and any values.
func TestWrittenIsRead(t *testing.T) {
	must.SkipUnderRace(t)
	for shape := range shapes {
		for _, kind := range kinds {
			for _, n := range []int{1, 3, blockRows + 1} {
				t.Run(fmt.Sprintf("%s/kind %d/%d documents", shapes[shape].name, kind, n), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(9, 9))
					width := 1 + 100/n
					if n > 3 {
						width = 6
					}
					for _, small := range []bool{false, true} {
						roundTrip(t, shaped(rng, shape, n, width, kind, small), kind)
					}
				})
			}
		}
	}
}

// TestHugeRow: a row of more entries than blocks have otherwise.
func TestHugeRow(t *testing.T) {
	must.SkipUnderRace(t)
	docs := shaped(rand.New(rand.NewPCG(10, 10)), 2, 3, 10, Floats, true)
	docs[1].keys = first(BlockEntries + 5)
	docs[1].values = slices.Repeat([]float32{1}, len(docs[1].keys))
	roundTrip(t, docs, Floats)
}

// TestOneLabel: sets of documents that are one long run.
func TestOneLabel(t *testing.T) {
	docs := shaped(rand.New(rand.NewPCG(11, 11)), 1, 1<<17+1, 1, Binary, true)
	for i := range docs {
		docs[i].labels[0] = 0
	}
	checkReadBack(t, corpusOf(t, docs, []string{"a"}, Binary, 1), docs, Binary)
}

// FuzzWrittenIsRead is TestWrittenIsRead for any numbers of documents and columns.
func FuzzWrittenIsRead(f *testing.F) {
	for shape := range shapes {
		f.Add(uint64(shape), uint8(shape), uint8(shape), uint8(5), uint8(30), shape%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, shape, kind, documents, width uint8, small bool) {
		rng := rand.New(rand.NewPCG(seed, seed))
		of := kinds[int(kind)%len(kinds)]
		roundTrip(t, shaped(rng, int(shape)%len(shapes), 1+int(documents), int(width), of, small), of)
	})
}

// TestMostEntries compares with the least that entries take.
func TestMostEntries(t *testing.T) {
	for kind, quarters := range map[Values]uint64{Binary: 1, Counts: 5, Floats: 17} {
		for _, bytes := range []uint64{0, 1, 2, 3, 4, 5, 16, 17, 1000, 1 << 50} {
			if got, want := kind.mostEntries(bytes), 4*bytes/quarters; got != want {
				t.Errorf("kind %d: %d entries in %d bytes, want %d", kind, got, bytes, want)
			}
		}
	}
}

// TestCountsThatAreNone: counts that no float32 holds are refused, and those beyond 2^32.
func TestCountsThatAreNone(t *testing.T) {
	for _, v := range []uint64{0, 1<<24 + 1, 1<<32 - 1, 1<<32 + 512, 1 << 40, math.MaxUint64} {
		if isCount(v) {
			t.Errorf("%d is taken", v)
		}
	}
}
