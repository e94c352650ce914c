package vocab

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// fataler is what testing.T and rapid.T have in common.
type fataler interface {
	Helper()
	Error(...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// valueOf is the value of an n-gram in tests.
func valueOf(hash uint64) float32 { return float32(kernels.Mix(hash) >> 40) }

const blockDocuments = 700

// cut makes a hash one of a key.
func cut(hash uint64) uint64 { return hash >> zeroBits << zeroBits }

// blocksOf makes blocks of documents.
func blocksOf(documents [][]uint64, valued bool) (blocks []*Block) {
	for some := range slices.Chunk(documents, blockDocuments) {
		var hashes []uint64
		var values []float32
		var ends []int
		for _, d := range some {
			for _, h := range d {
				if hashes = append(hashes, h); valued {
					values = append(values, valueOf(h))
				}
			}
			ends = append(ends, len(hashes))
		}
		b := new(Block)
		b.Fill(mem.Memory{Words: make([]uint64, len(hashes))}, hashes, values, ends)
		blocks = append(blocks, b)
	}
	return blocks
}

// counting is how documents are counted in a test.
type counting struct {
	memory            int64
	folder            string
	minDF             uint32
	threads, together int  // blocks
	valued            bool // documents
	stored            bool // blocks are, and loaded again
}

// vocabulary counts documents and numbers their n-grams. It returns the counted blocks as well.
func (c counting) vocabulary(t fataler, documents [][]uint64) (*Vocabulary, []*Block) {
	t.Helper()
	counter := NewCounter(c.memory, c.folder)
	defer counter.Close()
	ctx := context.Background()
	blocks := blocksOf(documents, c.valued)
	for some := range slices.Chunk(blocks, c.together) {
		must.OK(t, counter.Count(ctx, some, c.threads))
		if !c.stored {
			continue
		}
		for i, b := range some {
			some[i] = new(Block)
			some[i].Load(b.Store(nil), func(words int) mem.Memory { return mem.Memory{Words: make([]uint64, words)} })
		}
	}
	v, err := counter.Vocabulary(ctx, c.minDF, c.threads, c.memory, c.folder)
	must.OK(t, err)
	return v, blocks
}

// check compares a vocabulary and its columns with what a map counts.
func (c counting) check(t fataler, documents [][]uint64) {
	t.Helper()
	v, blocks := c.vocabulary(t, documents)
	defer v.Close()
	documentsOf := map[uint64]uint64{}
	for _, d := range documents {
		for _, h := range d {
			documentsOf[h]++
		}
	}
	if v.Distinct != uint64(len(documentsOf)) {
		t.Fatalf("%d distinct n-grams, want %d", v.Distinct, len(documentsOf))
	}
	var keys []uint64
	for h, n := range documentsOf {
		if n >= uint64(c.minDF) {
			keys = append(keys, h)
		}
	}
	slices.SortFunc(keys, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(documentsOf[b], documentsOf[a]), cmp.Compare(a, b))
	})
	if !slices.Equal(v.Keys, keys) {
		t.Fatalf("%d columns, want %d, or other keys", len(v.Keys), len(keys))
	}
	column := uint64(0)
	for _, run := range v.Runs {
		for range run.Columns {
			if got := documentsOf[keys[column]]; got != run.Frequency {
				t.Fatalf("column %d is in %d documents, want %d", column, run.Frequency, got)
			}
			column++
		}
	}
	if column != uint64(len(keys)) {
		t.Fatalf("runs of %d columns, want %d", column, len(keys))
	}
	columns := map[uint64]uint32{}
	for j, h := range keys {
		columns[h] = uint32(j) + 1
	}
	must.OK(t, v.Find(context.Background(), blocks, c.threads))
	got := make([][]uint32, len(documents))
	for k, b := range blocks {
		entries := make([]uint64, b.Entries()+1)
		var values []float32
		if c.valued {
			values = make([]float32, b.Entries()+1)
		}
		for i, e := range entries[:b.Found(entries, values)] {
			j, d := uint32(e>>32), k*blockDocuments+int(uint32(e))
			got[d] = append(got[d], j)
			if c.valued && values[i] != valueOf(keys[j]) {
				t.Fatalf("column %d has the value of another: %v", j, values[i])
			}
		}
	}
	for i, d := range documents {
		var want []uint32
		for _, h := range d {
			if columns[h] > 0 {
				want = append(want, columns[h]-1)
			}
		}
		slices.Sort(got[i])
		slices.Sort(want)
		if !slices.Equal(got[i], want) {
			t.Fatalf("document %d has columns %v, want %v", i, got[i], want)
		}
	}
}

