package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	packedfile "github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// little is memory with which nothing is kept: texts are read again, and counts wait in a file.
const little = dataset.MinMemory

// pack packs an input into a file.
func pack(t testing.TB, in corpus.Input, o packed.Options, memory int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.nbc")
	f, err := os.Create(path)
	must.OK(t, err)
	o.Temp, o.Memory = t.TempDir(), memory
	if _, err := packed.Pack(context.Background(), in, o, f); err != nil {
		t.Fatal(err)
	}
	must.OK(t, f.Close())
	if left, _ := filepath.Glob(filepath.Join(o.Temp, "*")); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	return path
}

func packedFile(path string) corpus.Input {
	return corpus.Input{Paths: []string{path}}
}

// packShapes are corpora of every kind.
func packShapes() map[string]shape {
	return map[string]shape{
		"two classes": small,
		"three":       small.with(func(s *shape) { s.classes = 3 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 3, true }),
		"weights":     small.with(func(s *shape) { s.weights = true }),
		"many":        small.with(func(s *shape) { s.docs, s.classes = 9000, 5 }),
	}
}

// TestPackedParts: three packed corpora make the model of the text that they are parts of, also from standard input.
func TestPackedParts(t *testing.T) {
	data := tsv(small.with(func(s *shape) { s.classes = 3 }).records())
	for _, threads := range []int{1, 4} {
		o := options(func(o *nbsvm.Options) { o.Threads, o.NamesLimit = threads, 0 })
		po := o.Pack()
		po.MinDF = 1
		var parts []string
		for i := range 3 {
			lo, hi := lineStart(data, i*len(data)/3), lineStart(data, (i+1)*len(data)/3)
			parts = append(parts, pack(t, input(data[lo:hi], corpus.TSV), po, 0))
		}
		whole, _ := mustTrain(t, corpus.Input{Stdin: bytes.NewReader(data), Format: corpus.TSV}, o)
		got, _ := mustTrain(t, corpus.Input{Paths: parts}, o)
		if !bytes.Equal(encode(t, got), encode(t, whole)) {
			t.Errorf("%d threads: another model, made %s, want %s", threads, modelOf(t, got).Meta.Made, modelOf(t, whole).Meta.Made)
		}
	}
}

// TestPackBytes: neither memory nor threads change a corpus.
func TestPackBytes(t *testing.T) {
	for kind, s := range packShapes() {
		t.Run(kind, func(t *testing.T) {
			for _, counts := range []bool{false, true} {
				for _, least := range []int{1, 2, 3} {
					if hurry() && least > 1 {
						continue
					}
					all := options()
					po := all.Pack()
					po.AutoNgrams, po.Counts, po.MinDF = false, counts, least
					want, err := os.ReadFile(pack(t, s.input(), po, 0))
					must.OK(t, err)
					po.Threads = 3
					for _, memory := range []int64{0, little, 2 * little} {
						got, err := os.ReadFile(pack(t, s.input(), po, memory))
						must.OK(t, err)
						if !bytes.Equal(got, want) {
							t.Fatalf("counts %t, min-df %d, memory %d: %d other bytes than the %d", counts, least, memory, len(got), len(want))
						}
					}
				}
			}
		})
	}
}

// TestPackFeatures packs ready-made features, in memory and in parts: values that are all 1
// leave none, and the one that is not may come last.
func TestPackFeatures(t *testing.T) {
	for _, last := range []string{"1", "0.5"} {
		rng := rand.New(rand.NewPCG(1, 1))
		var text []byte
		for range 40_000 {
			text = fmt.Appendf(text, "%d", rng.IntN(3))
			for id := rng.IntN(3); id < 1000; id += 1 + rng.IntN(200) {
				text = fmt.Appendf(text, " %d:1", 1+id*id*id)
			}
			text = append(text, '\n')
		}
		text = fmt.Appendf(text, "1 7:%s 2147483646:1\n", last)
		path := filepath.Join(t.TempDir(), "features.svm")
		must.OK(t, os.WriteFile(path, text, 0o600))
		o := options()
		po := o.Pack()
		po.Threads = 3
		want, err := os.ReadFile(pack(t, packedFile(path), po, 0))
		must.OK(t, err)
		parts := pack(t, packedFile(path), po, little)
		got, err := os.ReadFile(parts)
		must.OK(t, err)
		if !bytes.Equal(got, want) {
			t.Errorf("last value %s: other bytes in parts", last)
		}
		var back bytes.Buffer
		if _, err := dataset.Export(context.Background(), parts, &back); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.Bytes(), text) {
			t.Errorf("last value %s: other features came back", last)
		}
	}
}

