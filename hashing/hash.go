package hashing

import (
	"encoding/binary"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// golden is 2^64 divided by the golden ratio.
const golden = 0x9e3779b97f4a7c15

// Key returns the feature number of an n-gram: the top bits of its hash. bits is 1 to 64.
func Key(hash uint64, bits int) uint64 { return hash >> (64 - bits) }

func mix(x uint64) uint64 { return kernels.Mix(x) }

func mum(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// keys are the constants of the hash function, derived from a seed.
type keys struct {
	a, b  uint64               // of tokens
	order [maxNgram + 1]uint64 // of n-grams; order[0] is not used
}

func newKeys(seed uint64) keys {
	base := mix(seed)
	key := func(i uint64) uint64 { return mix(base + i*golden) }
	k := keys{a: key(1), b: key(2)}
	for n := range k.order {
		k.order[n] = key(16 + uint64(n))
	}
	return k
}

// short returns the hash of a token of n bytes, at most 16, which are the bytes of a
// and b; the bytes after them are zero.
func (k *keys) short(a, b uint64, n int) uint64 {
	return mum(a^k.a, b^k.b) + uint64(n)*golden
}

// token returns the hash of a token of any length.
func (k *keys) token(p []byte) uint64 {
	n := len(p)
	switch {
	case n > 16:
		var s uint64
		for i := 0; i+16 < n; i += 16 {
			s = mum(binary.LittleEndian.Uint64(p[i:])^k.a, binary.LittleEndian.Uint64(p[i+8:])^k.b^s)
		}
		last := p[n-16:]
		s = mum(binary.LittleEndian.Uint64(last)^k.a, binary.LittleEndian.Uint64(last[8:])^k.b^s)
		return s + uint64(n)*golden
	case n >= 8:
		// The last 8 bytes overlap the first where there are fewer than 16; the
		// shift, of 64 for n = 8, leaves what they have beyond them.
		return k.short(binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[n-8:])>>(8*(16-n)), n)
	case n >= 4:
		lo, hi := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[n-4:])
		return k.short(uint64(lo)|uint64(hi)<<(8*(n-4)), 0, n)
	case n > 0:
		// First, middle and last byte are all there are of 1 to 3.
		return k.short(uint64(p[0])|uint64(p[n/2])<<(8*(n/2))|uint64(p[n-1])<<(8*(n-1)), 0, n)
	}
	return k.short(0, 0, 0)
}

// familyNumbers tell families beside others apart in their seeds; see the package comment.
var familyNumbers = [...]uint64{Word: 0, Char: 1, Space: 2, CharWB: 4}

// familySeed returns the seed of a family beside others, but the first.
func familySeed(seed uint64, t Tokenizer) uint64 {
	return mix(mix(seed) + (256+familyNumbers[t])*golden)
}
