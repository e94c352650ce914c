package idset

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// check compares an indexed set with the ids it should have.
func check(t interface{ Errorf(string, ...any) }, s *Set, universe uint64, want map[uint32]bool) {
	members := slices.Sorted(maps.Keys(want))
	if s.Size != len(members) {
		t.Errorf("Size = %d, want %d", s.Size, len(members))
	}
	var got []uint32
	for rank, id := range s.All() {
		if rank != len(got) {
			t.Errorf("All yields number %d, want %d", rank, len(got))
		}
		got = append(got, id)
	}
	if !slices.Equal(got, members) {
		t.Errorf("All yields %v, want %v", got, members)
	}
	for _, cut := range []int{0, 1, len(members) / 3, len(members)} {
		if cut = min(cut, len(members)); !slices.Equal(slices.Concat(numbers(s, 0, cut), numbers(s, cut, len(members))), members) {
			t.Errorf("Between yields others than %v, cut at %d", members, cut)
		}
	}
	next := 0
	for id := range uint32(universe + 200) {
		rank, ok := s.Rank(id)
		switch {
		case ok != want[id]:
			t.Errorf("Rank(%d) says %v, want %v", id, ok, want[id])
		case ok && rank != next || !ok && rank != 0:
			t.Errorf("Rank(%d) = %d, want %d", id, rank, next)
		case ok:
			next++
		}
	}
}

// numbers are the members between two numbers.
func numbers(s *Set, lo, hi int) (ids []uint32) {
	for rank, id := range s.Between(lo, hi) {
		if got, ok := s.Rank(id); !ok || rank != got || rank != lo+len(ids) {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		universe := rapid.Uint64Range(0, 700).Draw(t, "universe")
		s, want := New(universe), map[uint32]bool{}
		if universe > 0 {
			ids := rapid.SliceOfN(rapid.Uint32Range(0, uint32(universe-1)), 0, 300)
			for round := range 2 { // members may be added and the set indexed again
				for _, id := range ids.Draw(t, "ids") {
					s.Add(id)
					want[id] = true
				}
				if round == 0 {
					s.Index()
				}
			}
		}
		s.Index()
		check(t, s, universe, want)
		listed := FromMembers(slices.Sorted(maps.Keys(want)), universe)
		check(t, listed, universe, want)
		check(t, listed.Bitmap(universe), universe, want)
		if !listed.Listed() || s.Listed() || listed.Bitmap(universe).Listed() || s.Bitmap(universe) != s {
			t.Error("a set has another form than was asked for")
		}
	})
}

func TestSeams(t *testing.T) {
	for _, universe := range []uint64{0, 1, 63, 64, 65, 127, 128, 129, 4096} {
		empty, full := New(universe), New(universe)
		want := map[uint32]bool{}
		for id := range uint32(universe) {
			full.Add(id)
			want[id] = true
		}
		empty.Index()
		full.Index()
		check(t, empty, universe, nil)
		check(t, full, universe, want)
	}
}

func TestFarBeyondTheUniverse(t *testing.T) {
	s := New(100)
	s.Add(99)
	s.Index()
	for _, id := range []uint32{100, 127, 128, 1 << 31, 1<<32 - 1} {
		if rank, ok := s.Rank(id); ok || rank != 0 {
			t.Errorf("Rank(%d) = %d, %v in a universe of 100", id, rank, ok)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("adding an id far beyond the universe does not panic")
		}
	}()
	s.Add(1 << 20)
}

func TestAllStops(t *testing.T) {
	s := New(300)
	for _, id := range []uint32{1, 2, 70, 299} {
		s.Add(id)
	}
	var got []uint32
	for _, id := range s.All() {
		if got = append(got, id); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []uint32{1, 2, 70}) {
		t.Errorf("the first three are %v", got)
	}
}
