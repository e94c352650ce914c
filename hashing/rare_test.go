package hashing

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// stream draws n document-wise distinct n-grams, of which about half are new and
// the others repeat earlier ones, the older the more often: the shape of bigrams.
func stream(n int, seed uint64) (hashes []uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	fresh := uint64(0)
	for len(hashes) < n {
		if fresh < 8 || r.IntN(2) == 0 {
			fresh++
			hashes = append(hashes, mix(seed+fresh*golden))
			continue
		}
		old := uint64(math.Exp(r.Float64()*math.Log(float64(fresh)))) - 1
		hashes = append(hashes, mix(seed+(1+old)*golden))
	}
	return hashes
}

func exactCounts(hashes []uint64) map[uint64]uint32 {
	counts := map[uint64]uint32{}
	for _, h := range hashes {
		counts[h]++
	}
	return counts
}

// checkCounts compares with exact counts, and returns how many are too high,
// by one, because the filter was mistaken.
func checkCounts(t testing.TB, f *Frequencies, want map[uint64]uint32) (mistakes int) {
	t.Helper()
	repeated := 0
	for h, n := range want {
		got := f.Documents(h)
		switch {
		case got == n+1 && got >= 2:
			mistakes++
		case got != n:
			t.Fatalf("n-gram %#x: %d documents, want %d", h, got, n)
		}
		if n > 1 {
			repeated++
		}
		if got > 1 != (f.shards[Shard(h)].table.find(h) != nil) {
			t.Fatalf("n-gram %#x: %d documents, yet its entry says otherwise", h, got)
		}
	}
	if f.Repeated() < repeated || f.Repeated() > repeated+mistakes {
		t.Fatalf("Repeated() = %d, want %d and at most %d mistakes", f.Repeated(), repeated, mistakes)
	}
	return mistakes
}

func TestFrequenciesAgainstMap(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000, 100_000, 1_000_000} {
		hashes := stream(n, uint64(n))
		want := exactCounts(hashes)
		f := NewFrequencies(uint64(len(want)))
		for _, h := range hashes {
			f.Add(h)
		}
		// While it fills, a filter makes fewer mistakes than when it is full.
		mistakes := checkCounts(t, f, want)
		if rate := float64(mistakes) / float64(max(len(want), 1)); rate > falsePositives/2 && mistakes > 2 {
			t.Errorf("%d n-grams: %d of %d distinct ones are counted too high", n, mistakes, len(want))
		}
		for _, h := range []uint64{0, 1, 31, 32, math.MaxUint64, mix(12345)} {
			if _, there := want[h]; !there && f.Documents(h) != 1 {
				t.Errorf("%d n-grams: %#x was never counted, but Documents = %d", n, h, f.Documents(h))
			}
		}
	}
}

// TestFalsePositives fills the filters to what they were made for, and asks for
// n-grams that they have not seen.
func TestFalsePositives(t *testing.T) {
	const distinct, asked = 500_000, 500_000
	f := NewFrequencies(distinct)
	for i := range uint64(distinct) {
		f.Add(mix(i * golden))
	}
	mistakes := 0
	for i := range uint64(asked) {
		h := mix((distinct + i) * golden)
		s := &f.shards[Shard(h)]
		b, _ := s.once.find(h)
		before := *b
		if s.once.testOrAdd(h) {
			mistakes++
		}
		*b = before // so that asking leaves no trace
	}
	rate := float64(mistakes) / asked
	t.Logf("rate when full: %.2g", rate)
	if rate > 1.2*falsePositives || rate < falsePositives/20 {
		t.Errorf("the share of false positives is %g when full, want about %g", rate, falsePositives)
	}
}

// TestOverfull has ten times as many n-grams as room was made for: more are
// mistaken for repeated ones, and no count is ever too low.
func TestOverfull(t *testing.T) {
	f := NewFrequencies(1000)
	hashes := stream(100_000, 5)
	for _, h := range hashes {
		f.Add(h)
	}
	if mistakes := checkCounts(t, f, exactCounts(hashes)); mistakes == 0 {
		t.Error("an overfull filter makes no mistake?")
	}
}

