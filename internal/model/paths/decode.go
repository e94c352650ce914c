package paths

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
)

// Rule says how paths are found from the margins of a tree's outputs.
type Rule struct {
	// Sum adds to the logarithm of a path's probability that of the sigmoid of its last output: outputs are set against
	// all other documents, and that one knows most of where the path ends. Without, outputs are set against those below
	// the same node alone.
	Sum bool
	// Softmax makes the probabilities of alternatives in proportion to e^margin, instead of to the sigmoids of margins. It
	// is not for Sum.
	Softmax bool
	// Scale is what margins are divided by, above 0.
	Scale float64
	// Temperature divides the scores of paths; 0 is 1.
	Temperature float64
	// Beam is how many nodes of a depth are gone on from; 0 for all.
	Beam int
	// Stop ends a path above a child whose share of its parent's probability is below it.
	Stop float64
}

// Decoder turns margins into probabilities of nodes. It has scratch memory: one per goroutine.
type Decoder struct {
	*Tree
	rule  Rule
	log   []float64 // of every output: the logarithm of its share among alternatives; 0 of one alone
	upTo  []float64 // of every node: the sum of these along the path
	ends  []float64 // scores of paths, by t.ends
	spare []float64
	beam  []int32 // outputs
	wider []int32
}

// NewDecoder makes a decoder.
func NewDecoder(t *Tree, rule Rule) *Decoder {
	return &Decoder{
		Tree: t, rule: rule, log: make([]float64, t.Outputs()), upTo: make([]float64, len(t.Parents)),
		ends: make([]float64, len(t.ends)), spare: make([]float64, t.Outputs()),
	}
}

// EndScores are the scores of all paths that margins of the outputs give, by the nodes at which these end, ascending:
// the logarithms of what their probabilities are in proportion to, before the temperature. They are the decoder's.
func (d *Decoder) EndScores(margins []float64) []float64 {
	t, scaled := d.Tree, d.spare
	for o, m := range margins {
		scaled[o] = m / d.rule.Scale
	}
	if !d.rule.Softmax {
		for o, m := range scaled {
			scaled[o] = -xmath.Log1pExp(-m)
		}
	}
	for _, g := range t.groups {
		top := math.Inf(-1)
		for _, o := range g {
			top = max(top, scaled[o])
		}
		var sum float64
		for _, o := range g {
			sum += xmath.Exp(scaled[o] - top)
		}
		sum = top + xmath.Log(sum)
		for _, o := range g {
			d.log[o] = scaled[o] - sum
		}
	}
	for k, parent := range t.Parents {
		d.upTo[k] = d.log[k]
		if parent != Root {
			d.upTo[k] += d.upTo[parent]
		}
	}
	for i, k := range t.ends {
		d.ends[i] = d.upTo[k]
		if stop := t.stop[k]; stop >= 0 {
			d.ends[i] += d.log[stop]
		}
		if last := t.last[k]; d.rule.Sum && last >= 0 {
			d.ends[i] += scaled[last]
		}
	}
	return d.ends
}

// Probabilities sets dst to those of nodes, given the margins of outputs: that a path ends there or below. Those of
// children and of ending there make up that of their parent.
func (d *Decoder) Probabilities(dst, margins []float64) {
	scores := d.EndScores(margins)
	of := d.spare[:len(scores)]
	copy(of, scores)
	if d.rule.Temperature > 0 {
		for i := range of {
			of[i] /= d.rule.Temperature
		}
	}
	bayes.Posterior(of, of)
	clear(dst)
	for i, k := range d.Tree.ends {
		dst[k] = of[i]
	}
	for k := len(dst) - 1; k >= 0; k-- {
		if parent := d.Parents[k]; parent != Root {
			dst[parent] += dst[k]
		}
	}
}

// Predict is the node that is predicted, given the probabilities of nodes that were computed last.
func (d *Decoder) Predict(probabilities []float64) int {
	best := d.best()
	if d.rule.Stop <= 0 {
		return best
	}
	node := best
	for k := best; d.Parents[k] != Root; k = int(d.Parents[k]) {
		parent := int(d.Parents[k])
		if probabilities[k] < float64(d.rule.Stop*probabilities[parent]) {
			node = parent
		}
	}
	return node
}

// best is the node where the path with the best score ends, of those within the beam; the first of several.
func (d *Decoder) best() int {
	if d.rule.Beam > 0 {
		return d.search()
	}
	best := 0
	for i, score := range d.ends {
		if score > d.ends[best] {
			best = i
		}
	}
	return int(d.Tree.ends[best])
}

// search is best that goes on from the best nodes of every depth alone.
func (d *Decoder) search() int {
	best, most := -1, math.Inf(-1)
	d.beam = append(d.beam[:0], d.ways[Root+1]...)
	for len(d.beam) > 0 {
		slices.SortFunc(d.beam, func(a, b int32) int {
			return cmp.Or(cmp.Compare(d.reached(b), d.reached(a)), cmp.Compare(d.NodeOf(int(a)), d.NodeOf(int(b))))
		})
		d.beam = d.beam[:min(len(d.beam), d.rule.Beam)]
		d.wider = d.wider[:0]
		for _, o := range d.beam {
			node := d.NodeOf(int(o))
			if int(o) < len(d.Parents) && !d.leaf[node] {
				d.wider = append(d.wider, d.ways[node+1]...)
				continue
			}
			i, _ := slices.BinarySearch(d.Tree.ends, int32(node))
			if score := d.ends[i]; score > most || score == most && node < best {
				best, most = node, score
			}
		}
		d.beam, d.wider = d.wider, d.beam
	}
	return best
}

// reached is the sum of logarithms up to an output.
func (d *Decoder) reached(output int32) float64 {
	node := d.NodeOf(int(output))
	if int(output) >= len(d.Parents) {
		return d.upTo[node] + d.log[output]
	}
	return d.upTo[node]
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
		return cmp.Or(rank(a)-rank(b), cmp.Compare(exact[b], exact[a]), cmp.Compare(probabilities[b], probabilities[a]), cmp.Compare(a, b))
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
