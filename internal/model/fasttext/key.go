package fasttext

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// tokenKeys makes keys of tokens, 64 bits. They differ from one process to the next, so that no file and no text can
// be made whose words have equal ones.
type tokenKeys struct {
	secret [4]uint64
	seed   maphash.Seed
}

func newTokenKeys() tokenKeys {
	return tokenKeys{[4]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64()}, maphash.MakeSeed()}
}

// longestKey is the length of tokens that are hashed here: nearly all.
const longestKey = 32

// masks keep the first bytes of four words.
var masks = func() (all [longestKey + 1][4]uint64) {
	for n := range all {
		for i := range n {
			all[n][i/8] |= 0xff << (i % 8 * 8)
		}
	}
	return all
}()

// of is the key of a token, text[begin:end], which is never 0.
func (k *tokenKeys) of(text []byte, begin, end int) uint64 {
	if end-begin > longestKey {
		return maphash.Bytes(k.seed, text[begin:end]) | 1
	}
	var near [longestKey]byte
	at := text[begin:]
	if len(at) < longestKey {
		copy(near[:], at)
		at = near[:]
	}
	at = at[:longestKey]
	mask := &masks[end-begin]
	a, b := binary.LittleEndian.Uint64(at)&mask[0], binary.LittleEndian.Uint64(at[8:])&mask[1]
	hi, lo := bits.Mul64(a^k.secret[0], b^k.secret[1])
	key := hi ^ lo
	if end-begin > 16 {
		a, b = binary.LittleEndian.Uint64(at[16:])&mask[2], binary.LittleEndian.Uint64(at[24:])&mask[3]
		hi, lo = bits.Mul64(a^k.secret[2]^key, b^k.secret[3])
		key = hi ^ lo
	}
	return key | 1
}
