package model

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
)

func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		universe := rapid.OneOf(rapid.Uint64Range(0, 700), rapid.Uint64Range(1<<30, 1<<hashing.MaxKeyBits)).Draw(t, "universe")
		span := rapid.OneOf(rapid.Just(universe), rapid.Just(min(universe, 500))).Draw(t, "span") // close together, or not
		var members []uint64
		if universe > 0 {
			of := map[uint64]bool{}
			for _, key := range rapid.SliceOfN(rapid.Uint64Range(universe-span, universe-1), 0, 300).Draw(t, "keys") {
				of[key] = true
			}
			members = slices.Sorted(maps.Keys(of))
		}
		given := slices.Clone(members)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(given), func(i, k int) { given[i], given[k] = given[k], given[i] })
		s, numbers, err := NewKeySet(universe, given)
		if err != nil || s.Size() != len(members) {
			t.Fatalf("New: %v, %d members, want %d", err, s.Size(), len(members))
		}
		again, err := ascendingKeys(universe, len(members), slices.Values(members))
		if err != nil || !slices.Equal(again.members, s.members) || !slices.Equal(again.starts, s.starts) || again.shift != s.shift {
			t.Errorf("ascendingKeys: %v, or another set", err)
		}
		for i, key := range given {
			if members[numbers[i]] != key {
				t.Errorf("key %d is said to have number %d", key, numbers[i])
			}
		}
		for _, cut := range []int{0, 1, len(members) / 3, len(members)} {
			cut = min(cut, len(members))
			if got := slices.Concat(list(s, 0, cut), list(s, cut, len(members))); !slices.Equal(got, members) {
				t.Errorf("Between yields %v, cut at %d, want %v", got, cut, members)
			}
		}
		for i, key := range members {
			for _, other := range []uint64{key - 1, key, key + 1} {
				want, ok := slices.BinarySearch(members, other)
				rank, found := s.Rank(other)
				if found != ok || ok && rank != want {
					t.Errorf("Rank(%d) = %d, %v beside member %d", other, rank, found, i)
				}
			}
		}
		for _, key := range []uint64{universe, universe + 64, 1 << hashing.MaxKeyBits, 1<<64 - 1} {
			if rank, ok := s.Rank(key); ok {
				t.Errorf("Rank(%d) = %d in a universe of %d", key, rank, universe)
			}
		}
		s.Touch(append(members, universe, 1<<64-1))
	})
}

// list has the members between two numbers; nil if they are numbered wrongly.
func list(s *KeySet, lo, hi int) (keys []uint64) {
	for rank, key := range s.Between(lo, hi) {
		if got, ok := s.Rank(key); !ok || rank != got || rank != lo+len(keys) {
			return nil
		}
		keys = append(keys, key)
	}
	return keys
}

func TestZero(t *testing.T) {
	var s KeySet
	if _, ok := s.Rank(0); ok || s.Size() != 0 || len(slices.Collect(maps.Keys(maps.Collect(s.All())))) != 0 {
		t.Error("the zero value has members")
	}
}

func TestRefused(t *testing.T) {
	for want, keys := range map[string][]uint64{"9 is there twice": {9, 3, 9}, "10 is not one of 10": {3, 10}} {
		if _, _, err := NewKeySet(10, keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", keys, err, want)
		}
	}
	for _, keys := range [][]uint64{{3, 3}, {4, 3}, {3, 10}, {1, 2, 3}} {
		if _, err := ascendingKeys(10, 2, slices.Values(keys)); err == nil {
			t.Errorf("%d ascend", keys)
		}
	}
	if _, _, err := NewKeySet(1<<hashing.MaxKeyBits+1, nil); err == nil {
		t.Error("too large a universe is not refused")
	}
}

func TestAllStops(t *testing.T) {
	s, _, err := NewKeySet(300, []uint64{299, 1, 70, 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, key := range s.All() {
		if got = append(got, key); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []uint64{1, 2, 70}) {
		t.Errorf("the first three are %v", got)
	}
}

// TestFarApart: keys of the same first bits whose distance has 32 bits are in order on 32-bit systems, too.
func TestFarApart(t *testing.T) {
	given := []uint64{1<<32 - 1, 0, 3 << 30, 1 << 30}
	s, _, err := NewKeySet(1<<hashing.MaxKeyBits, given)
	if err != nil {
		t.Fatal(err)
	}
	if got := list(s, 0, len(given)); !slices.Equal(got, []uint64{0, 1 << 30, 3 << 30, 1<<32 - 1}) {
		t.Errorf("the keys are %v", got)
	}
}

func BenchmarkRank(b *testing.B) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(3, 4))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = r.Uint64() >> (64 - hashing.MaxKeyBits)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	s, _, err := NewKeySet(1<<hashing.MaxKeyBits, keys)
	if err != nil {
		b.Fatal(err)
	}
	found := 0
	for i := 0; b.Loop(); i++ {
		if _, ok := s.Rank(keys[i%len(keys)] ^ uint64(i&1)); ok {
			found++
		}
	}
	_ = found
}
