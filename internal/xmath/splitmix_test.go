package xmath

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPublishedValues has the first numbers of the seed 1234567, as published
// with the reference implementation.
func TestPublishedValues(t *testing.T) {
	s := SplitMix(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// chiSquare of counts that should be equal, as standard deviations above or
// below its mean.
func chiSquare(counts []int) float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	want := float64(total) / float64(len(counts))
	var sum float64
	for _, n := range counts {
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	freedom := float64(len(counts) - 1)
	return (sum - freedom) / math.Sqrt(2*freedom)
}

func TestIntNRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := SplitMix(rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(1, math.MaxInt).Draw(t, "n")
		if got := s.IntN(n); got < 0 || got >= n {
			t.Errorf("IntN(%d) = %d", n, got)
		}
	})
}

func TestShuffleIsAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Int()).Draw(t, "p")
		seed := SplitMix(rapid.Uint64().Draw(t, "seed"))
		a, b := slices.Clone(p), slices.Clone(p)
		one, other := seed, seed
		Shuffle(&one, a)
		Shuffle(&other, b)
		if !slices.Equal(a, b) || one != other {
			t.Errorf("one seed, two results: %v and %v", a, b)
		}
		slices.Sort(a)
		slices.Sort(p)
		if !slices.Equal(a, p) {
			t.Errorf("shuffled to other elements")
		}
	})
}

// TestShuffleIsUniform counts all 24 permutations of four.
func TestShuffleIsUniform(t *testing.T) {
	counts := map[[4]int]int{}
	s := SplitMix(7)
	for range 24 * 500 {
		p := [4]int{0, 1, 2, 3}
		Shuffle(&s, p[:])
		counts[p]++
	}
	all := make([]int, 0, 24)
	for _, n := range counts {
		all = append(all, n)
	}
	if x := chiSquare(all); len(all) != 24 || math.Abs(x) > 5 {
		t.Errorf("%d of 24 permutations, chi-square is %.1f standard deviations off", len(all), x)
	}
}

// TestShuffleGolden pins a permutation: folds and epochs follow from it.
func TestShuffleGolden(t *testing.T) {
	p := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	s := SplitMix(1)
	Shuffle(&s, p)
	if want := []int{9, 0, 1, 4, 8, 2, 3, 7, 6, 5}; !slices.Equal(p, want) {
		t.Errorf("seed 1 shuffles ten numbers to %v, want %v", p, want)
	}
}
