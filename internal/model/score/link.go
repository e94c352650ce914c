package score

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
)

// link turns margins into the scores of classes, and into labels, as the task and the link of a model say.
type link struct {
	m        *model.Model
	parents  []int32         // of labels, of which a document has those above, too; nil of others
	paths    paths.Decoder   // nil unless labels are in a tree
	searcher *paths.Searcher // the decoder, if the tree was grown
}

func newLink(c *Classifier) link {
	l := link{m: c.m, parents: c.parents}
	if c.tree != nil {
		l.paths = paths.NewDecoder(c.tree, c.m.Meta.PathRule(c.m.Temperature))
		l.searcher, _ = l.paths.(*paths.Searcher)
	}
	return l
}

// score is that of a class, of the margin of its own output.
func (l *link) score(output int, margin float64) float64 {
	switch l.m.Meta.Link {
	case "sigmoid":
		return xmath.Sigmoid(margin)
	case "share":
		return (1 + margin) / 2
	case "platt":
		return probability(&l.m.Platt[output], margin)
	case "temperature":
		return margin / l.m.Temperature
	default:
		return margin
	}
}

// scores sets dst to the scores of classes. Of those of which a document has one, probabilities add up to 1.
func (l *link) scores(dst, margins []float64) {
	if l.paths != nil {
		l.paths.Probabilities(dst, margins)
		if l.m.Platt != nil {
			for k, p := range dst {
				if p > 0 {
					dst[k] = probability(&l.m.Platt[k], paths.LogOdds(p))
				}
			}
		}
		return
	}
	for i, margin := range margins {
		dst[i] = l.score(i, margin)
	}
	switch meta := &l.m.Meta; {
	case meta.Link == "softmax" || meta.Link == "temperature":
		bayes.Posterior(dst, dst)
	case meta.Task == "binary": // the only output is that of the second class
		if dst[0], dst[1] = 0-dst[0], dst[0]; meta.Link != "margin" { // not -0
			dst[0] = 1 - dst[1]
		}
	case meta.Task == "multiclass" && meta.Link != "margin":
		share(dst)
	}
}

// probability is what a sigmoid makes of a margin.
func probability(p *model.Platt, margin float64) float64 {
	return xmath.Sigmoid(-(float64(p.A*margin) + p.B))
}

// share divides scores by their sum.
func share(scores []float64) {
	var sum float64
	for _, p := range scores {
		sum += p
	}
	for i := range scores {
		if scores[i] /= sum; sum == 0 {
			scores[i] = 1 / float64(len(scores))
		}
	}
}

// labels appends those that margins, or the scores that were made of them, speak for.
func (l *link) labels(dst []int, scores, margins []float64) []int {
	switch meta := &l.m.Meta; {
	case l.searcher != nil && meta.Task == "multilabel":
		return l.searcher.Above(dst, l.m.Threshold)
	case l.paths != nil:
		return append(dst, l.paths.Predict(scores))
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
		return l.withAbove(dst)
	case meta.Link == "temperature": // scores have the order of margins, but for rounding
		return append(dst, highest(margins))
	default:
		return append(dst, highest(scores))
	}
}

// withAbove adds the labels above those of a document, if it has these, too.
func (l *link) withAbove(labels []int) []int {
	if l.parents == nil {
		return labels
	}
	for at := 0; at < len(labels); at++ {
		if parent := int(l.parents[labels[at]]); parent != paths.Root && !slices.Contains(labels, parent) {
			labels = append(labels, parent)
		}
	}
	slices.Sort(labels)
	return labels
}
