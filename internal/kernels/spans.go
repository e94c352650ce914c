package kernels

import (
	"fmt"
	"math/bits"
)

// Sizes of what [SpanBuckets.Find] works on.
const (
	SpanStarts  = 64 // places of a text at which spans begin
	SpanLengths = 24 // bytes of the longest span
)

type (
	// SpanText is a text, and what may be read behind it.
	SpanText [SpanStarts + SpanLengths]uint8
	// ChosenSpans has bits for spans, by their length less one and by where they begin.
	ChosenSpans [SpanLengths]uint64
	// FoundSpans has room for the buckets of all spans.
	FoundSpans [SpanLengths*SpanStarts + spanLanes]uint32
)

const spanLanes = 8

// SpanBuckets puts spans of bytes into buckets: by their hash, FNV-1a of 32 bits, in which bytes from 128 on are
// negative numbers, as fastText has it, modulo how many buckets there are.
type SpanBuckets struct{ divisor spanDivisor }

// spanDivisor is how many buckets there are, a factor, and two shifts, by which a remainder is found without a division
// (Granlund and Montgomery 1994, figure 4.1).
type spanDivisor = [4]uint32

// NewSpanBuckets takes how many buckets there are, at least one.
func NewSpanBuckets(buckets uint32) SpanBuckets {
	if buckets == 0 {
		panic("kernels: no buckets")
	}
	l := uint32(bits.Len32(buckets - 1))
	factor := (1<<l - uint64(buckets)) << 32 / uint64(buckets)
	return SpanBuckets{spanDivisor{buckets, uint32(factor) + 1, min(l, 1), max(l, 1) - 1}}
}

// Of returns the bucket of a hash.
func (b *SpanBuckets) Of(hash uint32) uint32 { return remainder(hash, &b.divisor) }

func remainder(hash uint32, by *spanDivisor) uint32 {
	t := uint32(uint64(by[1]) * uint64(hash) >> 32)
	quotient := (t + (hash-t)>>(by[2]&31)) >> (by[3] & 31)
	return hash - quotient*by[0]
}

// Find finds the buckets of the chosen spans of from least to most bytes of a text, as far as they are kept, and says
// how many these are. All begin at one of the first starts bytes, rounded up to a multiple of 8: those of the first
// eight bytes come first, the shorter ones of them before the longer ones. kept has a bit for each bucket, the first
// one lowest; all are kept if it is nil. dst behind them may be written over.
func (b *SpanBuckets) Find(
	dst *FoundSpans, text *SpanText, chosen *ChosenSpans, starts, least, most int, kept []uint64,
) (n int) {
	if starts < 1 || starts > SpanStarts || least < 1 || most < least || most > SpanLengths {
		panic(fmt.Sprintf("kernels: %d starts of spans of %d to %d bytes", starts, least, most))
	}
	if need := (uint64(b.divisor[0]) + 63) / 64; kept != nil && uint64(len(kept)) < need {
		panic(fmt.Sprintf("kernels: %d words of bits for %d buckets", len(kept), b.divisor[0]))
	}
	if onAMD64 && useVectors {
		return findSpansVector(dst, text, chosen, starts, least, most, &b.divisor, kept, &packOrders)
	}
	return findSpans(dst, text, chosen, starts, least, most, &b.divisor, kept)
}

// packOrders has for each byte the numbers of its bits that are set, which a vector is brought into the order of.
var packOrders = func() (orders [256][spanLanes]uint32) {
	for mask := range orders {
		n := 0
		for lane := range uint32(spanLanes) {
			if mask>>lane&1 == 1 {
				orders[mask][n] = lane
				n++
			}
		}
	}
	return orders
}()

const (
	fnvStart = 2166136261
	fnvPrime = 16777619
)

func findSpans(
	dst *FoundSpans, text *SpanText, chosen *ChosenSpans, starts, least, most int, by *spanDivisor, kept []uint64,
) (n int) {
	for first := 0; first < starts; first += spanLanes {
		var hashes [spanLanes]uint32
		for lane := range hashes {
			hashes[lane] = fnvStart
		}
		for k := range most {
			for lane, c := range text[first+k:][:spanLanes] {
				hashes[lane] = (hashes[lane] ^ uint32(int8(c))) * fnvPrime
			}
			if k+1 < least {
				continue
			}
			for these := uint8(chosen[k] >> first); these != 0; these &= these - 1 {
				bucket := remainder(hashes[bits.TrailingZeros8(these)], by)
				dst[n] = bucket
				if kept == nil {
					n++
				} else {
					n += int(kept[bucket/64] >> (bucket % 64) & 1) // without a branch: nothing foresees it
				}
			}
		}
	}
	return n
}
