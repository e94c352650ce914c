package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestIDs: whatever the ids of a model are, its file gives the same ones, and has no more bytes for them than a bitmap
// and ranks.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		universe := rapid.Uint64Range(1<<10, 1<<21).Draw(rt, "universe")
		distance := rapid.Uint32Range(1, 1<<18).Draw(rt, "distance")
		var ids []uint32
		for id := uint32(0); ; id++ {
			id += rapid.Uint32Range(0, distance).Draw(rt, "gap")
			if uint64(id) >= universe || len(ids) == 3000 {
				break
			}
			ids = append(ids, id)
		}
		idSections(t, universe, ids)
	})
}

// TestIDSections: each kind of section is written where it is the smallest.
func TestIDSections(t *testing.T) {
	for _, test := range []struct {
		universe uint64
		gap      uint32
		want     []string
	}{
		{4096, 0, []string{"BITMAP", "RANK"}},
		{1 << 20, 200, []string{"IDGAP8"}},
		{1 << 21, 5000, []string{"IDGAP16"}},
	} {
		var ids []uint32
		for id := uint64(0); id < test.universe && len(ids) < 3000; id += uint64(test.gap) + 1 {
			ids = append(ids, uint32(id))
		}
		if got := idSections(t, test.universe, ids); !slices.Equal(got, test.want) {
			t.Errorf("%d ids of %d are in sections %v, want %v", len(ids), test.universe, got, test.want)
		}
	}
}

// idSections writes a model with ids, checks what is read from it, and returns the names of the sections that hold ids.
func idSections(t *testing.T, universe uint64, ids []uint32) []string {
	t.Helper()
	set, err := NewSet(universe, ids)
	must.OK(t, err)
	m := few(1, 1)
	m.Universe, m.IDs, m.Dense = universe, set, make(Float32s, len(ids))
	data := encode(t, m)
	got, err := Read(data)
	must.OK(t, err)
	again := got.IDs.Bitmap(m.Universe)
	if !reflect.DeepEqual(*again, m.IDs) || got.IDs.Size != len(ids) {
		t.Fatalf("%d ids have become others", len(ids))
	}
	if listed := !bytes.Contains(data, []byte("BITMAP")); got.IDs.Listed() != listed {
		t.Fatalf("%d ids of %d are listed: %v", len(ids), m.Universe, !listed)
	}
	if !bytes.Equal(encode(t, got), data) {
		t.Fatal("they give another file")
	}
	var names []string
	size := 0
	for _, s := range takeApart(t, data).sections {
		if slices.Contains([]string{"BITMAP", "RANK", "IDGAP8", "IDGAP16"}, s.Name) {
			size += int(s.Length)
			names = append(names, s.Name)
		}
	}
	if most := 8*len(set.Words) + 4*len(set.Ranks); size > most {
		t.Fatalf("%d ids of %d take %d bytes, more than %d", len(ids), m.Universe, size, most)
	}
	return names
}

// TestMaliciousGaps: gaps that are no ids of so many rows.
func TestMaliciousGaps(t *testing.T) {
	for message, change := range map[string]func(*file){
		"it ends with a code that is no id":                   func(f *file) { f.contents["IDGAP8"][999] = 255 },
		"it has 999 ids, but there are 1000 rows":             func(f *file) { f.contents["IDGAP8"][500] = 255 },
		"it has 999 ids, but there are":                       func(f *file) { f.contents["IDGAP8"] = f.contents["IDGAP8"][:999] },
		"beyond the universe of 65536 ids":                    func(f *file) { f.contents["IDGAP8"] = slices.Repeat([]byte{254}, 1000) },
		"universe of 18446744073709551615 ids: at most":       func(f *file) { f.universe = math.MaxUint64 },
		"RANK at byte 5824: contradicts itself: ids that are": func(f *file) { f.add("RANK", make([]byte, 4<<10), false) },
		"section IDGAP8 is there as well":                     func(f *file) { f.add("BITMAP", make([]byte, 8<<10), false) },
		"format version 7 and section \"IDGAP8\" of version":  func(f *file) { f.version = 7 },
	} {
		f := takeApart(t, golden(t, "v8-8"))
		change(f)
		if _, err := decode(f.build(nil)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), message) {
			t.Errorf("got error %v, want one with %q", err, message)
		}
	}
}
