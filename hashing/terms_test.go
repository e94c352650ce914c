package hashing

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// TestTerms counts n-grams by maps too, and has every document's come back, by way of saved
// blocks, as columns.
func TestTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []Partition{{minShardBits}, {maxShardBits}} {
		for _, valued := range []bool{false, true} {
			documents := make([][]entry, 3000)
			count := map[uint64]uint32{}
			for i := range documents {
				row := map[uint64]bool{}
				for range rng.IntN(30) {
					row[mix(rng.Uint64()>>rng.IntN(60))] = true
				}
				for h := range row {
					documents[i] = append(documents[i], entry{h, float32(1 + h%7)})
					count[h]++
				}
			}
			for _, least := range []uint32{1, 2, 5} {
				blocks := splitAll(p, documents, valued)
				hashes := slices.Sorted(maps.Keys(count))
				hashes = slices.DeleteFunc(hashes, func(h uint64) bool { return count[h] < least })
				var c Counter
				var got []uint64
				terms, distinct := make([]Terms, p.Shards()), 0
				for shard := range terms {
					t2, err := p.Terms(&c, blocks, shard, least)
					if err != nil {
						t.Fatal(err)
					}
					for i, h := range t2.Hashes {
						if t2.Documents[i] != count[h] {
							t.Fatalf("n-gram %x is in %d documents, not %d", h, count[h], t2.Documents[i])
						}
					}
					got = append(got, t2.Hashes...)
					terms[shard], distinct = t2, distinct+t2.Distinct()
				}
				if !slices.Equal(got, hashes) || distinct != len(count) {
					t.Fatalf("%d n-grams of %d, want %d of %d", len(got), distinct, len(hashes), len(count))
				}
				var s Saved
				for i, b := range blocks {
					b.Save(&s)
					blocks[i] = p.Restore(make([]uint64, b.Entries()), &s)
				}
				next := uint32(1)
				for shard := range terms {
					columns := make([]uint32, len(terms[shard].Hashes))
					for i := range columns {
						columns[i] = next
						next++
					}
					p.Number(blocks, shard, &terms[shard], columns)
				}
				var d sparse.RadixBuilder
				document := 0
				for _, b := range blocks {
					d.Build(b.Enter(&d), b.Documents())
					for r := range b.Documents() {
						columns, values := d.Row(r)
						row := map[uint64]float32{}
						for k, column := range columns {
							row[hashes[column]] = 1
							if valued {
								row[hashes[column]] = values[k]
							}
						}
						want := map[uint64]float32{}
						for _, e := range documents[document] {
							if count[e.hash] >= least {
								want[e.hash] = 1
								if valued {
									want[e.hash] = e.value
								}
							}
						}
						if !maps.Equal(row, want) || !slices.IsSorted(columns) {
							t.Fatalf("document %d: %v, want %v", document, row, want)
						}
						document++
					}
				}
			}
		}
	}
}
