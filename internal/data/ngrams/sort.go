package ngrams

import (
	"math/bits"
	"slices"
)

// sorter sorts numbers that are spread evenly, as hashes are: every number goes near its place by one
// multiplication, and a few neighbours are put in order. Others are sorted as well, only slower. It is
// scratch memory, for one goroutine at a time.
type sorter struct {
	ends   []uint32
	sorted []uint64
}

// sort sorts numbers in place, or in the sorter's memory.
func (r *sorter) sort(s []uint64) []uint64 {
	if len(s) < 64 {
		slices.Sort(s)
		return s
	}
	low, high := s[0], s[0]
	for _, x := range s {
		low, high = min(low, x), max(high, x)
	}
	buckets := uint64(len(s))
	span := high - low
	if span == 0 {
		return s
	}
	shift := bits.LeadingZeros64(span)
	bucket := func(x uint64) uint64 {
		b, _ := bits.Mul64((x-low)<<shift, buckets)
		return b
	}
	r.ends = slices.Grow(r.ends[:0], len(s)+1)[:len(s)+1]
	ends := r.ends
	clear(ends)
	for _, x := range s {
		ends[bucket(x)+1]++
	}
	for i := range buckets {
		ends[i+1] += ends[i]
	}
	r.sorted = slices.Grow(r.sorted[:0], len(s))[:len(s)]
	sorted := r.sorted
	for _, x := range s {
		end := &ends[bucket(x)]
		sorted[*end] = x
		*end++
	}
	from := uint32(0)
	for _, end := range ends[:buckets] {
		if end-from > 24 {
			slices.Sort(sorted[from:end])
		}
		from = end
	}
	for i, x := range sorted {
		for ; i > 0 && sorted[i-1] > x; i-- {
			sorted[i] = sorted[i-1]
		}
		sorted[i] = x
	}
	return sorted
}
