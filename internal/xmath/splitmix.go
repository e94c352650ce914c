package xmath

import "math/bits"

// SplitMix is the random number generator behind permutations and folds, SplitMix64 (Steele, Lea and Flood 2014): one
// 64-bit state, the same numbers on every machine and in every version. Any value is a good seed.
type SplitMix uint64

// Uint64 returns the next 64 random bits.
func (s *SplitMix) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// IntN returns a number from 0 to n-1 by Lemire's multiplication; its bias of
// n/2^64 is of no concern to a permutation.
func (s *SplitMix) IntN(n int) int {
	hi, _ := bits.Mul64(s.Uint64(), uint64(n))
	return int(hi)
}

// Shuffle permutes p (Fisher and Yates).
func Shuffle[T any](s *SplitMix, p []T) {
	for i := len(p) - 1; i > 0; i-- {
		j := s.IntN(i + 1)
		p[i], p[j] = p[j], p[i]
	}
}