// TestShardsAndThreads wants the same counts, mistakes and all, whatever the
// order of the shards and the number of threads that fill them.
func TestShardsAndThreads(t *testing.T) {
	hashes := stream(200_000, 9)
	fill := func(f *Frequencies, mine func(shard int) bool) {
		for _, h := range hashes {
			if mine(Shard(h)) {
				f.Add(h)
			}
		}
	}
	const room = 20_000 // too little, so that there are mistakes to compare
	one := NewFrequencies(room)
	fill(one, func(int) bool { return true })
	check := func(what string, other *Frequencies) {
		t.Helper()
		if one.Repeated() != other.Repeated() {
			t.Errorf("%s: %d repeated n-grams, want %d", what, other.Repeated(), one.Repeated())
		}
		for _, h := range hashes {
			if one.Documents(h) != other.Documents(h) {
				t.Fatalf("%s: n-gram %#x has %d documents, want %d", what, h, other.Documents(h), one.Documents(h))
			}
		}
	}

	backwards := NewFrequencies(room)
	for shard := Shards - 1; shard >= 0; shard-- {
		fill(backwards, func(s int) bool { return s == shard })
	}
	check("last shard first", backwards)

	for _, threads := range []int{2, 3, 7, Shards, 2 * Shards} {
		f := NewFrequencies(room)
		var group sync.WaitGroup
		for part := range threads {
			group.Go(func() { fill(f, func(s int) bool { return s%threads == part }) })
		}
		group.Wait()
		check(fmt.Sprint(threads, " threads"), f)
	}
}

// TestZeroHash counts the hash that marks a free entry, beside the one it is
// stored as.
func TestZeroHash(t *testing.T) {
	f := NewFrequencies(10_000)
	for range 3 {
		f.Add(0)
	}
	for range 5 {
		f.Add(1)
	}
	for i := range uint64(5000) { // until the tables grow; mix(0) is 0
		f.Add(mix(i + 1))
		f.Add(mix(i + 1))
	}
	if f.Documents(0) != 3 || f.Documents(1) != 5 {
		t.Errorf("hashes 0 and 1 have %d and %d documents, want 3 and 5", f.Documents(0), f.Documents(1))
	}
	s := SelectByFrequency(12, f, 3, math.MaxUint32, nil)
	if n, exact := s.Ngrams(); n != 2 || !exact {
		t.Errorf("%d n-grams of three documents, %v", n, exact)
	}
	if column, ok := s.Column(0); column != 0 || !ok {
		t.Errorf("hash 0 has the column %d, %v", column, ok)
	}
}

func TestFrequenciesSaturate(t *testing.T) {
	f := NewFrequencies(1)
	f.Add(77)
	f.Add(77)
	f.shards[Shard(77)].table.find(77).documents = math.MaxUint32 - 1
	f.Add(77)
	f.Add(77)
	if got := f.Documents(77); got != math.MaxUint32 {
		t.Errorf("Documents = %d, want it to stay at %d", got, uint32(math.MaxUint32))
	}
}

// TestTable draws hashes that share their home, so that chains form and wrap
// around the end, and compares with a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tab table
		tab.init(1 << rapid.IntRange(1, 4).Draw(t, "size"))
		want := map[uint64]uint32{}
		hash := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) uint64 { return rapid.Uint64Range(0, 3).Draw(t, "high")<<40 | 0x1e0 }),
			rapid.Uint64Range(0, 300),
			rapid.Uint64(),
		)
		for i, h := range rapid.SliceOfN(hash, 0, 200).Draw(t, "hashes") {
			h = max(h, 1) // 0 and 1 never meet in one table
			if e := tab.find(h); e != nil {
				if e.documents != want[h] {
					t.Fatalf("entry of %#x holds %d, want %d", h, e.documents, want[h])
				}
				continue
			}
			if _, there := want[h]; there {
				t.Fatalf("lost %#x", h)
			}
			want[h] = uint32(i)
			tab.insert(h).documents = uint32(i)
		}
		if tab.used != len(want) || 2*tab.used > len(tab.entries) {
			t.Fatalf("%d used of %d, want %d and half at most", tab.used, len(tab.entries), len(want))
		}
		for h, n := range want {
			if e := tab.find(h); e == nil || e.documents != n || e.hash != h {
				t.Fatalf("find(%#x) = %+v, want %d", h, e, n)
			}
		}
	})
}

