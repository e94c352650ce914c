package ngrams

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// fataler is what testing.T and rapid.T have in common.
type fataler interface {
	Helper()
	Error(...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// blocksOf makes blocks of documents.
func blocksOf(documents [][]uint64, columns map[uint64]uint32) (blocks []*Block) {
	for some := range slices.Chunk(documents, 700) {
		var hashes []uint64
		var values []float32
		var ends []int
		for _, d := range some {
			for _, h := range d {
				hashes, values = append(hashes, h), append(values, float32(columns[h]))
			}
			ends = append(ends, len(hashes))
		}
		if columns == nil {
			values = nil
		}
		b := new(Block)
		b.Fill(make([]uint64, len(hashes)), hashes, values, ends)
		blocks = append(blocks, b)
	}
	return blocks
}

// countAll counts documents, some blocks at a time, and numbers their n-grams. If they are to be screened, all are noted
// before; what was counted by then does not matter.
func countAll(t fataler, memory int64, folder string, minDF uint32, documents [][]uint64, threads, together int, screened bool) *Vocabulary {
	t.Helper()
	counter := NewCounter(memory, folder)
	defer counter.Close()
	ctx := context.Background()
	all := slices.Collect(slices.Chunk(blocksOf(documents, nil), together))
	each := func(visit func(context.Context, []*Block, int) error, some [][]*Block) {
		for _, blocks := range some {
			if err := visit(ctx, blocks, threads); err != nil {
				t.Fatal(err)
			}
		}
	}
	if screened {
		each(counter.Count, all[:min(1, len(all))])
		counter.Screen()
		each(counter.Note, all)
	}
	each(counter.Count, all)
	v, err := counter.Vocabulary(ctx, minDF, threads, memory, folder)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkVocabulary compares a vocabulary with what a map counts.
func checkVocabulary(t fataler, v *Vocabulary, minDF uint32, documents [][]uint64) {
	t.Helper()
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
		if n >= uint64(minDF) {
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
			if got := documentsOf[keys[column]]; got != run.Documents {
				t.Fatalf("column %d is in %d documents, want %d", column, run.Documents, got)
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
	for _, c := range []map[uint64]uint32{nil, columns} {
		blocks := blocksOf(documents, c)
		if err := v.Find(context.Background(), blocks, 2); err != nil {
			t.Fatal(err)
		}
		got := make([][]uint32, len(documents))
		for k, b := range blocks {
			entries := make([]uint64, b.Entries()+1)
			var values []float32
			if c != nil {
				values = make([]float32, b.Entries()+1)
			}
			for i, e := range entries[:b.Found(entries, values)] {
				j, d := uint32(e>>32), k*700+int(uint32(e))
				got[d] = append(got[d], j)
				if c != nil && values[i] != float32(j+1) {
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
				if !seen[h] {
					seen[h] = true
					documents[i] = append(documents[i], h)
				}
			}
		}
		memory := rapid.SampledFrom([]int64{0, 1, 1 << 16, 1 << 40}).Draw(t, "memory")
		minDF := uint32(rapid.IntRange(1, 4).Draw(t, "min-df"))
		v := countAll(t, memory, folder, minDF, documents, rapid.IntRange(1, 3).Draw(t, "threads"), rapid.IntRange(1, 3).Draw(t, "blocks"), false)
		defer v.Close()
		checkVocabulary(t, v, minDF, documents)
		if minDF > 1 {
			screened := countAll(t, max(memory, 1), folder, minDF, documents, rapid.IntRange(1, 3).Draw(t, "threads"), rapid.IntRange(1, 3).Draw(t, "blocks"), true)
			defer screened.Close()
			checkVocabulary(t, screened, minDF, documents)
		}
	})
}

// TestScreen: of n-grams of one document, few are counted if there is a cell for each.
func TestScreen(t *testing.T) {
	const documents, each = 1000, 500
	random := rand.New(rand.NewPCG(1, 1))
	texts := make([][]uint64, documents)
	for i := range texts {
		for range each {
			texts[i] = append(texts[i], random.Uint64())
		}
		texts[i] = append(texts[i], 1, 2) // which all have
	}
	for _, test := range []struct {
		memory      int64
		least, most float64 // share of n-grams of one document that have a cell alone: exp(-n-grams / cells)
	}{{312_500, .33, .345}, {12_500_000, .97, .98}} {
		counter := NewCounter(test.memory, t.TempDir())
		defer counter.Close()
		counter.Screen()
		blocks := blocksOf(texts, nil)
		if err := counter.Note(t.Context(), blocks, 2); err != nil {
			t.Fatal(err)
		}
		if err := counter.Count(t.Context(), blocks, 2); err != nil {
			t.Fatal(err)
		}
		if got := float64(counter.single.Load()) / (documents * each); got < test.least || got > test.most {
			t.Errorf("%d bytes: %.3f of the n-grams were not counted, want %.3f to %.3f", test.memory, got, test.least, test.most)
		}
	}
}

// TestOutgrows: of Zipf's law, some text tells how many n-grams more text has.
func TestOutgrows(t *testing.T) {
	const all, first = 1 << 22, 1 << 18
	hashes := zipf(all, 1<<24)
	distinct := map[uint64]bool{}
	for _, h := range hashes {
		distinct[h] = true
	}
	var texts [][]uint64
	for text := range slices.Chunk(hashes[:first], 100) {
		slices.Sort(text)
		texts = append(texts, slices.Compact(text))
	}
	for _, test := range []struct {
		memory, entries int64
		want            bool
	}{{0, first, false}, {14 * int64(len(distinct)) * 3 / 4, first, true}, {14 * int64(len(distinct)) * 3 / 4, 4 * first, false}, {14 * int64(len(distinct)) * 4 / 3, first, false}} {
		counter := NewCounter(test.memory, t.TempDir())
		defer counter.Close()
		if err := counter.Count(t.Context(), blocksOf(texts, nil), 2); err != nil {
			t.Fatal(err)
		}
		got, err := counter.Outgrows(t.Context(), float64(first)/all, test.entries, 2)
		if err != nil || got != test.want {
			t.Errorf("%d n-grams in %d bytes: outgrows %t, %v; want %t", len(distinct), test.memory, got, err, test.want)
		}
	}
}

// TestFrequent counts some n-grams at places of their own, very often, and compares their counts and columns.
func TestFrequent(t *testing.T) {
	const times = 5000 // an entry counts to 2047 itself
	random := rand.New(rand.NewPCG(1, 1))
	documents := make([][]uint64, 700)
	for i := range documents {
		for word := range uint64(300) {
			if random.Uint64N(word+1) < 10 {
				documents[i] = append(documents[i], kernels.Mix(word))
			}
		}
	}
	ctx := context.Background()
	counter := NewCounter(0, "")
	defer counter.Close()
	if err := counter.Count(ctx, blocksOf(documents, nil), 2); err != nil {
		t.Fatal(err)
	}
	frequent, err := counter.Frequent(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]uint32, FrequentPlaces)
	var places []uint16
	left := 0
	for _, d := range documents {
		var others []uint64
		others, places = frequent.Split(slices.Clone(d), places)
		left += len(others)
	}
	if left > len(places)/50 {
		t.Fatalf("%d n-grams are not frequent, %d are", left, len(places))
	}
	for _, place := range places {
		counts[place] += times
	}
	if err := counter.AddFrequent(frequent, counts); err != nil {
		t.Fatal(err)
	}
	v, err := counter.Vocabulary(ctx, 2, 2, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	own, all := map[uint64]uint64{}, map[uint64]uint64{}
	for _, d := range documents {
		for _, h := range d {
			own[h]++
		}
	}
	for h, n := range own {
		if all[h] = n; n >= 3 && frequent.hashes[h>>frequentShift] == h {
			all[h] += n * times
		}
	}
	v.Number(frequent)
	column := 0
	for _, run := range v.Runs {
		for range run.Columns {
			h := v.Keys[column]
			if all[h] != run.Documents {
				t.Fatalf("column %d is in %d documents, want %d", column, run.Documents, all[h])
			}
			if place := h >> frequentShift; frequent.hashes[place] == h && frequent.columns[place] != uint32(column) {
				t.Fatalf("column %d is number %d among the frequent", column, frequent.columns[place])
			}
			column++
		}
	}
	for place, column := range v.Frequent().columns {
		if column != NoColumn && v.Keys[column]>>frequentShift != uint64(place) {
			t.Fatalf("column %d is at place %d", column, place)
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
			documents[i] = append(documents[i], 7<<53|uint64(i*2500+k)<<20)
		}
	}
	v := countAll(t, 0, "", 1, documents, 2, 1, false)
	defer v.Close()
	checkVocabulary(t, v, 1, documents)
}

func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 63, 64, 65, 1000, 5000}).Draw(t, "n")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		mask := uint64(1)<<rapid.IntRange(0, 63).Draw(t, "bits") - 1
		s := make([]uint64, n)
		for i := range s {
			if s[i] = random.Uint64() & mask; i%3 == 0 && random.IntN(2) == 0 {
				s[i] = mask
			}
		}
		want := slices.Clone(s)
		slices.Sort(want)
		if got := new(sorter).sort(s); !slices.Equal(got, want) {
			t.Fatalf("%d numbers of %d bits are not sorted", n, 64)
		}
	})
}

