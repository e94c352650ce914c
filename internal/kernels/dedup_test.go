package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// referenceFirsts is MarkDistinct by its words.
func referenceFirsts(hashes []uint64, size int, key uint64) (marks []bool, left []uint32) {
	shift := 64
	for 1<<(64-shift) < size {
		shift--
	}
	owner := map[uint64]uint64{}
	met := map[uint64]bool{}
	for _, h := range hashes {
		if _, taken := owner[h*key>>shift]; !taken {
			owner[h*key>>shift] = h
		}
	}
	for i, h := range hashes {
		if owner[h*key>>shift] != h {
			left = append(left, uint32(i))
			marks = append(marks, false)
			continue
		}
		marks = append(marks, !met[h])
		met[h] = true
	}
	return marks, left
}

func TestFirsts(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(49, 50))
		for n := range 300 {
			if n == 299 {
				n = MaxDistinct
			}
			kinds, size, key := 1+r.IntN(n+1), 2<<r.IntN(12), r.Uint64()|1
			hashes, hashesIntact := guarded[uint64](n, guardID)
			for i := range hashes {
				hashes[i] = uint64(r.IntN(kinds)) * 0xbf58476d1ce4e5b9
			}
			marks, marksIntact := guarded[uint8](n, 0xa5)
			left, leftIntact := guarded[uint32](n, guardID)
			table, tableIntact := guarded[uint16](size, 0xa5a5)
			for i := range table {
				table[i] = uint16(r.Uint32()) // what others left there
			}
			wantMarks, wantLeft := referenceFirsts(hashes, size, key)
			got := MarkDistinct(marks, left, hashes, table, key)
			if !slices.Equal(left[:got], wantLeft) {
				t.Fatalf("%d hashes of %d: %d are left, want %d, or they are others", n, kinds, got, len(wantLeft))
			}
			var want []uint64
			for i, mark := range wantMarks {
				if mark != (marks[i] == 1) || marks[i] > 1 {
					t.Fatalf("%d hashes of %d: mark %d is not %v", n, kinds, i, mark)
				}
				if mark {
					want = append(want, hashes[i])
				}
			}
			if kept := KeepMarked(hashes, marks); !slices.Equal(hashes[:kept], want) {
				t.Fatalf("%d hashes of %d: %d are kept, want %d, or they are others", n, kinds, kept, len(want))
			}
			if !hashesIntact() || !marksIntact() || !leftIntact() || !tableIntact() {
				t.Fatal("something outside the slices was written")
			}
		}
	})
}

func TestFirstsPanic(t *testing.T) {
	marks, left, hashes, table := make([]uint8, 9), make([]uint32, 9), make([]uint64, 9), make([]uint16, 16)
	for name, call := range map[string]func(){
		"too few marks":     func() { MarkDistinct(marks[:8], left, hashes, table, 1) },
		"too few left":      func() { MarkDistinct(marks, left[:8], hashes, table, 1) },
		"no power of two":   func() { MarkDistinct(marks, left, hashes, table[:15], 1) },
		"too small a table": func() { MarkDistinct(marks, left, hashes, table[:1], 1) },
		"too many hashes": func() {
			MarkDistinct(make([]uint8, MaxDistinct+1), make([]uint32, MaxDistinct+1), make([]uint64, MaxDistinct+1), table, 1)
		},
		"too few marks to keep": func() { KeepMarked(hashes, marks[:8]) },
	} {
		if panics(call) == "" {
			t.Errorf("no panic of %s", name)
		}
	}
}
