package score

import (
	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
)

// link turns margins into the scores of classes, and into labels. There is a type for each task, and for labels that
// are paths.
type link interface {
	scores(dst, margins []float64)
	// labels appends those that margins, or the scores that were made of them, speak for.
	labels(dst []int, scores, margins []float64) []int
}

func newLink(c *Classifier) link {
	switch m := c.m; {
	case c.tree != nil:
		return pathLink{paths.NewDecoder(c.tree, m.Meta.Paths.Rule(m.Temperature))}
	case m.Meta.Task == "binary":
		return twoClasses{m, perMargin(m), c.Probabilities()}
	case m.Meta.Task == "multilabel":
		return anyClasses{m, scoresOf(m)}
	default:
		return oneClass{sharesOf(m), m.Meta.Link == "temperature"}
	}
}

// perMargin makes the score of a class of the margin of its own output.
func perMargin(m *model.Model) func(i int, margin float64) float64 {
	switch m.Meta.Link {
	case "sigmoid":
		return func(_ int, margin float64) float64 { return xmath.Sigmoid(margin) }
	case "share":
		return func(_ int, margin float64) float64 { return (1 + margin) / 2 }
	case "platt":
		return func(i int, margin float64) float64 {
			return xmath.Sigmoid(-(float64(m.Platt[i].A*margin) + m.Platt[i].B))
		}
	default:
		return func(_ int, margin float64) float64 { return margin }
	}
}

// scoresOf makes scores of the margins of several outputs.
func scoresOf(m *model.Model) func(dst, margins []float64) {
	switch m.Meta.Link {
	case "softmax":
		return bayes.Posterior
	case "temperature":
		return func(dst, margins []float64) {
			for i, margin := range margins {
				dst[i] = margin / m.Temperature
			}
			bayes.Posterior(dst, dst)
		}
	case "margin":
		return func(dst, margins []float64) { copy(dst, margins) }
	}
	of := perMargin(m)
	return func(dst, margins []float64) {
		for i, margin := range margins {
			dst[i] = of(i, margin)
		}
	}
}

// sharesOf is scoresOf for classes of which a document has one: their probabilities add up to 1.
func sharesOf(m *model.Model) func(dst, margins []float64) {
	of := scoresOf(m)
	if link := m.Meta.Link; link != "sigmoid" && link != "share" && link != "platt" {
		return of
	}
	return func(dst, margins []float64) {
		of(dst, margins)
		var sum float64
		for _, p := range dst {
			sum += p
		}
		for i := range dst {
			if dst[i] /= sum; sum == 0 {
				dst[i] = 1 / float64(len(dst))
			}
		}
	}
}

// twoClasses have one output, for the second.
type twoClasses struct {
	m             *model.Model
	score         func(i int, margin float64) float64
	probabilities bool
}

func (l twoClasses) scores(dst, margins []float64) {
	dst[1] = l.score(0, margins[0])
	if dst[0] = 0 - dst[1]; l.probabilities { // not -0
		dst[0] = 1 - dst[1]
	}
}

func (l twoClasses) labels(dst []int, _, margins []float64) []int {
	if margins[0] > l.m.Threshold[0] {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// anyClasses are labels of which a document may have any number.
type anyClasses struct {
	m  *model.Model
	of func(dst, margins []float64)
}

func (l anyClasses) scores(dst, margins []float64) { l.of(dst, margins) }

func (l anyClasses) labels(dst []int, _, margins []float64) []int {
	for i, margin := range margins {
		if margin > l.m.Threshold[i] {
			dst = append(dst, i)
		}
	}
	return dst
}

// oneClass is one of several classes, that of the highest score.
type oneClass struct {
	of       func(dst, margins []float64)
	byMargin bool // scores have the order of margins, but for rounding
}

func (l oneClass) scores(dst, margins []float64) { l.of(dst, margins) }

func (l oneClass) labels(dst []int, scores, margins []float64) []int {
	if l.byMargin {
		scores = margins
	}
	return append(dst, highest(scores))
}

// pathLink is that of labels that are paths.
type pathLink struct{ d *paths.Decoder }

func (l pathLink) scores(dst, margins []float64) { l.d.Probabilities(dst, margins) }

func (l pathLink) labels(dst []int, scores, _ []float64) []int {
	return append(dst, l.d.Predict(scores))
}
