package hashing

import (
	"iter"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// bruteColumns numbers the buckets of those hashes that count.
func bruteColumns(bits int, hashes []uint64, counts func(h uint64) bool) map[uint32]uint32 {
	var buckets []uint32
	for _, h := range hashes {
		if counts(h) {
			buckets = append(buckets, Bucket(h, bits))
		}
	}
	slices.Sort(buckets)
	columns := map[uint32]uint32{}
	for i, b := range slices.Compact(buckets) {
		columns[b] = uint32(i)
	}
	return columns
}

// checkSelection compares all of a selection with the columns it should have.
func checkSelection(t interface{ Fatalf(string, ...any) }, s *Selection, bits int, hashes []uint64, counts func(h uint64) bool) {
	columns := bruteColumns(bits, hashes, counts)
	if s.Columns() != len(columns) {
		t.Fatalf("%d columns, want %d", s.Columns(), len(columns))
	}
	next := uint32(0)
	for b := range s.Buckets() {
		if column, there := columns[b]; !there || column != next {
			t.Fatalf("bucket %d is number %d, want %d, %v", b, next, column, there)
		}
		next++
	}
	if int(next) != len(columns) {
		t.Fatalf("Buckets yields %d of %d", next, len(columns))
	}
	checkTags(t, s, hashes, columns, bits, counts)
	for _, h := range hashes {
		column, ok := s.Column(h)
		if ok != counts(h) || ok && column != columns[Bucket(h, bits)] {
			t.Fatalf("n-gram %#x: column %d, %v; want %d, %v", h, column, ok, columns[Bucket(h, bits)], counts(h))
		}
	}
}

// checkTags compares the tags with those of the n-grams of every bucket.
func checkTags(t interface{ Fatalf(string, ...any) }, s *Selection, hashes []uint64, columns map[uint32]uint32, bits int, counts func(h uint64) bool) {
	want := make([]map[uint16]bool, len(columns))
	for _, h := range hashes {
		if counts(h) {
			column := columns[Bucket(h, bits)]
			if want[column] == nil {
				want[column] = map[uint16]bool{}
			}
			want[column][Tag(h)] = true
		}
	}
	for column, tag := range s.Tags(func(yield func([]uint64) bool) { yield(hashes) }) {
		if only := len(want[column]) == 1; only != (tag != 0) || only && !want[column][tag] {
			t.Fatalf("column %d has the tag %d, its n-grams have %v", column, tag, want[column])
		}
	}
}

// none is for selections that must not ask for the rows.
func none(t testing.TB) iter.Seq[[]uint64] {
	return func(func([]uint64) bool) { t.Error("asks for the rows though it need not") }
}

func TestSelectAll(t *testing.T) {
	for _, n := range []int{0, 1, 10, 5000} {
		for _, bits := range []int{MinBits, 12, 20} {
			hashes := stream(n, 2)
			s := SelectAll(bits, rowsOf(hashes))
			checkSelection(t, s, bits, hashes, func(uint64) bool { return true })
			if ngrams, exact := s.Ngrams(); ngrams != 0 || exact {
				t.Errorf("Ngrams = %d, %v, though it cannot be known", ngrams, exact)
			}
			for i := range uint64(1000) { // others share a bucket or are not selected
				h := mix(i + 1<<40)
				columns := bruteColumns(bits, hashes, func(uint64) bool { return true })
				want, there := columns[Bucket(h, bits)]
				if column, ok := s.Column(h); ok != there || ok && column != want {
					t.Fatalf("another n-gram: column %d, %v; want %d, %v", column, ok, want, there)
				}
				if len(columns) > 100 && i == 50 {
					break
				}
			}
		}
	}
}

func TestSelectByFrequency(t *testing.T) {
	const most = math.MaxUint32
	hashes := stream(20_000, 11)
	hashes = append(hashes, 0, 0, 0, 1) // the hash that marks a free entry
	exact := exactCounts(hashes)
	for _, df := range [][2]uint32{
		{2, most},
		{3, most},
		{3, 5},
		{2, 2},
		{100, most},
		{most, most},
		{5, 3},
		{1, 1},
		{1, 2},
		{1, 4},
		{1, 1000},
		{1, most},
		{0, 3},
		{1, 0},
		{0, 0},
	} {
		for _, bits := range []int{MinBits, 16} {
			// A new table each time: a selection keeps its columns there. The room
			// is ample, so that the filter makes no mistake.
			f := NewFrequencies(1 << 20)
			for _, h := range hashes {
				f.Add(h)
			}
			if mistakes := checkCounts(t, f, exact); mistakes != 0 {
				t.Fatalf("%d mistakes of a filter that is nearly empty", mistakes)
			}
			rows := none(t)
			if df[0] <= 1 && df[1] >= 1 {
				rows = rowsOf(hashes)
			}
			counts := func(h uint64) bool { return exact[h] >= df[0] && exact[h] <= df[1] }
			s := SelectByFrequency(bits, f, df[0], df[1], rows)
			checkSelection(t, s, bits, hashes, counts)

			want := uint64(0)
			for h := range exact {
				if counts(h) {
					want++
				}
			}
			n, known := s.Ngrams()
			if once := df[0] <= 1 && df[1] >= 1; known == once || known && n != want {
				t.Errorf("df %v: %d n-grams, %v; want %d", df, n, known, want)
			}
			if _, ok := s.Column(mix(99_999_999)); ok && known {
				t.Errorf("df %v: an n-gram that never occurred counts", df)
			}
		}
	}
}

// TestSelectWithMistakes has filters so full that many n-grams are counted too
// high: whatever the counts, a selection agrees with them.
func TestSelectWithMistakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := stream(rapid.IntRange(0, 30_000).Draw(t, "n"), rapid.Uint64().Draw(t, "seed"))
		f := NewFrequencies(uint64(rapid.IntRange(0, 5000).Draw(t, "room")))
		for _, h := range hashes {
			f.Add(h)
		}
		counted := map[uint64]uint32{}
		for _, h := range hashes {
			counted[h] = f.Documents(h)
		}
		minDF := rapid.Uint32Range(0, 6).Draw(t, "minDF")
		maxDF := rapid.Uint32Range(0, 50).Draw(t, "maxDF")
		bits := rapid.IntRange(MinBits, 18).Draw(t, "bits")
		s := SelectByFrequency(bits, f, minDF, maxDF, rowsOf(hashes))
		checkSelection(t, s, bits, hashes, func(h uint64) bool { return counted[h] >= minDF && counted[h] <= maxDF })
	})
}

