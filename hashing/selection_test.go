package hashing

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// entry is an n-gram of a document, and its value.
type entry struct {
	hash  uint64
	value float32
}

// byMaps is a selection by maps.
type byMaps struct {
	counts             map[uint64]uint32 // documents of every n-gram
	buckets, documents []uint32
	tags               []uint16
	selected, shared   uint64
	rows               []map[uint32]float32 // by document: column to value
}

func newByMaps(documents [][]entry, bits int, minDF, maxDF uint32) *byMaps {
	r := &byMaps{counts: map[uint64]uint32{}}
	for _, document := range documents {
		for _, e := range document {
			r.counts[e.hash]++
		}
	}
	ngrams := map[uint32][]uint64{} // by bucket
	for h, n := range r.counts {
		if n >= minDF && n <= maxDF {
			ngrams[Bucket(h, bits)] = append(ngrams[Bucket(h, bits)], h)
			r.selected++
		}
	}
	r.buckets = slices.Sorted(maps.Keys(ngrams))
	columns := map[uint32]uint32{}
	for j, bucket := range r.buckets {
		columns[bucket] = uint32(j)
		tag := Tag(ngrams[bucket][0])
		for _, h := range ngrams[bucket] {
			if Tag(h) != tag {
				tag = 0
			}
		}
		r.tags = append(r.tags, tag)
		if len(ngrams[bucket]) > 1 {
			r.shared++
		}
	}
	r.documents = make([]uint32, len(r.buckets))
	for _, document := range documents {
		row := map[uint32]float32{}
		for _, e := range document {
			if n := r.counts[e.hash]; n >= minDF && n <= maxDF {
				row[columns[Bucket(e.hash, bits)]] += e.value
			}
		}
		for j := range row {
			r.documents[j]++
		}
		r.rows = append(r.rows, row)
	}
	return r
}

// splitAll makes blocks of documents, with values if they are wanted.
func splitAll(p Partition, documents [][]entry, valued bool) (blocks []*Block) {
	for part := range slices.Chunk(documents, p.MaxDocuments()) {
		var rows [][]uint64
		var values []float32
		n := 0
		for _, document := range part {
			var hashes []uint64
			for _, e := range document {
				hashes = append(hashes, e.hash)
				if valued {
					values = append(values, e.value)
				}
			}
			rows = append(rows, hashes)
			n += len(hashes)
		}
		blocks = append(blocks, p.Split(make([]uint64, n), rows, values))
	}
	return blocks
}

// selectAll selects all shards, by some threads.
func selectAll(s *Selection, blocks []*Block, threads int) *Columns {
	var group sync.WaitGroup
	for part := range threads {
		group.Go(func() {
			var c Counter
			for shard := part; shard < s.partition.Shards(); shard += threads {
				s.Select(&c, blocks, shard)
			}
		})
	}
	group.Wait()
	return s.Finish()
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// check compares all of a selection, and the rows that come of it, with maps.
func (r *byMaps) check(t fataler, s *Selection, columns *Columns, blocks []*Block, valued bool) {
	t.Helper()
	if !slices.Equal(columns.Buckets, r.buckets) {
		t.Fatalf("columns of buckets %v, want %v", columns.Buckets, r.buckets)
	}
	if !slices.Equal(columns.Documents, r.documents) {
		t.Fatalf("columns of %v documents, want %v", columns.Documents, r.documents)
	}
	if !slices.Equal(columns.Tags, r.tags) {
		t.Fatalf("tags %v, want %v", columns.Tags, r.tags)
	}
	if s.Distinct() != uint64(len(r.counts)) || s.Ngrams() != r.selected || s.Shared() != r.shared {
		t.Fatalf("%d n-grams, %d count, %d columns of several; want %d, %d and %d", s.Distinct(), s.Ngrams(), s.Shared(), len(r.counts), r.selected, r.shared)
	}
	mistakes := 0
	for h, n := range r.counts {
		want := n >= s.minDF && n <= s.maxDF
		if got := s.Holds(h); want && !got {
			t.Fatalf("n-gram %#x of %d documents counts, but is not held", h, n)
		} else if got != want {
			mistakes++
		}
	}
	if mistakes > 2+len(r.counts)/1000 {
		t.Fatalf("%d of %d n-grams are held that do not count", mistakes, len(r.counts))
	}
	number := make([]uint32, len(r.buckets)) // any one will do
	for j := range number {
		number[j] = uint32(3*len(number) - 2*j)
	}
	for shard := range s.partition.Shards() {
		s.Renumber(&Counter{}, blocks, shard, number)
	}
	var rows Rows
	document, kept, own := 0, 0, 0
	for _, b := range blocks {
		rows.Fill(b)
		wantKept, wantOwn := 0, 0
		for k := range b.Documents() {
			want := map[uint32]float32{}
			for j, value := range r.rows[document] {
				if !valued {
					value = 0
				}
				want[number[j]] = value
				if r.documents[j] == 1 {
					wantOwn++
				}
			}
			wantKept += len(want)
			got := map[uint32]float32{}
			columns, values := rows.Row(k)
			for i, j := range columns {
				got[j] += 0
				if valued {
					got[j] += values[i]
				}
			}
			if !maps.Equal(got, want) || !valued && values != nil {
				t.Fatalf("document %d: row %v of values %v, want %v", document, columns, values, want)
			}
			document++
		}
		if b.Kept() != wantKept || b.Own() != wantOwn {
			t.Fatalf("a block of %d documents keeps %d entries and owns %d columns, want %d and %d", b.Documents(), b.Kept(), b.Own(), wantKept, wantOwn)
		}
		kept, own = kept+wantKept, own+wantOwn
	}
	if document != len(r.rows) {
		t.Fatalf("%d documents, want %d", document, len(r.rows))
	}
}

// TestSelectionAgainstMaps draws documents of n-grams that often share a bucket, or all
// but a bit of their hash, and the hashes that a free place might be taken for.
func TestSelectionAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(MinBits, 20).Draw(t, "bits")
		p := Partition{rapid.IntRange(minShardBits, min(bits, maxShardBits)).Draw(t, "shard bits")}
		hash := rapid.OneOf(
			rapid.SampledFrom([]uint64{0, 1, math.MaxUint64, 1 << 63, 1<<56 - 1, 1 << 44, 3 << 44}),
			rapid.Custom(func(t *rapid.T) uint64 { return mix(rapid.Uint64Range(1, 500).Draw(t, "ngram")) }),
			rapid.Custom(func(t *rapid.T) uint64 {
				return rapid.Uint64Range(0, 3).Draw(t, "shard")<<56 | rapid.Uint64Range(0, 40).Draw(t, "low")
			}),
		)
		documents := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []entry {
			var document []entry
			for _, h := range rapid.SliceOfNDistinct(hash, 0, 30, func(h uint64) uint64 { return h }).Draw(t, "document") {
				document = append(document, entry{h, float32(rapid.IntRange(1, 9).Draw(t, "value"))})
			}
			return document
		}), 0, 40).Draw(t, "documents")
		minDF := rapid.Uint32Range(0, 5).Draw(t, "minDF")
		maxDF := rapid.SampledFrom([]uint32{0, 1, 2, 5, 20, math.MaxUint32}).Draw(t, "maxDF")
		valued := rapid.Bool().Draw(t, "valued")
		blocks := splitAll(p, documents, valued)
		s := NewSelection(p, bits, minDF, maxDF)
		columns := selectAll(s, blocks, rapid.IntRange(1, 3).Draw(t, "threads"))
		newByMaps(documents, bits, minDF, maxDF).check(t, s, columns, blocks, valued)
	})
}

