package tag

import "math"

// chain is what tag sequences of a sentence are scored by: each word's score of each tag, and the scores of tags that
// begin, end, and follow each other. Forbidden ones are -Inf.
type chain struct {
	tags       int
	all        []float64 // start, then end, then next, as they are in a model's file
	start, end []float64
	next       []float64 // tags rows of tags
	// lead is, in rows of tags, by how much less than the score of the first tag that of the second may be so that it
	// still is the better one before some tag: the least next[first] − next[second]. It is made when it is needed.
	lead []float64
}

func newChain(tags int) *chain {
	all := make([]float64, 2*tags+tags*tags)
	return &chain{tags: tags, all: all, start: all[:tags], end: all[tags : 2*tags], next: all[2*tags:]}
}

// forbid makes scores of what the scheme does not allow -Inf.
func (c *chain) forbid(s Scheme, tags []string) {
	for i, tag := range tags {
		if !s.allows("", tag) {
			c.start[i] = math.Inf(-1)
		}
		if !s.allows(tag, "") {
			c.end[i] = math.Inf(-1)
		}
		for j, after := range tags {
			if !s.allows(tag, after) {
				c.next[i*len(tags)+j] = math.Inf(-1)
			}
		}
	}
}

// score returns the score of a sequence; scores of words are in rows of the given pitch.
func (c *chain) score(words []float64, pitch int, tags []int) float64 {
	sum := 0.0
	for i, tag := range tags {
		sum += words[i*pitch+tag]
		if i > 0 {
			sum += c.next[tags[i-1]*c.tags+tag]
		} else {
			sum += c.start[tag]
		}
	}
	return sum + c.end[tags[len(tags)-1]]
}

// mostLeads is the number of tags up to which computing lead pays; its time grows with their third power.
const mostLeads = 256

// rounding bounds by how much sums of two scores and their differences are wrong, as a part of the scores.
const rounding = 1e-15

// leads makes lead, of weights that don't change any more.
func (c *chain) leads() {
	k := c.tags
	if k > mostLeads {
		return
	}
	c.lead = make([]float64, k*k)
	for a := range k {
		for b := range k {
			least := math.Inf(1)
			for y := range k {
				if first, second := c.next[a*k+y], c.next[b*k+y]; !math.IsInf(second, -1) {
					least = min(least, first-second-float64(rounding*(math.Abs(first)+math.Abs(second))))
				}
			}
			c.lead[a*k+b] = least
		}
	}
}

// behind reports whether a tag of this score and lead is behind one of the score top, before every tag.
func behind(top, score, lead float64) bool {
	return top-score-float64(rounding*(math.Abs(top)+math.Abs(score))) > -lead
}

// viterbi finds the best sequences. It is for one goroutine.
type viterbi struct {
	best, now []float64
	back      []int32
}

// decode puts the best sequence of n words into tags; of equal ones, that whose last tags are the first.
func (v *viterbi) decode(c *chain, words []float64, pitch int, tags []int) {
	n, k := len(tags), c.tags
	if n == 0 {
		return
	}
	v.best, v.now, v.back = sized(v.best, k), sized(v.now, k), sized(v.back, n*k)
	for y := range k {
		v.best[y] = c.start[y] + words[y]
	}
	for i := 1; i < n; i++ {
		now, back := v.now, v.back[i*k:][:k]
		for y := range now {
			now[y], back[y] = math.Inf(-1), 0
		}
		top, lead := highest(v.best), []float64(nil)
		if c.lead != nil {
			lead = c.lead[top*k:][:k]
		}
		for before, sum := range v.best {
			if lead != nil && before != top && behind(v.best[top], sum, lead[before]) {
				continue
			}
			next := c.next[before*k:][:k]
			for y, s := range next {
				if s += sum; s > now[y] {
					now[y], back[y] = s, int32(before)
				}
			}
		}
		for y := range now {
			now[y] += words[i*pitch+y]
		}
		v.best, v.now = now, v.best
	}
	last, most := 0, math.Inf(-1)
	for y, s := range v.best {
		if s += c.end[y]; s > most {
			last, most = y, s
		}
	}
	for i := n - 1; i >= 0; i-- {
		tags[i] = last
		if i > 0 {
			last = int(v.back[i*k+last])
		}
	}
}

// highest returns the first of the highest scores.
func highest(scores []float64) (best int) {
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
	}
	return best
}

// sized returns a slice of n, of the same memory if that is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
