package model

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"

	"github.com/seed-167f963f/nbsvm/internal/container"
)

// TestKeys: whatever the keys of a model are, its file gives the same ones, and takes two bits more for each than their
// distance has.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		universe := rapid.OneOf(rapid.Uint64Range(1, 1<<12), rapid.Uint64Range(1<<20, 1<<hashing.MaxKeyBits)).Draw(rt, "universe")
		distance := rapid.Uint64Range(1, universe).Draw(rt, "distance")
		var keys []uint64
		for key := uint64(0); len(keys) < 3000; key++ {
			if key += rapid.Uint64Range(0, distance).Draw(rt, "gap"); key >= universe {
				break
			}
			keys = append(keys, key)
		}
		m := few(1<<10, 1, 1)
		m.Universe, m.Keys, m.Dense = universe, keysOf(universe, keys...), make(Float32s, len(keys))
		data := encode(t, m)
		got, err := Read(data)
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(got.Keys, m.Keys) {
			rt.Fatalf("%d keys have become others", len(keys))
		}
		bits := 1.0
		if n := float64(len(keys)); n > 0 {
			bits = n * (math.Log2(float64(universe)/n) + 2)
		}
		if size := len(takeApart(t, data).contents["KEYS"]); float64(size) > bits/8+16 {
			rt.Fatalf("%d keys of %d take %d bytes", len(keys), universe, size)
		}
	})
}

// TestMaliciousKeys: words that are no keys of so many rows.
func TestMaliciousKeys(t *testing.T) {
	spoil := func(f *file, word int, x byte) { f.contents["KEYS"][8*word] ^= x }
	for message, change := range map[string]func(*file){
		"it has more keys than":                          func(f *file) { f.contents["KEYS"][len(f.contents["KEYS"])-9] = 0xff },
		"it has 1000 keys, but there are 1001 rows":      func(f *file) { f.contents["KEYS"][8*125+4] &^= 0x80 },
		"it has 125 words for so many rows":              func(f *file) { f.contents["KEYS"] = f.contents["KEYS"][8:] },
		"not one of 1001 that ascend":                    func(f *file) { spoil(f, 0, 0xff) },
		"that ascend below 65534":                        func(f *file) { f.contents[sizeSection] = container.Encode(size{1<<16 - 2, 1001, 1}) },
		"bits behind the last key are set":               func(f *file) { f.contents["KEYS"][8*94-1] = 0xff },
		"universe of 18446744073709551615 keys: at most": func(f *file) { f.contents[sizeSection] = container.Encode(size{math.MaxUint64, 1001, 1}) },
	} {
		m := few(1<<16, 1001, 37)
		m.Keys = keysOf(m.Universe, append(few(1<<16, 1000, 37).keys(), 1<<16-1)...)
		f := takeApart(t, encode(t, m))
		change(f)
		if _, err := decode(f.build()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), message) {
			t.Errorf("got error %v, want one with %q", err, message)
		}
	}
}

// keys lists the keys of a model.
func (m *Model) keys() (keys []uint64) {
	for _, key := range m.Keys.All() {
		keys = append(keys, key)
	}
	return keys
}
