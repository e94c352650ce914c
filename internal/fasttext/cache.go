package fasttext

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// cache holds what was found out about tokens, in sets of a few. A token has one set that it may be in. Where the set is
// full, one is thrown out that was not asked for since the last time that all others were.
type cache struct {
	sets   []cacheSet
	words  []cachedWord // of each place of the sets
	mask   uint64
	next   uint8 // the way that is thrown out next, if it may be
	secret [2]uint64
}

const ways = 4

// cacheSet tells the tokens of a set apart, by tags that are not 0 where there is one.
type cacheSet struct {
	tags  [ways]uint32
	asked [ways]bool
}

// cachedWord is what is known of a token of at most 32 bytes, which is filled up with zeros.
type cachedWord struct {
	key      tokenKey
	hash     uint32 // fastText's
	features uint32
	row      uint32 // the place of the sum of its rows, or the row of a word that has one
	label    bool
}

const longestKey = 32

type tokenKey [longestKey / 8]uint64

// newCache returns a cache of at least this many tokens.
func newCache(tokens int) cache {
	n := 1 << bits.Len(uint((tokens-1)/ways))
	return cache{
		sets: make([]cacheSet, n), words: make([]cachedWord, n*ways), mask: uint64(n - 1),
		secret: [2]uint64{rand.Uint64(), rand.Uint64()},
	}
}

// masks keep the first bytes of keys.
var masks = func() (all [longestKey + 1]tokenKey) {
	for n := range all {
		for i := range n {
			all[n][i/8] |= 0xff << (i % 8 * 8)
		}
	}
	return all
}()

// keyOf sets key to that of a token, text[begin:end], of at most longestKey bytes.
func (key *tokenKey) of(text []byte, begin, end int) {
	if at := text[begin:]; len(at) >= longestKey {
		mask := &masks[end-begin]
		key[0] = binary.LittleEndian.Uint64(at) & mask[0]
		key[1] = binary.LittleEndian.Uint64(at[8:]) & mask[1]
		key[2] = binary.LittleEndian.Uint64(at[16:]) & mask[2]
		key[3] = binary.LittleEndian.Uint64(at[24:]) & mask[3]
		return
	}
	var padded [longestKey]byte
	copy(padded[:], text[begin:end])
	for i := range key {
		key[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
}

// find finds a token. If it is not there, it is given a place: known is false, and taken tells whether that was another
// token's.
func (c *cache) find(key *tokenKey) (place int, known, taken bool) {
	hi, lo := bits.Mul64(key[0]^c.secret[0], key[1]^c.secret[1])
	h := hi ^ lo
	if key[2] != 0 {
		hi, lo = bits.Mul64(key[2]^h, key[3]^c.secret[0])
		h = hi ^ lo
	}
	n, tag := h&c.mask, uint32(h>>32)|1
	set := &c.sets[n]
	for way := range set.tags {
		if set.tags[way] == tag {
			if place := int(n)*ways + way; c.words[place].key == *key {
				set.asked[way] = true
				return place, true, false
			}
		}
	}
	way := set.leave(c.next)
	c.next++
	taken = set.tags[way] != 0
	set.tags[way], set.asked[way] = tag, false
	return int(n)*ways + way, false, taken
}

// leave chooses the way that a new token takes: a free one, or one that was not asked for, from the given one on.
func (s *cacheSet) leave(from uint8) (way int) {
	for way, tag := range s.tags {
		if tag == 0 {
			return way
		}
	}
	for k := range uint8(ways) {
		if way := (from + k) % ways; !s.asked[way] {
			return int(way)
		}
	}
	s.asked = [ways]bool{}
	return int(from % ways)
}
