package score

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Probabilities near 1 are rounded to the same number long before the margins that they are made of are: e^-37 is half
// of the last bit of 1. Whatever orders classes or documents must therefore not compare probabilities. Ranks order the
// classes of a document, and odds order documents by a class.

// Ranks returns numbers that order the classes of a prediction as exact scores would. They are valid as long as the
// prediction, and must not be changed. Where probabilities are not made of margins, they are the scores.
func (c *Classifier) Ranks(p *Prediction) []float64 {
	if c.among != nil { // margins are still those of all classes
		ranks := slices.Clone(p.Scores)
		for k, is := range c.among {
			if !is { // also below a class that has the probability 0, too
				ranks[k] = math.Inf(-1)
			}
		}
		return ranks
	}
	return c.ranks(p)
}

func (c *Classifier) ranks(p *Prediction) []float64 {
	link := link{m: c.m}
	switch meta := &c.m.Meta; {
	case !c.ranked(p) || meta.Link == "margin":
		return p.Scores
	case meta.Task == "binary":
		rank := link.rank(0, p.Margins[0])
		return []float64{-rank, rank}
	case meta.Link != "platt":
		return p.Margins
	}
	ranks := make([]float64, len(p.Margins))
	for k, margin := range p.Margins {
		ranks[k] = link.rank(k, margin)
	}
	return ranks
}

// ranked reports whether the margins of a prediction order its classes: every class has an output of its own, or there
// are two classes with one.
func (c *Classifier) ranked(p *Prediction) bool {
	return c.tree == nil && len(p.Margins) > 0 && len(p.Margins) == c.m.Outputs
}

// Odds returns the log odds of probabilities that are made of margins, which order documents by a class also where
// probabilities round to 1; nil of other scores. They are valid as long as the prediction, and must not be changed.
func (c *Classifier) Odds(p *Prediction) []float64 {
	meta := &c.m.Meta
	if !c.ranked(p) || c.among != nil || meta.Link == "margin" || meta.Link == "share" {
		return nil
	}
	ranks := c.Ranks(p)
	if meta.Task != "multiclass" {
		return ranks
	}
	logs := slices.Clone(ranks) // of what probabilities are in proportion to
	for k := range logs {
		switch meta.Link {
		case "temperature":
			logs[k] /= c.m.Temperature
		case "sigmoid", "platt":
			logs[k] = -xmath.Log1pExp(-logs[k])
		}
	}
	return oddsOfShares(logs, ranks)
}

// oddsOfShares replaces the logarithms of what shares are in proportion to by the log odds of the shares: the logarithm
// of each one's part less that of the sum of all others. Of several equal logarithms, the one with the highest rank is
// the top. A larger logarithm never gets smaller odds than another.
func oddsOfShares(logs, ranks []float64) []float64 {
	top, most, second := 0, logs[0], math.Inf(-1)
	for k, x := range logs[1:] {
		if x > most || x == most && ranks[k+1] > ranks[top] {
			top, most, second = k+1, x, most
		} else {
			second = max(second, x)
		}
	}
	others, others2 := 0.0, 0.0 // in proportion to the top and to the second
	for k, x := range logs {
		if k != top {
			others += xmath.Exp(x - most)
			others2 += xmath.Exp(x - second)
		}
	}
	least := math.Inf(-1)
	for k, x := range logs {
		if k != top {
			rest := max(1, others, 1+others-xmath.Exp(x-most))
			logs[k] = x - most - xmath.Log(rest)
			least = max(least, logs[k])
		}
	}
	logs[top] = max(least, most-second-xmath.Log(others2))
	return logs
}