func TestCounter(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		vocabulary := rapid.SampledFrom([]int{1, 30, 1000, 40_000}).Draw(t, "vocabulary")
		shift := rapid.SampledFrom([]int{0, 20, 33}).Draw(t, "shift") // hashes with zeros at the end, or at the top
		down := rapid.Bool().Draw(t, "down")
		documents := make([][]uint64, rapid.SampledFrom([]int{1, 3, 300, 1000}).Draw(t, "documents"))
		for i := range documents {
			seen := map[uint64]bool{}
			for range random.IntN(200) {
				// The product of two makes few n-grams frequent.
				h := kernels.Mix(uint64(random.IntN(vocabulary)*random.IntN(vocabulary)/vocabulary)) << shift
				if down {
					h >>= shift
				}
				h = cut(h)
				if !seen[h] {
					seen[h] = true
					documents[i] = append(documents[i], h)
				}
			}
		}
		c := counting{
			memory: rapid.SampledFrom([]int64{0, 1, 1 << 16, 1 << 40}).Draw(t, "memory"), folder: folder,
			minDF: uint32(rapid.IntRange(1, 4).Draw(t, "min-df")), threads: rapid.IntRange(1, 3).Draw(t, "threads"),
			together: rapid.IntRange(1, 3).Draw(t, "blocks"), valued: rapid.Bool().Draw(t, "valued"), stored: rapid.Bool().Draw(t, "stored"),
		}
		c.check(t, documents)
	})
}

// TestManyDocuments: n-grams of more documents than an entry counts itself are counted like others, also where it
// matters how many more.
func TestManyDocuments(t *testing.T) {
	documents := make([][]uint64, 9000)
	for i := range documents {
		documents[i] = []uint64{1 << zeroBits, 2 << 60}
		for word := range uint64(20) {
			if uint64(i)%(word+2) == 0 {
				documents[i] = append(documents[i], cut(kernels.Mix(word)))
			}
		}
	}
	for _, memory := range []int64{0, 1} {
		for _, minDF := range []uint32{2, halfCount - 1, halfCount, fullCount, 3000, 4500, 9000, 9001} {
			counting{memory: memory, folder: t.TempDir(), minDF: minDF, threads: 2, together: 4}.check(t, documents)
		}
	}
}

// TestCounterFlooded counts n-grams that all share the bits by which partitions are
// chosen, as somebody who knows the seed could make them: it must not take longer than others
// by more than the cache explains, let alone quadratic time.
func TestCounterFlooded(t *testing.T) {
	documents := make([][]uint64, 200)
	for i := range documents {
		for k := range 5000 {
			documents[i] = append(documents[i], 7<<restBits|uint64(i*2500+k)<<zeroBits)
		}
	}
	counting{minDF: 1, threads: 2, together: 1}.check(t, documents)
}

