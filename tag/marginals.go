package tag

import (
	"errors"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// marginals are probabilities of tags in a sentence, by the algorithm forward-backward. Probabilities of the words so
// far are scaled to a sum of 1, so that they don't vanish in long sentences. It is for one goroutine.
type marginals struct {
	tags       int
	start, end []float64 // e to the power of the chain's scores, less the highest
	next       []float64
	highest    float64 // of the scores in next
	first      float64 // in start
	last       float64 // in end

	words    []float64 // e to the power of the words' scores, less the highest of the word
	forward  []float64 // P(tag of word i | words up to i), but for what comes behind
	backward []float64
	scale    []float64
	tag      []float64 // n rows of tags: P(tag of word i)
	pair     []float64 // tags rows of tags: expected number of times that the second follows the first
}

// errVanished is returned if the scores are so far apart that the probability of every sequence is rounded to 0.
var errVanished = errors.New("tag: scores of tags are too far apart for probabilities; train with a larger Options.L2")

// chain takes the chain's scores.
func (m *marginals) chain(c *chain) {
	m.tags = c.tags
	m.start, m.first = exps(m.start, c.start)
	m.end, m.last = exps(m.end, c.end)
	m.next, m.highest = exps(m.next, c.next)
	m.pair = sized(m.pair, c.tags*c.tags)
}

// sameChain shares the scores of the chain with other marginals.
func (m *marginals) sameChain(o *marginals) {
	m.tags, m.start, m.end, m.next = o.tags, o.start, o.end, o.next
	m.highest, m.first, m.last = o.highest, o.first, o.last
	m.pair = sized(m.pair, len(o.pair))
}

// exps computes exp(score - highest). Scores may be -Inf.
func exps(dst, scores []float64) ([]float64, float64) {
	dst = sized(dst, len(scores))
	highest := math.Inf(-1)
	for _, s := range scores {
		highest = max(highest, s)
	}
	if math.IsInf(highest, -1) {
		clear(dst)
		return dst, 0
	}
	for i, s := range scores {
		dst[i] = xmath.Exp(s - highest)
	}
	return dst, highest
}

// sentence computes the probabilities of a sentence of n words, and returns the logarithm of what all sequences add up
// to: log Z.
func (m *marginals) sentence(words []float64, pitch, n int) (logZ float64, err error) {
	k := m.tags
	m.words, m.forward, m.backward = sized(m.words, n*k), sized(m.forward, n*k), sized(m.backward, n*k)
	m.scale, m.tag = sized(m.scale, n), sized(m.tag, n*k)
	logZ = m.first + m.last + float64(float64(n-1)*m.highest)
	for i := range n {
		_, highest := exps(m.words[i*k:][:k], words[i*pitch:][:k])
		logZ += highest
		now := m.forward[i*k:][:k]
		if i == 0 {
			copy(now, m.start)
		} else {
			clear(now)
			for before, p := range m.forward[(i-1)*k:][:k] {
				addScaled(now, m.next[before*k:][:k], p)
			}
		}
		sum := 0.0
		for y, e := range m.words[i*k:][:k] {
			now[y] = float64(now[y] * e)
			sum += now[y]
		}
		if !(sum > 0) {
			return 0, errVanished
		}
		logZ += xmath.Log(sum)
		m.scale[i] = 1 / sum
		for y := range now {
			now[y] *= m.scale[i]
		}
	}
	z := 0.0
	for y, p := range m.forward[(n-1)*k:][:k] {
		z += float64(p * m.end[y])
	}
	if !(z > 0) {
		return 0, errVanished
	}
	m.behind(n, z)
	return logZ + xmath.Log(z), nil
}

// behind goes back from the last word, whose tags have the sum z with those that may end a sentence.
func (m *marginals) behind(n int, z float64) {
	k := m.tags
	clear(m.pair)
	for i := n - 1; i >= 0; i-- {
		now := m.backward[i*k:][:k]
		if i == n-1 {
			for y, e := range m.end {
				now[y] = e / z
			}
		} else {
			after := m.backward[(i+1)*k:][:k] // times the word's own, below
			for y := range now {
				sum, next := 0.0, m.next[y*k:][:k]
				p, pair := m.forward[i*k+y], m.pair[y*k:][:k]
				for j, b := range after {
					x := float64(next[j] * b)
					sum += x
					pair[j] += float64(p * x)
				}
				now[y] = sum
			}
		}
		for y, b := range now {
			m.tag[i*k+y] = float64(m.forward[i*k+y] * b)
			now[y] = float64(b*m.words[i*k+y]) * m.scale[i]
		}
	}
}

// addScaled adds x times by to sums.
func addScaled(sums, x []float64, by float64) {
	x = x[:len(sums)]
	for i := range sums {
		sums[i] += float64(x[i] * by)
	}
}
