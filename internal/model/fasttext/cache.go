package fasttext

import "math/bits"

// cache holds what was found out about tokens, by their keys: 64 bits that are taken for the token, as another token has
// the same with a probability of less than 2^-50. Tokens come in sets of a few. A token has one set that it may be in.
// Where the set is full, one is thrown out that was not asked for since it was its turn.
type cache struct {
	sets []cachedSet
	next uint32 // the way of which it is the turn
}

// ways is how many tokens a set has, a line of the processor's cache.
const ways = 4

type cachedSet [ways]cachedToken

// cachedToken is what is known of a token.
type cachedToken struct {
	key   uint64 // 0 if there is none
	hash  uint32 // fastText's
	facts uint32 // see below
}

const (
	asked = 1 << 31 // since it was its turn
	label = 1 << 30 // the token is one
	// The rest is how many features it has.
	factOf = label - 1
)

// newCache returns a cache of at least this many tokens.
func newCache(tokens int) cache {
	n := 1 << bits.Len(uint((tokens-1)/ways))
	return cache{sets: make([]cachedSet, n)}
}

// tokens is how many there may be.
func (c *cache) tokens() int { return len(c.sets) * ways }

// set is the number of a token's set.
func (c *cache) set(key uint64) int { return int(key & uint64(len(c.sets)-1)) }

// at is what is known of the token at a place.
func (c *cache) at(place int) *cachedToken { return &c.sets[place/ways][place%ways] }

// way is where in the set a token is, or ways, without a branch on which it is: nothing foresees that.
func (s *cachedSet) way(key uint64) int {
	way := ways
	if s[3].key == key {
		way = 3
	}
	if s[2].key == key {
		way = 2
	}
	if s[1].key == key {
		way = 1
	}
	if s[0].key == key {
		way = 0
	}
	return way
}

// place gives a token a place, which may have been another's.
func (c *cache) place(key uint64) int {
	n := c.set(key)
	set := &c.sets[n]
	way := c.next % ways
	for range ways {
		if c.next++; set[way].key == 0 || set[way].facts&asked == 0 {
			break
		}
		set[way].facts &^= asked
		way = c.next % ways
	}
	return n*ways + int(way)
}
