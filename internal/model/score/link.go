package score

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// link turns margins into the scores of classes, and into labels, as the task and the link of a model say.
type link struct {
	m        *model.Model
	parents  []int32         // of labels, of which a document has those above, too; nil of others
	paths    model.Decoder   // nil unless labels are in a tree
	searcher *model.Searcher // the decoder, if the tree was grown
}

func newLink(c *Classifier) link {
	l := link{m: c.m, parents: c.parents}
	if c.tree != nil {
		l.paths = model.NewDecoder(c.tree, c.m.Meta.PathRule(c.m.Temperature))
		l.searcher, _ = l.paths.(*model.Searcher)
	}
	return l
}

// score returns what the link makes of an output's rank (see ranks).
func (l *link) score(rank float64) float64 {
	switch l.m.Meta.Link {
	case "sigmoid", "platt":
		return xmath.Sigmoid(rank)
	case "share":
		return (1 + rank) / 2
	case "temperature":
		return rank / l.m.Temperature
	case "number":
		if r := l.m.Meta.Range; r != nil {
			return min(max(rank, r[0]), r[1])
		}
		return rank
	case "levels":
		return l.m.Meta.Levels.Expectation(rank)
	case "level":
		return l.m.Meta.Levels.Level(rank)
	default:
		return rank
	}
}

// rank returns what orders an output's margin among those of the other outputs and of other documents: the log odds of
// its sigmoid, or the margin itself.
func (l *link) rank(output int, margin float64) float64 {
	if l.m.Meta.Link == "platt" {
		return logOdds(&l.m.Platt[output], margin)
	}
	return margin
}

// scores sets dst to the scores of classes. Of those of which a document has one, probabilities add up to 1.
func (l *link) scores(dst, margins []float64) {
	if l.paths != nil {
		l.paths.Probabilities(dst, margins)
		if l.m.Platt != nil {
			for k, p := range dst {
				if p > 0 {
					dst[k] = xmath.Sigmoid(logOdds(&l.m.Platt[k], model.LogOdds(p)))
				}
			}
		}
		return
	}
	for i, margin := range margins {
		dst[i] = l.score(l.rank(i, margin))
	}
	switch meta := &l.m.Meta; {
	case meta.Link == "softmax" || meta.Link == "temperature":
		bayes.Posterior(dst, dst)
	case meta.Task == "binary": // the only output is that of the second class
		dst[0], dst[1] = l.score(0-l.rank(0, margins[0])), dst[0] // not 1-dst[1], which rounds what is near 0; not -0
	case meta.Task == "multiclass" && meta.Link != "margin":
		l.share(dst, margins)
	}
}

// logOdds returns the log odds of the probability that a sigmoid makes of a margin.
func logOdds(p *model.Platt, margin float64) float64 { return -(float64(p.A*margin) + p.B) }

// leastSum is the sum of sigmoids below which they may have lost digits, or be 0.
const leastSum = 1e-280

// share divides scores by their sum. Sigmoids so small that they lose digits are in proportion to e^rank.
func (l *link) share(scores, margins []float64) {
	var sum float64
	for _, p := range scores {
		sum += p
	}
	switch {
	case sum >= leastSum:
		for i := range scores {
			scores[i] /= sum
		}
	case l.m.Meta.Link == "share": // no class has a neighbour
		for i := range scores {
			scores[i] = 1 / float64(len(scores))
		}
	default:
		for i, margin := range margins {
			scores[i] = l.rank(i, margin)
		}
		bayes.Posterior(scores, scores)
	}
}

// labels appends those that margins, or the scores that were made of them, speak for.
func (l *link) labels(dst []int, scores, margins []float64) []int {
	switch meta := &l.m.Meta; {
	case l.searcher != nil && meta.Task == "multilabel":
		return l.searcher.Above(dst, l.m.Threshold)
	case l.paths != nil:
		return append(dst, l.paths.Predict())
	case meta.Task == "binary":
		if margins[0] > l.m.Threshold[0] {
			return append(dst, 1)
		}
		return append(dst, 0)
	case meta.Task == "multilabel":
		for i, margin := range margins {
			if margin > l.m.Threshold[i] {
				dst = append(dst, i)
			}
		}
		return l.WithAbove(dst)
	default:
		best := 0
		for i, margin := range margins {
			if l.rank(i, margin) > l.rank(best, margins[best]) {
				best = i
			}
		}
		return append(dst, best)
	}
}

// WithAbove adds the labels above those of a document, if it has these, too.
func (l *link) WithAbove(labels []int) []int {
	if l.parents == nil {
		return labels
	}
	for at := 0; at < len(labels); at++ {
		if parent := int(l.parents[labels[at]]); parent != model.Root && !slices.Contains(labels, parent) {
			labels = append(labels, parent)
		}
	}
	slices.Sort(labels)
	return labels
}
