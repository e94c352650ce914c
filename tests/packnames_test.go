package tests

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// named packs an input with names, from a file, as it is read twice.
func named(t *testing.T, in corpus.Input, po packed.Options, memory int64) string {
	t.Helper()
	data, err := io.ReadAll(in.Stdin)
	must.OK(t, err)
	path := filepath.Join(t.TempDir(), "documents")
	must.OK(t, os.WriteFile(path, data, 0o600))
	in.Paths, po.Names = []string{path}, true
	return pack(t, in, po, memory)
}

// TestNamedModels: a model of a corpus with names has the bytes of that of the texts, names
// included, also where n-grams share buckets and where rows stay on disk.
func TestNamedModels(t *testing.T) {
	for kind, s := range packShapes() {
		corpora := map[string]string{} // by how they are packed
		for name, change := range variants() {
			o := options(change)
			o.AutoNgrams = false
			if s.docs > 1000 && (o.Calibrate || testing.Short()) {
				continue
			}
			s := s
			if o.Calibrate || o.Prune > 0 || o.HoldOut > 0 || s.multi {
				s.own = 20 // of packed corpora, near-duplicates that are not equal can't be found
			}
			po := o.Pack()
			po.MinDF = 1
			how := fmt.Sprintf("%+v %d", po, s.own)
			if corpora[how] == "" {
				corpora[how] = named(t, s.input(), po, 0)
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				for _, bits := range []int{10, 18} {
					o := o
					o.Text.Bits, o.NamesLimit = bits, 100
					want, _ := mustTrain(t, s.input(), o)
					got, _ := mustTrain(t, packedFile(corpora[how]), o)
					if !bytes.Equal(encode(t, got), encode(t, want)) {
						t.Fatalf("2^%d buckets: %d names, want %d", bits, len(modelOf(t, got).Names), len(modelOf(t, want).Names))
					}
				}
			})
		}
	}
}
