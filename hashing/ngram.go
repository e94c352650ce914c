package hashing

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// ngrams makes the n-gram hashes of the tokens of a document, which come in
// blocks.
type ngrams struct {
	keys   *keys
	lo, hi int
	seen   int // tokens of this document so far, counted up to hi
	// last[n] is the hash of the n-gram of order n that ends at the token before.
	last [MaxNgram + 1]uint64
	// levels[n] has last[n], and behind it the hashes of the n-grams of order n that
	// end at the tokens of a block. levels[0] is zeros.
	levels [][blockTokens + 1]uint64
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
	if g.levels == nil {
		g.levels = make([][blockTokens + 1]uint64, g.hi+1)
	}
	// Order by order over the whole block: within an order nothing depends on
	// the position before.
	var columns [MaxNgram][]uint64
	for n := 1; n <= g.hi; n++ {
		level := g.levels[n][:len(tokens)+1]
		level[0] = g.last[n]
		kernels.MixSums(level[1:], g.levels[n-1][:len(tokens)], tokens, g.keys.order[n])
		g.last[n] = level[len(tokens)]
		columns[n-1] = level[1:]
	}
	g.seen = g.hi
	orders := g.hi - g.lo + 1
	start, count := len(dst), len(tokens)*orders
	dst = slices.Grow(dst, count)[:start+count]
	kernels.Interleave(dst[start:], columns[g.lo-1:g.hi]...)
	return dst
}
