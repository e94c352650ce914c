package hashing

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// ngrams makes the n-gram hashes of the tokens of a document, which come in
// blocks.
type ngrams struct {
	keys   *keys
	lo, hi int
	seen   int // tokens of this document so far, counted up to hi
	// last[n] is the hash of the n-gram of order n that ends at the token before.
	last [maxNgram + 1]uint64
	// levels[n] has last[n], and behind it the hashes of the n-grams of order n that
	// end at the tokens of a block. levels[0] is zeros.
	levels [][blockTokens + 1]uint64

	// If n-grams are bounded, those with the token boundary elsewhere than at an end are left out: reach is the order
	// of the longest that may end at the next token.
	bounded  bool
	boundary uint64
	reach    int
}

// start begins a document.
func (g *ngrams) start() { g.seen, g.reach = 0, 1 }

// step takes one more token; afterwards last[1] to last[seen] end there. It returns the order of the longest n-gram
// that counts.
func (g *ngrams) step(token uint64) int {
	g.seen = min(g.seen+1, g.hi)
	for n := g.seen; n > 1; n-- {
		g.last[n] = mix(g.last[n-1] + token + g.keys.order[n])
	}
	g.last[1] = mix(token + g.keys.order[1])
	if g.bounded {
		return g.longest(token)
	}
	return g.seen
}

// longest returns the order of the longest n-gram that ends at the next token, if n-grams are bounded.
func (g *ngrams) longest(token uint64) int {
	reach := g.reach
	g.reach = min(reach+1, g.hi)
	if token == g.boundary {
		g.reach = min(2, g.hi)
	}
	return reach
}

// append appends the hashes of the n-grams that end at the given tokens, at most
// blockTokens.
func (g *ngrams) append(dst, tokens []uint64) []uint64 {
	// The first tokens of a document end fewer n-grams than the rest.
	for len(tokens) > 0 && g.seen < g.hi-1 {
		if longest := g.step(tokens[0]); longest >= g.lo {
			dst = append(dst, g.last[g.lo:longest+1]...)
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
	var columns [maxNgram][]uint64
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
	if g.bounded {
		dst = slices.Grow(dst, count+3)[:start+count+3]
		return dst[:start+g.interleaveBounded(dst[start:], tokens, columns[g.lo-1:g.hi])]
	}
	dst = slices.Grow(dst, count)[:start+count]
	kernels.Interleave(dst[start:], columns[g.lo-1:g.hi]...)
	return dst
}

// interleaveBounded returns kernels.Interleave without the n-grams that are left out; it returns how many are left.
// There are no branches on what a token is, as nobody can predict where words end.
func (g *ngrams) interleaveBounded(dst, tokens []uint64, columns [][]uint64) int {
	n, reach := 0, g.reach
	atBoundary := min(2, g.hi)
	if len(columns) > 4 {
		for i, token := range tokens {
			for k, column := range columns {
				dst[n+k] = column[i]
			}
			n += max(g.longest(token)-g.lo+1, 0)
		}
		return n
	}
	column := func(k int) []uint64 { return columns[min(k, len(columns)-1)][:len(tokens)] }
	a, b, c, d := column(0), column(1), column(2), column(3)
	for i, token := range tokens {
		four := (*[4]uint64)(dst[n:])
		four[0], four[1], four[2], four[3] = a[i], b[i], c[i], d[i]
		n += max(reach-g.lo+1, 0)
		reach = min(reach+1, g.hi)
		if token == g.boundary {
			reach = atBoundary
		}
	}
	g.reach = reach
	return n
}