// TestPackedRows compares rows with the n-grams of the texts.
func TestPackedRows(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 500 })
	o := options(func(o *nbsvm.Options) { o.AutoNgrams, o.Values = false, nbsvm.Count })
	po := o.Pack()
	po.MinDF = 1
	c, err := packedfile.Open(pack(t, s.input(), po, 0))
	must.OK(t, err)
	defer c.Close()
	readAll(t, s.input(), &o)
	keys, err := c.Keys()
	must.OK(t, err)
	frequency := map[uint64]uint64{}
	for doc, b := range ngramsOf(t, s, &o) {
		row := rowOf(t, c, uint64(doc))
		if len(row) != len(b) {
			t.Fatalf("document %d has %d columns and %d n-grams", doc, len(row), len(b))
		}
		for _, j := range row {
			key := keys[j]
			if !b[key] {
				t.Fatalf("document %d has the key %x, which is none of its n-grams", doc, key)
			}
			frequency[key]++
		}
	}
	err = c.EachColumn(func(j uint32, key, n uint64) {
		if frequency[key] != n {
			t.Fatalf("column %d is in %d documents, not %d", j, frequency[key], n)
		}
	})
	must.OK(t, err)
}

// ngramsOf lists the documents' n-grams.
func ngramsOf(t *testing.T, s shape, o *nbsvm.Options) (all []map[uint64]bool) {
	extract, err := hashing.NewExtractor(o.Text)
	must.OK(t, err)
	for _, doc := range s.records() {
		set := map[uint64]bool{}
		hashes, _ := extract.AppendDistinct(nil, nil, []byte(doc.text))
		for _, h := range hashes {
			set[h] = true
		}
		all = append(all, set)
	}
	return all
}

// TestPackedCancelled: whatever reads all of a corpus ends when it is told to.
func TestPackedCancelled(t *testing.T) {
	o := options(func(o *nbsvm.Options) { o.AutoNgrams = false })
	po := o.Pack()
	po.MinDF = 1
	path := pack(t, small.input(), po, 0)
	c, _ := mustTrain(t, packedFile(path), o)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, f := range map[string]func() error{
		"train":    func() error { _, _, err := nbsvm.Train(ctx, packedFile(path), o); return err },
		"cv":       func() error { _, err := nbsvm.CrossValidate(ctx, packedFile(path), o, 2); return err },
		"evaluate": func() error { _, err := c.Evaluate(ctx, packedFile(path), nbsvm.ScoreOptions{}); return err },
		"export":   func() error { _, err := dataset.Export(ctx, path, io.Discard); return err },
		"pack":     func() error { _, err := packed.Pack(ctx, small.input(), po, io.Discard); return err },
		"merge": func() error {
			_, err := dataset.Merge(ctx, []string{path, path}, dataset.MergeOptions{MinDF: 1, Temp: t.TempDir()}, io.Discard)
			return err
		},
		"append": func() error {
			po := po
			po.Temp = t.TempDir()
			_, err := packed.Append(ctx, path, small.input(), po, io.Discard)
			return err
		},
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rowOf are the columns of a document.
func rowOf(t *testing.T, c *packedfile.Corpus, doc uint64) []uint32 {
	t.Helper()
	b := sort.Search(c.Blocks(), func(b int) bool { _, end, _ := c.BlockRange(b); return doc < end })
	var m sparse.CSR
	must.OK(t, c.Block(b, &m))
	first, _, _ := c.BlockRange(b)
	columns, _ := m.Row(int(doc - first))
	return columns
}