func TestEstimateDistinct(t *testing.T) {
	if got := EstimateDistinct(nil); got != 0 {
		t.Errorf("EstimateDistinct of nothing = %d", got)
	}
	for _, distinct := range []int{10_000, 100_000, 2_000_000} {
		var sample []uint64
		r := rand.New(rand.NewPCG(1, uint64(distinct)))
		document := make([]uint64, 0, 100)
		for i := range distinct {
			document = append(document, mix(uint64(i)))
			if r.IntN(2) == 0 { // again what came before: duplicates do not count
				document = append(document, mix(uint64(r.IntN(i+1))))
			}
			if len(document) > 98 || i == distinct-1 {
				sample = AppendSample(sample, document)
				document = document[:0]
			}
		}
		got := float64(EstimateDistinct(slices.Clone(sample)))
		deviation := math.Exp2(sampleBits/2) / math.Sqrt(float64(distinct))
		if off := got/float64(distinct) - 1; math.Abs(off) > 4*deviation {
			t.Errorf("estimate of %d is %v: off by %.2g, more than four standard deviations of %.2g", distinct, got, off, deviation)
		}
		slices.Reverse(sample)
		if again := float64(EstimateDistinct(sample)); again != got {
			t.Errorf("the order of the sample matters: %v, then %v", got, again)
		}
		if again := float64(EstimateDistinct(sample)); again != got {
			t.Errorf("the same sample again gives %v, then %v", got, again)
		}
	}
}

// TestSampleIsIndependent wants the sample to be as spread over shards and
// buckets as all hashes are.
func TestSampleIsIndependent(t *testing.T) {
	shards, buckets := map[int]int{}, map[uint32]int{}
	var sample []uint64
	for i := range uint64(1 << 19) {
		sample = AppendSample(sample, []uint64{mix(i)})
	}
	for _, h := range sample {
		shards[Shard(h)]++
		buckets[Bucket(h, 5)]++
	}
	for i := range Shards {
		mean := float64(len(sample)) / Shards
		for what, n := range map[string]int{"shard": shards[i], "bucket": buckets[uint32(i)]} {
			if math.Abs(float64(n)-mean) > 6*math.Sqrt(mean) {
				t.Errorf("%s %d has %d of the sample, want about %.0f", what, i, n, mean)
			}
		}
	}
}

// rowsOf yields the hashes in rows of a few.
func rowsOf(hashes []uint64) iter.Seq[[]uint64] { return slices.Chunk(hashes, 7) }

func BenchmarkFrequenciesAdd(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 20, 1 << 23} {
		b.Run(fmt.Sprintf("ngrams=%d", n), func(b *testing.B) {
			hashes := stream(n, 3)
			distinct := uint64(len(exactCounts(hashes)))
			b.SetBytes(int64(8 * n))
			for b.Loop() {
				f := NewFrequencies(distinct)
				for _, h := range hashes {
					f.Add(h)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/ngram")
		})
	}
}

// BenchmarkFrequenciesNew adds n-grams that are all new, which is where the
// filter costs most.
func BenchmarkFrequenciesNew(b *testing.B) {
	const n = 1 << 21
	b.SetBytes(8 * n)
	for b.Loop() {
		f := NewFrequencies(n)
		for i := range uint64(n) {
			f.Add(mix(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/ngram")
}

func BenchmarkEstimateDistinct(b *testing.B) {
	hashes := stream(1<<20, 4)
	b.SetBytes(8 << 20)
	var sample []uint64
	for b.Loop() {
		sample = AppendSample(sample[:0], hashes)
		EstimateDistinct(sample)
	}
}
