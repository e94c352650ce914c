package score

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// manyRows is a model of the words and characters of texts, in which every second bucket has a row.
func manyRows(t *testing.T, values string) *model.Model {
	t.Helper()
	const bits = 12
	ids := make([]uint64, 1<<(bits-1))
	weights := make(model.Float32s, len(ids))
	for k := range ids {
		ids[k] = uint64(2 * k)
		weights[k] = float32(k%17) - 8.25
	}
	set, _, err := model.NewKeySet(1<<bits, ids)
	must.OK(t, err)
	text := hashing.DefaultOptions()
	text.Families, err = hashing.NewFamilies(
		hashing.Family{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, hashing.Family{Tokenizer: hashing.Char, NgramLo: 2, NgramHi: 5})
	must.OK(t, err)
	text.Bits = bits
	return &model.Model{
		Meta: model.Meta{
			Labels: []string{"neg", "pos"}, Task: "binary", Link: "margin", Source: "text", Values: values, Text: text,
		},
		Universe: 1 << bits, Keys: *set, Outputs: 1, Dense: weights, Bias: []float64{0}, Base: []float64{0}, Threshold: []float64{0},
	}
}

// numbered is a text of so many numbered words.
func numbered(words int) []byte {
	var text strings.Builder
	for n := range words {
		fmt.Fprintf(&text, "w%d ", n*n%99_991)
	}
	return []byte(text.String())
}

// TestLongDocument: a long text has the rows and values that it has if all of its n-grams are in memory at once,
// whatever stands before it.
func TestLongDocument(t *testing.T) {
	must.SkipUnderRace(t)
	short, long := []byte("w1 w2 w1"), numbered(60_000)
	for _, values := range []string{"binary", "count"} {
		m := manyRows(t, values)
		of, err := newNgrams(m)
		must.OK(t, err)
		n := of.(*ngrams)
		for _, adds := range []bool{false, true} {
			for _, texts := range [][][]byte{{long}, {short, long, short}, {nil, long, nil, long}} {
				table := newTable(m)
				whole, pieces := &batch{m: m, table: table, adds: adds}, &batch{m: m, table: table, adds: adds}
				found := 0
				pieces.lookUp = func() { found++; pieces.find() }
				pieces.ctx = context.Background()
				for _, text := range texts {
					if n.once {
						whole.hashes, _ = n.extract.AppendPieces(whole.hashes, text, nil)
					} else {
						hashes, counts := n.extract.AppendDistinct(nil, []uint32{}, text)
						for i, h := range hashes {
							n.add(whole, h, float32(counts[i]))
						}
					}
					whole.end()
					must.OK(t, n.append(pieces, text))
					if most := 4 * hashing.PieceHashes; len(pieces.hashes) > most || len(pieces.keys) > 2*most {
						t.Errorf("%s: %d hashes and %d keys are in memory", values, len(pieces.hashes), len(pieces.keys))
					}
					pieces.end()
				}
				whole.find()
				pieces.find()
				if n.once && found == 0 {
					t.Error("the long text was not taken in pieces")
				}
				for k := range texts {
					whole.take(k)
					pieces.take(k)
					if !reflect.DeepEqual(whole.sums, pieces.sums) || !slices.Equal(whole.rows, pieces.rows) || !slices.Equal(whole.rowValues, pieces.rowValues) {
						t.Errorf("%s, added up: %v: text %d of %d has %d rows, %+v, want %d, %+v", values, adds, k+1, len(texts),
							len(pieces.rows), pieces.sums, len(whole.rows), whole.sums)
					}
				}
			}
		}
	}
}

// TestLongMemory: what a text of megabytes takes is bounded, and a context ends it. All its n-grams took a hundred
// bytes for each of its own.
func TestLongMemory(t *testing.T) {
	must.SkipUnderRace(t)
	long := numbered(1_000_000)
	for _, values := range []string{"binary", "count"} {
		m := manyRows(t, values)
		c := New(m)
		s, err := c.NewScorer()
		must.OK(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.Predict(long); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s: a text of %d MiB took %d MiB", values, len(long)>>20, took>>20)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.reset()
		if err := s.add(ctx, long); err != context.Canceled {
			t.Errorf("%s: %v", values, err)
		}
	}
}
