package kernels

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// referenceSpan is the bucket of a span by its definition: FNV-1a of the standard library is another one for bytes from
// 128 on.
func referenceSpan(span []byte, buckets uint32) uint32 {
	h := uint32(fnvStart)
	for _, c := range span {
		x := uint32(c)
		if c >= 128 {
			x |= 0xffffff00
		}
		h = (h ^ x) * fnvPrime
	}
	return h % buckets
}

func TestSpans(t *testing.T) {
	ascii := []byte("<words>")
	h := fnv.New32a()
	h.Write(ascii)
	if got, want := referenceSpan(ascii, 1<<31), h.Sum32()%(1<<31); got != want {
		t.Fatalf("the bucket of %q is %d, want %d", ascii, got, want)
	}
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(71, 72))
		cases := 3000
		if testing.Short() {
			cases /= 4
		}
		for k := range cases {
			buckets := 1 + uint32(k)
			if k%2 == 0 {
				buckets = max(1, r.Uint32()>>r.IntN(32))
			}
			b := NewSpanBuckets(buckets)
			var text SpanText
			for i := range text {
				text[i] = uint8(r.Uint32())
			}
			starts, most := 1+r.IntN(SpanStarts), 1+r.IntN(SpanLengths)
			least := 1 + r.IntN(most)
			var kept []uint64
			if r.IntN(3) > 0 && buckets < 1<<26 {
				kept = make([]uint64, (buckets+63)/64)
				for i := range kept {
					kept[i] = r.Uint64()
				}
			}
			var chosen ChosenSpans
			for n := range chosen {
				chosen[n] = r.Uint64() | uint64(k%2)*math.MaxUint64
			}
			var want []uint32
			for first := 0; first < starts; first += 8 {
				for n := least; n <= most; n++ {
					for i := first; i < first+8; i++ {
						bucket := referenceSpan(text[i:i+n], buckets)
						if chosen[n-1]>>i&1 == 1 && (kept == nil || kept[bucket/64]>>(bucket%64)&1 == 1) {
							want = append(want, bucket)
						}
					}
				}
			}
			found, intact := guarded(1, FoundSpans{})
			got := found[0][:b.Find(&found[0], &text, &chosen, starts, least, most, kept)]
			if !slices.Equal(got, want) {
				t.Fatalf("%d of %d buckets are found, want %d, or others, or in another order", len(got), buckets, len(want))
			}
			if !intact() {
				t.Fatal("something was written beside what is found")
			}
		}
	})
}

// TestSpanRemainders has the hashes around multiples of many numbers of buckets.
func TestSpanRemainders(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for k := range 200000 {
		buckets := max(1, r.Uint32()>>r.IntN(32))
		if k < 64 {
			buckets = uint32(1)<<(k/2) - uint32(k%2)
		}
		b := NewSpanBuckets(max(1, buckets))
		multiple := r.Uint32() / max(1, buckets) * max(1, buckets)
		for _, hash := range []uint32{0, multiple - 1, multiple, multiple + 1, 1<<32 - 1, r.Uint32()} {
			if got, want := b.Of(hash), hash%max(1, buckets); got != want {
				t.Fatalf("%d modulo %d is %d, want %d", hash, buckets, got, want)
			}
		}
	}
}

func BenchmarkSpans(b *testing.B) {
	buckets := NewSpanBuckets(2_000_000)
	text, chosen, found, kept := &SpanText{}, &ChosenSpans{}, &FoundSpans{}, make([]uint64, 2_000_000/64+1)
	for n := range 4 {
		chosen[n] = 1<<(10-n) - 1
	}
	copy(text[:], "<benchmark>")
	for b.Loop() {
		buckets.Find(found, text, chosen, 10, 2, 4, kept)
	}
}
