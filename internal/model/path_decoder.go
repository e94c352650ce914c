package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// PathRule says how paths are found from the margins of a tree's outputs.
type PathRule struct {
	// Scale is what margins are divided by, above 0.
	Scale float64
	// Temperature divides the scores of paths; 0 is 1.
	Temperature float64
	// Beam is how many nodes of a depth of a grown tree the search goes on from; 0 for all. What it does not reach has
	// the probability 0, as have leaves below nodes whose own is too low for one of them to be the best.
	Beam int
	// Several says that a document may have several leaves of a grown tree, or none: shares are the sigmoids of
	// margins.
	Several bool
}

// Decoder turns margins into probabilities of nodes. It has scratch memory: one per goroutine.
type Decoder interface {
	// Probabilities sets dst to those of nodes, given the margins of outputs.
	Probabilities(dst, margins []float64)
	// EndScores are the logarithms of what the probabilities of all paths are in proportion to, before the temperature,
	// by the nodes at which these end, ascending. They are the decoder's.
	EndScores(margins []float64) []float64
	// Predict is the node that is predicted for the margins that were given last.
	Predict() int
}

// NewDecoder makes the decoder of a tree: a *Searcher of one that was grown.
func NewDecoder(t *Tree, rule PathRule) Decoder {
	if t.Grown() {
		return NewSearcher(t, rule)
	}
	return newPathDecoder(t, rule)
}

// pathDecoder decodes labels that are paths. The score of a path is the sum of the logarithms of its nodes' shares
// among their alternatives, and of the sigmoid of its last output: outputs are set against all other documents, and
// that one knows most of where the path ends.
type pathDecoder struct {
	*Tree
	rule   PathRule
	scaled []float64 // of every output: its margin, or the logarithm of its sigmoid
	log    []float64 // of every output: the logarithm of its share among alternatives; 0 of one alone
	upTo   []float64 // of every node: the sum of these along the path
	ends   []float64 // scores of paths, by t.ends
	spare  []float64 // as many
}

func newPathDecoder(t *Tree, rule PathRule) *pathDecoder {
	return &pathDecoder{
		Tree: t, rule: rule, scaled: make([]float64, t.Outputs()), log: make([]float64, t.Outputs()),
		upTo: make([]float64, len(t.Parents)), ends: make([]float64, len(t.ends)), spare: make([]float64, len(t.ends)),
	}
}

// EndScores returns the scores of all paths.
func (d *pathDecoder) EndScores(margins []float64) []float64 {
	for outputs := range d.Groups {
		d.share(outputs, margins)
	}
	for k, parent := range d.Parents {
		if d.upTo[k] = d.log[k]; parent != Root {
			d.upTo[k] += d.upTo[parent]
		}
	}
	for i, k := range d.Tree.ends {
		d.ends[i] = d.upTo[k]
		if stop := d.stop[k]; stop >= 0 {
			d.ends[i] += d.log[stop]
		}
		if last := d.last[k]; last >= 0 {
			d.ends[i] += d.scaled[last]
		}
	}
	return d.ends
}

// The sigmoid of a margin below -mostExponent, whose e^-margin may overflow, is below 1e-303: where sigmoids add up to
// leastSum or more, it does not matter.
const (
	mostExponent = 700
	leastSum     = 1e-280
)

// share sets the logarithms of the shares of alternatives.
func (d *pathDecoder) share(outputs []int32, margins []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, o := range outputs {
		m := margins[o] / d.rule.Scale
		if m < -mostExponent {
			d.scaled[o] = m // about the logarithm of the sigmoid
		} else {
			e := xmath.Exp(-m)
			d.scaled[o] = -xmath.Log1p(e)
			sum += 1 / (1 + e)
		}
		top = max(top, d.scaled[o])
	}
	if sum < leastSum {
		sum = 0
		for _, o := range outputs {
			sum += xmath.Exp(d.scaled[o] - top)
		}
		sum = top + xmath.Log(sum)
	} else {
		sum = xmath.Log(sum)
	}
	for _, o := range outputs {
		d.log[o] = d.scaled[o] - sum
	}
}

// Probabilities sets dst to those of nodes, given the margins of outputs: that a path ends there or below. Those of
// children and of ending there make up that of their parent.
func (d *pathDecoder) Probabilities(dst, margins []float64) {
	copy(d.spare, d.EndScores(margins))
	if d.rule.Temperature > 0 {
		for i := range d.spare {
			d.spare[i] /= d.rule.Temperature
		}
	}
	bayes.Posterior(d.spare, d.spare)
	clear(dst)
	for i, k := range d.Tree.ends {
		dst[k] = d.spare[i]
	}
	for k := len(dst) - 1; k >= 0; k-- {
		if parent := d.Parents[k]; parent != Root {
			dst[parent] += dst[k]
		}
	}
}

// Predict returns the node where the path with the best score ends. Of equal scores, those of sigmoids may have been
// rounded to 1: that of the last output decides, then the number.
func (d *pathDecoder) Predict() int {
	best := 0
	for i := range d.ends {
		if d.better(i, best) {
			best = i
		}
	}
	return int(d.Tree.ends[best])
}

// better reports whether an end's score is above that of another.
func (d *pathDecoder) better(i, other int) bool {
	if d.ends[i] != d.ends[other] {
		return d.ends[i] > d.ends[other]
	}
	a, b := d.last[d.Tree.ends[i]], d.last[d.Tree.ends[other]]
	return a >= 0 && b >= 0 && d.scaled[a] > d.scaled[b]
}

// Rank orders nodes by how probable it is that a path ends there, best first; those at which none ends follow, by their
// probability. The predicted one is the first.
func (t *Tree) Rank(probabilities []float64, predicted int) []int {
	exact := t.Exact(make([]float64, len(probabilities)), probabilities)
	order := make([]int, len(probabilities))
	for k := range order {
		order[k] = k
	}
	rank := func(k int) int {
		switch {
		case k == predicted:
			return 0
		case t.Ends(k):
			return 1
		}
		return 2
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(exact[b], exact[a]), cmp.Compare(probabilities[b], probabilities[a]),
			cmp.Compare(a, b))
	})
	return order
}

// Exact sets dst to the probabilities that a path ends at the very node, given those that it ends there or below.
func (t *Tree) Exact(dst, probabilities []float64) []float64 {
	copy(dst, probabilities)
	for k, parent := range t.Parents {
		if parent != Root {
			dst[parent] -= probabilities[k]
		}
	}
	for k := range dst {
		if dst[k] = max(dst[k], 0); !t.Ends(k) {
			dst[k] = 0
		}
	}
	return dst
}
