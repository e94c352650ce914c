package probe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const (
	maxLength = 130 // of the rows of tests
	margin    = 64  // entries on either side of what a probe is given
)

// guarded is a slice of n random entries inside others, of which intact says whether they
// are as they were.
func guarded(r *rand.Rand, n int) (s []uint64, intact func() bool) {
	all := make([]uint64, margin+n+margin)
	for i := range all {
		all[i] = r.Uint64()
	}
	before := slices.Clone(all)
	return all[margin : margin+n : margin+n], func() bool {
		return slices.Equal(all[:margin], before[:margin]) && slices.Equal(all[margin+n:], before[margin+n:])
	}
}

// panics is what f panics with, "" if it doesn't.
func panics(f func()) (message string) {
	defer func() {
		if e := recover(); e != nil {
			message = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

func TestReadStream(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for n := range maxLength + 1 {
		p, intact := guarded(r, n)
		var want uint64
		for _, v := range p {
			want += v
		}
		if got := ReadStream(p); got != want {
			t.Errorf("sum of %d numbers is %d, want %d", n, got, want)
		}
		// The loops for other CPUs of this architecture, where they run here.
		for name, run := range map[string]func([]uint64) (uint64, int){"AVX2": readStreamAVX2, "AVX512": readStreamAVX512} {
			if name == "AVX2" && !hasAVX2 || name == "AVX512" && !hasAVX512 {
				continue
			}
			got, done := run(p)
			for _, v := range p[done:] {
				got += v
			}
			if got != want || n-done >= 32 {
				t.Errorf("%s: sum of %d of %d numbers and the rest is %d, want %d", name, done, n, got, want)
			}
		}
		if !intact() {
			t.Fatalf("a sum of %d numbers wrote outside", n)
		}
	}
}

// aheads are distances of prefetching: none, within a group of four, about it,
// and past the end of every row of the tests.
var aheads = []int{math.MinInt, -1, 0, 1, 3, 4, 5, 16, 64, maxLength + 1, math.MaxInt}

func TestRandomProbes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for n := range maxLength + 1 {
		entries := 1 + r.IntN(300)
		table, tableIntact := guarded(r, entries)
		idx := make([]uint32, n)
		var sum uint64
		want := slices.Clone(table)
		for k := range idx {
			idx[k] = uint32(r.IntN(entries)) // not distinct
			sum += table[idx[k]]
		}
		if got := ReadGather(table, idx); got != sum {
			t.Errorf("gathered sum of %d entries is %d, want %d", n, got, sum)
		}
		for _, ahead := range aheads {
			if got := ReadRandom(table, idx, ahead); got != sum {
				t.Errorf("sum of %d entries, %d ahead, is %d, want %d", n, ahead, got, sum)
			}
		}
		for _, ahead := range aheads {
			for _, j := range idx {
				want[j]++
			}
			if ModifyRandom(table, idx, ahead); !slices.Equal(table, want) {
				t.Fatalf("modifying %d entries, %d ahead, differs from the plain loop", n, ahead)
			}
		}
		if !tableIntact() {
			t.Fatalf("row of %d: an element outside the slices was written", n)
		}
	}
}

// TestProbesOutOfRange gives every probe an id outside the table at every place.
// All before it is done by then, as in a plain loop.
func TestProbesOutOfRange(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	const n, entries = 21, 64
	for at := range n {
		for _, id := range []uint32{entries, entries + 1, 1 << 31, math.MaxUint32} {
			table, intact := guarded(r, entries)
			idx := make([]uint32, n)
			for k := range idx {
				idx[k] = uint32(k)
			}
			idx[at] = id
			want := slices.Clone(table)
			for _, ahead := range []int{0, 1, 4, 16} {
				for k := range at {
					want[k]++
				}
				for name, probe := range map[string]func(){
					"ReadRandom":   func() { ReadRandom(table, idx, ahead) },
					"ReadGather":   func() { ReadGather(table, idx) },
					"ModifyRandom": func() { ModifyRandom(table, idx, ahead) },
				} {
					if got := panics(probe); !strings.Contains(got, "index out of range") {
						t.Errorf("%s, %d ahead, with id %d at position %d: panic %q", name, ahead, id, at, got)
					}
				}
				if !slices.Equal(table, want) || !intact() {
					t.Fatalf("%d ahead, id %d at position %d: not the entries before it were modified", ahead, id, at)
				}
			}
		}
	}
	for name, probe := range map[string]func(){
		"ReadRandom":   func() { ReadRandom(nil, make([]uint32, 8), 2) },
		"ReadGather":   func() { ReadGather(nil, make([]uint32, 8)) },
		"ModifyRandom": func() { ModifyRandom(nil, make([]uint32, 8), 2) },
	} {
		if got := panics(probe); !strings.Contains(got, "index out of range") {
			t.Errorf("%s of an empty table: panic %q", name, got)
		}
	}
}
