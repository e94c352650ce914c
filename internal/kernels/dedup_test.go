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
	r := rand.New(rand.NewPCG(49, 50))
	for n := range 300 {
		if n == 299 {
			n = MaxDistinct
		}
		kinds, size, key := 1+r.IntN(n+1), 2<<r.IntN(12), r.Uint64()|1
		hashes, _ := guarded[uint64](n, guardID)
		for i := range hashes {
			hashes[i] = uint64(r.IntN(kinds)) * 0xbf58476d1ce4e5b9
		}
		marks, _ := guarded[uint8](n, 0xa5)
		left, _ := guarded[uint32](n, guardID)
		table, _ := guarded[uint16](size, 0xa5a5)
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
	}
}
