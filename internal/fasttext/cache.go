package fasttext

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// cache holds what was found out about tokens, in sets of a few. A token has one set that it may be in. Where the set
// is full, one is thrown out that was not asked for since the last time that all others were.
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
	_     [12]byte // so that a line of the processor's cache has two
}

// cachedWord is what is known of a token of at most 32 bytes, which is filled up with zeros.
type cachedWord struct {
	key      tokenKey
	hash     uint32 // fastText's
	features uint32
	row      uint32 // the place of the sum of its rows, or the row of a word that has one
	label    bool

	_ [16]byte // so that it is a line of the processor's cache
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

// set is the number of the set of a token, and its tag there. What is read of the set is asked for.
func (c *cache) set(key *tokenKey) (set, tag uint32) {
	hi, lo := bits.Mul64(key[0]^c.secret[0], key[1]^c.secret[1])
	h := hi ^ lo
	if key[2] != 0 {
		hi, lo = bits.Mul64(key[2]^h, key[3]^c.secret[0])
		h = hi ^ lo
	}
	set = uint32(h & c.mask)
	kernels.Prefetch(&c.sets[set])
	return set, uint32(h>>32) | 1
}

// ask asks for what is read of a token that has this tag in a set.
func (c *cache) ask(set, tag uint32) (place int) {
	way := c.sets[set].way(tag)
	place = int(set)*ways + way&(ways-1)
	kernels.Prefetch(&c.words[place])
	return place
}

// find finds a token. If it is not there, it is given a place: known is false, and taken tells whether that was another
// token's.
func (c *cache) find(key *tokenKey, n, tag uint32) (place int, known, taken bool) {
	set := &c.sets[n]
	first := int(n) * ways
	if way := set.way(tag); way < ways && c.words[first+way].key == *key {
		set.asked[way] = true
		return first + way, true, false
	}
	way := set.leave(tag, c.next)
	c.next++
	taken = set.tags[way] != 0
	set.tags[way], set.asked[way] = tag, false
	return first + way, false, taken
}

// way is the first that has a tag, without a branch on which it is; ways if none has it. Of two tokens
// with the same tag, there is one at a time.
func (s *cacheSet) way(tag uint32) int {
	way := ways
	if s.tags[3] == tag {
		way = 3
	}
	if s.tags[2] == tag {
		way = 2
	}
	if s.tags[1] == tag {
		way = 1
	}
	if s.tags[0] == tag {
		way = 0
	}
	return way
}

// leave chooses the way that a new token takes: that of a token with the same tag, a free one, or one that
// was not asked for, from the given one on.
func (s *cacheSet) leave(tag uint32, from uint8) (way int) {
	if way := s.way(tag); way < ways {
		return way // another token of this tag
	}
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
