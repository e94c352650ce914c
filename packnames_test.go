package nbsvm

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// named packs an input with names, from a file, as it is read twice.
func named(t *testing.T, in Input, po PackOptions, memory int64) string {
	t.Helper()
	data, err := io.ReadAll(in.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "documents")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in.Paths, po.Names = []string{path}, true
	return pack(t, in, po, memory)
}

// TestNamedModels: a model of a corpus with names has the bytes of that of the texts, names
// included, also where n-grams share buckets and where rows stay on disk.
func TestNamedModels(t *testing.T) {
	for kind, s := range packShapes() {
		for name, change := range variants() {
			o := options(change)
			o.AutoNgrams = false
			if s.docs > 1000 && (o.Calibrate || testing.Short()) {
				continue
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				for _, bits := range []int{10, 18} {
					o := o
					o.Text.Bits, o.NamesLimit = bits, 100
					want, _ := mustTrain(t, s.input(), o)
					po := o.Pack()
					po.MinDF = 1
					got, _ := mustTrain(t, packedFile(named(t, s.input(), po, 0)), o)
					if !bytes.Equal(encode(t, got), encode(t, want)) {
						t.Fatalf("2^%d buckets: %d names, want %d", bits, len(got.Model().Names), len(want.Model().Names))
					}
				}
			})
		}
	}
}

// TestPackNames: every column is called what hashes to its key, the same bytes whatever
// memory and threads, and in the corpus that two make.
func TestPackNames(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 3000 })
	docs := s.records()
	o := options()
	po := o.Pack()
	po.AutoNgrams, po.MinDF = false, 1
	path := named(t, s.input(), po, 0)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := packed.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	keys, err := c.Keys()
	if err != nil {
		t.Fatal(err)
	}
	text := po.Text
	text.Bits = hashing.MinBits
	extract, err := hashing.NewExtractor(text)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = c.EachName(func(j uint32, name []byte) {
		seen++
		hashes := extract.AppendHashes(nil, name)
		if len(hashes) == 0 || hashes[len(hashes)-1] != keys[j] && !strings.Contains(string(name), "…") {
			t.Fatalf("column %d has the key %x and is called %q, whose n-grams are %x", j, keys[j], name, hashes)
		}
	})
	if err != nil || seen != len(keys) {
		t.Fatalf("%d names of %d columns, %v", seen, len(keys), err)
	}

	po.Threads = 3
	if got, err := os.ReadFile(named(t, s.input(), po, little)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("three threads and parts: %d other bytes than the %d, %v", len(got), len(want), err)
	}
	a, b := named(t, input(tsv(docs[:1000]), corpus.TSV), po, 0), named(t, input(tsv(docs[1000:]), corpus.TSV), po, 0)
	var merged bytes.Buffer
	if _, err := MergePacked(t.Context(), []string{a, b}, MergeOptions{MinDF: 1, Temp: t.TempDir()}, &merged); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(merged.Bytes(), want) {
		t.Errorf("merged: %d other bytes than the %d", merged.Len(), len(want))
	}
}

// TestPackNamesOfStdin: what can be read only once is named as well.
func TestPackNamesOfStdin(t *testing.T) {
	o := options()
	po := o.Pack()
	po.Names = true
	want, err := os.ReadFile(named(t, small.input(), po, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{0, little} {
		var got bytes.Buffer
		if po.Memory = memory; memory > 0 {
			po.Temp = t.TempDir()
		}
		if _, err := Pack(t.Context(), small.input(), po, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("memory %d: %d other bytes than the %d, %v", memory, got.Len(), len(want), err)
		}
	}
}

// TestPackNamesRefused: what has no texts has no names.
func TestPackNamesRefused(t *testing.T) {
	svm := filepath.Join(t.TempDir(), "features.svm")
	if err := os.WriteFile(svm, []byte("1 3:1\n2 4:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options()
	po := o.Pack()
	po.Names = true
	if _, err := Pack(t.Context(), packedFile(svm), po, io.Discard); err == nil || !strings.Contains(err.Error(), "ready-made features") {
		t.Errorf("%v, want an error about ready-made features", err)
	}
}
