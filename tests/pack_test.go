package tests

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
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