// TestEnter: what a table has is found in another one, of any size, and listed again.
func TestEnter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(0, 300).Draw(t, "n-grams")
		var entries []uint64
		for rest := range uint32(n) {
			entries = append(entries, entryOf(uint32(kernels.Mix(uint64(rest))>>(64-keyBits)), rest<<kernels.CountBits|1))
		}
		slices.SortFunc(entries, func(a, b uint64) int { return cmp.Compare(restOf(a), restOf(b)) })
		entries = slices.CompactFunc(entries, func(a, b uint64) bool { return restOf(a) == restOf(b) })
		want := slices.Clone(entries)
		random.Shuffle(len(entries), func(i, k int) { entries[i], entries[k] = entries[k], entries[i] })
		c := &Counter{secret: random.Uint64() | 1}
		for range 4 {
			table := tally{counter: c, partition: new(partition)}
			lines := (len(entries)+lineKeys-1)/lineKeys + rapid.IntRange(0, 20).Draw(t, "lines")
			must.OK(t, table.makeRoom(max(lines, 1)))
			table.enter(entries)
			for _, e := range want {
				if line, lane := kernels.FindKey(table.table, restOf(e), c.secret); table.table[line].Keys[lane] != restOf(e)+1 || table.table[line].Counts[lane] != uint32(e) {
					t.Fatalf("n-gram %d is not found", restOf(e))
				}
			}
			again := make([]uint64, len(entries)+1)
			list(again, table.table)
			entries = again[:len(entries)] // in the order of this table
		}
		slices.SortFunc(entries, func(a, b uint64) int { return cmp.Compare(restOf(a), restOf(b)) })
		if !slices.Equal(entries, want) {
			t.Fatalf("%d entries are listed, want %d, or they are others", len(entries), len(want))
		}
	})
}

// TestTooManyNumbers: a partition that has no number left says so.
func TestTooManyNumbers(t *testing.T) {
	counter := NewCounter(0, "")
	defer counter.Close()
	counter.partitions[7].next = maxNumbers - 3
	err := counter.Count(t.Context(), blocksOf([][]uint64{{7<<restBits | 1<<zeroBits}}, false), 1)
	if err == nil || !strings.Contains(err.Error(), "merge them") {
		t.Errorf("the last number was given: %v", err)
	}
}

// zipf are documents whose n-grams follow a skewed law: some 45 % of what a vocabulary has
// occurs once.
func zipf(n, distinct int) []uint64 {
	random := rand.New(rand.NewPCG(1, 2))
	law := rand.NewZipf(random, 1.07, 8, uint64(distinct))
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = cut(kernels.Mix(law.Uint64() * 0x9e3779b97f4a7c15))
	}
	return hashes
}

func BenchmarkCounter(b *testing.B) {
	hashes := zipf(20_000_000, 6_000_000)
	documents := slices.Collect(slices.Chunk(hashes, 200))
	blocks := blocksOf(documents, false)
	perHash := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(hashes)), "ns/hash")
	}
	b.Run("fill", func(b *testing.B) {
		var ends []int
		for end := 200; end <= 700*200; end += 200 {
			ends = append(ends, end)
		}
		memory, block := make([]uint64, 700*200), new(Block)
		for b.Loop() {
			for some := range slices.Chunk(hashes, len(memory)) {
				block.Fill(mem.Memory{Words: memory[:len(some)]}, some, nil, ends[:len(some)/200])
			}
		}
		perHash(b)
	})
	counted := func(b *testing.B, together int) *Counter {
		b.StopTimer()
		blocks = blocksOf(documents, false)
		counter := NewCounter(0, "")
		b.StartTimer()
		for some := range slices.Chunk(blocks, together) {
			must.OK(b, counter.Count(b.Context(), some, 1))
		}
		return counter
	}
	for _, together := range []int{len(blocks), 30} {
		b.Run(fmt.Sprint("count/blocks=", together), func(b *testing.B) {
			for b.Loop() {
				counted(b, together).Close()
			}
			perHash(b)
		})
	}
	for _, minDF := range []uint32{1, 2} {
		var number, find time.Duration
		b.Run(fmt.Sprint("columns/min-df=", minDF), func(b *testing.B) {
			n := uint64(0)
			for b.Loop() {
				counter := counted(b, len(blocks))
				start := time.Now()
				v, err := counter.Vocabulary(b.Context(), minDF, 1, 0, "")
				must.OK(b, err)
				middle := time.Now()
				must.OK(b, v.Find(b.Context(), blocks, 1))
				number, find, n = number+middle.Sub(start), find+time.Since(middle), n+v.Distinct
				v.Close()
				counter.Close()
			}
			b.ReportMetric(float64(number.Nanoseconds())/float64(n), "ns/ngram")
			b.ReportMetric(float64(find.Nanoseconds())/float64(b.N*len(hashes)), "ns/hash")
		})
	}
}