// TestSelectionStops ends both loops over entries early.
func TestSelectionStops(t *testing.T) {
	f := NewFrequencies(100)
	for i := range uint64(50) {
		f.Add(mix(i + 1))
		f.Add(mix(i + 1))
	}
	n := 0
	for range f.entries() {
		if n++; n == 3 {
			break
		}
	}
	s := SelectByFrequency(16, f, 2, math.MaxUint32, none(t))
	for range s.Buckets() {
		if n++; n == 6 {
			break
		}
	}
	if n != 6 {
		t.Errorf("stopped after %d", n)
	}
}

// TestSelectionConcurrently is for the race detector.
func TestSelectionConcurrently(t *testing.T) {
	hashes := stream(5000, 8)
	f := NewFrequencies(5000)
	for _, h := range hashes {
		f.Add(h)
	}
	s := SelectByFrequency(14, f, 1, 10, rowsOf(hashes))
	var group sync.WaitGroup
	var sums [4]uint64
	for g := range sums {
		group.Go(func() {
			for _, h := range hashes {
				column, _ := s.Column(h)
				sums[g] += uint64(column)
			}
		})
	}
	group.Wait()
	if sums[0] == 0 || sums != [4]uint64{sums[0], sums[0], sums[0], sums[0]} {
		t.Errorf("sums of columns differ: %v", sums)
	}
}

func BenchmarkSelectionColumn(b *testing.B) {
	const n = 1 << 20
	hashes := stream(n, 3)
	bench := func(name string, s *Selection) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8 * n)
			var columns uint32
			for b.Loop() {
				for _, h := range hashes {
					column, _ := s.Column(h)
					columns += column
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/ngram")
		})
	}
	f := NewFrequencies(n)
	for _, h := range hashes {
		f.Add(h)
	}
	bench("all", SelectAll(22, rowsOf(hashes)))
	bench("repeated", SelectByFrequency(22, f, 2, math.MaxUint32, rowsOf(nil)))
}