// corpus draws documents whose n-grams are new or repeat earlier ones, the older the
// more often: the shape of text.
func corpus(n int, seed uint64) (documents [][]entry) {
	r := rand.New(rand.NewPCG(seed, 1))
	fresh := uint64(0)
	for n > 0 {
		seen := map[uint64]bool{}
		var document []entry
		for range min(n, 1+r.IntN(400)) {
			h := mix(seed + golden*uint64(math.Exp(r.Float64()*math.Log(float64(fresh+1)))))
			if r.IntN(2) == 0 {
				fresh++
				h = mix(seed + golden*fresh)
			}
			if !seen[h] {
				seen[h] = true
				document = append(document, entry{h, float32(1 + r.IntN(3))})
			}
			n--
		}
		documents = append(documents, document)
	}
	return documents
}

// TestSelectionOfCorpus wants the same of every partition and number of threads, of so
// many n-grams that tables grow and blocks follow one another.
func TestSelectionOfCorpus(t *testing.T) {
	documents := corpus(80_000, 7)
	for _, bits := range []int{MinBits, 12, 22, MaxBits} {
		for _, df := range [][2]uint32{{1, math.MaxUint32}, {2, math.MaxUint32}, {1, 3}, {3, 50}} {
			want := newByMaps(documents, bits, df[0], df[1])
			for shardBits := minShardBits; shardBits <= min(bits, maxShardBits); shardBits++ {
				threads := shardBits - minShardBits + 1
				t.Run(fmt.Sprintf("bits=%d/df=%d-%d/threads=%d", bits, df[0], df[1], threads), func(t *testing.T) {
					p := Partition{shardBits}
					valued := threads%2 == 0
					blocks := splitAll(p, documents, valued)
					if len(blocks) < 2 && shardBits == minShardBits {
						t.Fatalf("%d documents make %d blocks", len(documents), len(blocks))
					}
					s := NewSelection(p, bits, df[0], df[1])
					want.check(t, s, selectAll(s, blocks, threads), blocks, valued)
				})
			}
		}
	}
}

func TestNewPartition(t *testing.T) {
	for _, test := range []struct {
		distinct   uint64
		bits, want int
	}{
		{0, 8, 256},
		{0, 30, 256},
		{5_000_000, 22, 512},
		{5_000_000, 8, 256},
		{20_000_000, 10, 1024},
		{20_000_000, 22, 2048},
		{math.MaxUint64, 30, 2048},
	} {
		p := NewPartition(test.distinct, test.bits)
		if p.Shards() != test.want || p.MaxDocuments() != test.want {
			t.Errorf("%d n-grams, %d bits: %d shards, %d documents a block, want %d", test.distinct, test.bits, p.Shards(), p.MaxDocuments(), test.want)
		}
	}
}
