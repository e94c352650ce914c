package hashing

import "slices"

// ngrams makes the n-gram hashes of the tokens of a document, which come in
// blocks.
type ngrams struct {
	keys   *keys
	lo, hi int
	seen   int // tokens of this document so far, counted up to hi
	// last[n] is the hash of the n-gram of order n that ends at the token before.
	last  [MaxNgram + 1]uint64
	level [blockTokens]uint64
}

// start begins a document.
func (g *ngrams) start() { g.seen = 0 }

// step takes one more token; afterwards last[1] to last[seen] end there.
func (g *ngrams) step(token uint64) {
	g.seen = min(g.seen+1, g.hi)
	for n := g.seen; n > 1; n-- {
		g.last[n] = mix(g.last[n-1] + token + g.keys.order[n])
	}
	g.last[1] = mix(token + g.keys.order[1])
}

// append appends the hashes of the n-grams that end at the given tokens, at most
// blockTokens.
func (g *ngrams) append(dst, tokens []uint64) []uint64 {
	// The first tokens of a document end fewer n-grams than the rest.
	for len(tokens) > 0 && g.seen < g.hi-1 {
		g.step(tokens[0])
		if g.seen >= g.lo {
			dst = append(dst, g.last[g.lo:g.seen+1]...)
		}
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return dst
	}
	orders := g.hi - g.lo + 1
	start, count := len(dst), len(tokens)*orders
	dst = slices.Grow(dst, count)[:start+count]
	out := dst[start:]
	// Order by order over the whole block: within an order nothing depends on
	// the position before, which leaves the processor free to overlap them.
	level := g.level[:len(tokens)]
	key := g.keys.order[1]
	for i, t := range tokens {
		level[i] = mix(t + key)
	}
	for n := 1; ; n++ {
		if n >= g.lo {
			k := n - g.lo
			for _, h := range level {
				out[k] = h
				k += orders
			}
		}
		before := g.last[n]
		g.last[n] = level[len(level)-1]
		if n == g.hi {
			break
		}
		key = g.keys.order[n+1]
		for i, t := range tokens {
			h := level[i]
			level[i] = mix(before + t + key)
			before = h
		}
	}
	g.seen = g.hi
	return dst
}
