package tests

import (
	"context"
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