// zipf are documents whose n-grams follow a skewed law: some 45 % of what a vocabulary has
// occurs once.
func zipf(n, distinct int) []uint64 {
	random := rand.New(rand.NewPCG(1, 2))
	law := rand.NewZipf(random, 1.07, 8, uint64(distinct))
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = kernels.Mix(law.Uint64() * 0x9e3779b97f4a7c15)
	}
	return hashes
}

func BenchmarkCounter(b *testing.B) {
	hashes := zipf(20_000_000, 6_000_000)
	documents := slices.Collect(slices.Chunk(hashes, 200))
	blocks := blocksOf(documents, nil)
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
				block.Fill(memory[:len(some)], some, nil, ends[:len(some)/200])
			}
		}
		perHash(b)
	})
	var v *Vocabulary
	for _, together := range []int{len(blocks), 30} {
		b.Run(fmt.Sprint("count/blocks=", together), func(b *testing.B) {
			for b.Loop() {
				counter := NewCounter(0, "")
				for some := range slices.Chunk(blocks, together) {
					if err := counter.Count(b.Context(), some, 1); err != nil {
						b.Fatal(err)
					}
				}
				counter.Close()
			}
			perHash(b)
		})
	}
	for _, minDF := range []uint32{1, 2} {
		b.Run(fmt.Sprint("number/min-df=", minDF), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				counter := NewCounter(0, "")
				_ = counter.Count(b.Context(), blocks, 1)
				b.StartTimer()
				var err error
				if v, err = counter.Vocabulary(b.Context(), minDF, 1, 0, ""); err != nil {
					b.Fatal(err)
				}
				counter.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(v.Distinct), "ns/ngram")
		})
		b.Run(fmt.Sprint("find/min-df=", minDF), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				blocks := blocksOf(documents, nil)
				b.StartTimer()
				if err := v.Find(b.Context(), blocks, 1); err != nil {
					b.Fatal(err)
				}
			}
			perHash(b)
		})
	}
}
