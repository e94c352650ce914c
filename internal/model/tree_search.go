package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Searcher is the decoder of a tree that was grown over its leaves. It goes down from Root, from the best nodes of a
// depth to their children. The probability of a node is that of its parent times its share of it.
type Searcher struct {
	*Tree
	rule   PathRule
	p      []float64 // of every node that the search came to: its probability
	found  []int32   // leaves that it came to
	top    float64   // the largest probability of these
	beam   []int32   // nodes
	wider  []int32
	scores []float64 // of leaves
	given  []float64 // margins of the last search
	shares []float64 // of a node's children
	least  float64   // as a share of top: a node with a lower probability is hopeless; 0 if none is

	// Fill, unless it is nil, sets the margins of a node's children, of which there are several, when the search comes
	// to it.
	Fill func(margins []float64, children []int32)
}

// hopeless is e^-12: if the probability of a node is a smaller share of that of a leaf that was found, that leaf is the
// better one than all below the node, whose probability is taken for 0.
const hopeless = 6.14421235332821e-06

// NewSearcher makes the decoder of a grown tree.
func NewSearcher(t *Tree, rule PathRule) *Searcher {
	s := &Searcher{Tree: t, rule: rule, p: make([]float64, len(t.Parents)), scores: make([]float64, len(t.ends))}
	if rule.Beam > 0 && !rule.Several {
		s.least = hopeless
		if rule.Temperature > 0 {
			s.least = xmath.Exp(xmath.Log(hopeless) * rule.Temperature)
		}
	}
	return s
}

// Probabilities sets dst to those of leaves, given the margins of outputs. What the search does not come to has the
// probability 0. Unless a document may have several leaves, those of the others add up to 1.
func (s *Searcher) Probabilities(dst, margins []float64) {
	s.search(margins)
	clear(dst)
	if s.rule.Several {
		for _, k := range s.found {
			dst[k] = s.p[k]
		}
		return
	}
	sum := 0.0
	for _, k := range s.found {
		p := s.p[k] / s.top
		if s.rule.Temperature > 0 {
			p = s.sharpened(p)
		}
		dst[k] = p
		sum += p
	}
	for _, k := range s.found {
		dst[k] /= sum
	}
}

// sharpened returns p^(1/Temperature). The power of trees that are not calibrated is 2.5, which takes no logarithm.
func (s *Searcher) sharpened(p float64) float64 {
	if s.rule.Temperature == 0.4 {
		return float64(p*p) * math.Sqrt(p)
	}
	return xmath.Exp(xmath.Log(p) / s.rule.Temperature)
}

// EndScores returns the logarithms of the probabilities of leaves, which are in proportion to the final ones before the
// temperature; -Inf of those that the search does not come to. They are the searcher's.
func (s *Searcher) EndScores(margins []float64) []float64 {
	s.search(margins)
	for k := range s.scores {
		s.scores[k] = math.Inf(-1)
	}
	for _, k := range s.found {
		s.scores[k] = xmath.Log(s.p[k])
	}
	return s.scores
}

// Predict returns the most probable leaf for the margins that were searched with last.
func (s *Searcher) Predict() int { return int(slices.MinFunc(s.found, s.better)) }

// better compares nodes by their probabilities. Equal ones may have been rounded to 1 and compare by their margins,
// then by number.
func (s *Searcher) better(a, b int32) int {
	return cmp.Or(cmp.Compare(s.p[b], s.p[a]), cmp.Compare(s.given[b], s.given[a]), cmp.Compare(a, b))
}

// Above appends the leaves, ascending, whose probability has log odds above their threshold, for the margins that were
// searched with last.
func (s *Searcher) Above(dst []int, thresholds []float64) []int {
	first := len(dst)
	for _, k := range s.found {
		if LogOdds(s.p[k]) > thresholds[k] {
			dst = append(dst, int(k))
		}
	}
	slices.Sort(dst[first:])
	return dst
}

// search finds leaves and their probabilities.
func (s *Searcher) search(margins []float64) {
	s.found, s.top, s.beam, s.given = s.found[:0], 0, s.beam[:0], margins
	s.expand(Root, 1, margins)
	for len(s.beam) > 0 {
		if n := s.rule.Beam; n > 0 {
			slices.SortFunc(s.beam, s.better)
			s.beam = s.beam[:min(n, len(s.beam))]
		}
		s.beam, s.wider = s.wider[:0], s.beam
		for _, node := range s.wider {
			if s.p[node] < float64(s.top*s.least) {
				break // so are those behind it
			}
			s.expand(int(node), s.p[node], margins)
		}
	}
}

// expand goes on from a node, or from Root, with its probability, to its children. Those with children are added to the
// beam.
func (s *Searcher) expand(parent int, of float64, margins []float64) {
	ways := s.ways[parent+1]
	if len(ways) == 1 && !s.rule.Several {
		s.p[ways[0]] = of
	} else {
		if s.Fill != nil {
			s.Fill(margins, ways)
		}
		s.share(of, ways, margins)
	}
	for _, k := range ways {
		if s.leaf[k] {
			s.found, s.top = append(s.found, k), max(s.top, s.p[k])
		} else {
			s.beam = append(s.beam, k)
		}
	}
}

// leastProbability is what is taken for the probability of a node where it is less.
const leastProbability = 1e-300

// share shares out a probability among children: by the sigmoids of their margins, or in proportion to e^margin,
// which sigmoids come to where all are small.
func (s *Searcher) share(of float64, children []int32, margins []float64) {
	s.shares = s.shares[:0]
	top := math.Inf(-1)
	for _, k := range children {
		m := margins[k] / s.rule.Scale
		s.shares, top = append(s.shares, m), max(top, m)
	}
	sum := 0.0
	for i, m := range s.shares {
		s.shares[i] = xmath.Sigmoid(max(m, -mostExponent)) // which is not denormal
		sum += s.shares[i]
	}
	switch {
	case s.rule.Several:
		sum = 1
	case sum < leastSum:
		sum = 0
		for i, k := range children {
			s.shares[i] = xmath.Exp(margins[k]/s.rule.Scale - top)
			sum += s.shares[i]
		}
	}
	of /= sum
	for i, k := range children {
		s.p[k] = max(s.shares[i]*of, leastProbability)
	}
}

// LogOdds returns log(p/(1-p)). They are at most 40: beyond, p is rounded to 1.
func LogOdds(p float64) float64 {
	const most = 40
	return min(-xmath.Log((1-p)/p), most)
}
