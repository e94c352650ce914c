// Package boost trains gradient-boosted decision trees on sparse rows (Friedman 2001, "Greedy function approximation:
// a gradient boosting machine"), by second derivatives as XGBoost does (Chen and Guestrin 2016).
//
// A margin is F(x) = b + Σ_t f_t(x), with b the prior log odds and f_t the value of the leaf of tree t that x falls
// into. Round by round, trees are added that lower the objective
//
//	Σ_i w_i·l(y_i, F(x_i)) + ½·λ·Σ_leaves v²
//
// in its expansion to the second order. With g and h the first and second derivatives of l at the margins so far,
// times the weights, and G and H their sums over the rows of a node, a leaf has the value −η·G/(H+λ), with η the
// learning rate, and a split gains
//
//	G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ)
//
// (their equation 7, without the factor ½ and without γ, as XGBoost reports it). The loss is logistic for two
// classes, with g = p−y and h = p(1−p), and softmax cross-entropy for more, with a tree for every class in every
// round, and with h = 2p(1−p) as in XGBoost.
//
// An entry that a row lacks has the value 0, as in scikit-learn: it goes to the side of a threshold where 0 belongs.
// XGBoost calls such entries missing, and learns for every split to which side they go. On binary features both are
// the same.
//
// Sums of g and h over the rows of a node that have a column are found for all columns at once; this is where the time
// goes. The two are rounded to integers that share one 64-bit number, so that a visit of an entry is one addition, and
// trees are the same in any order of additions, so with any number of threads. Rounding is to 2^31 parts of the sum of
// |g| over all rows; Shi et al. 2022, "Quantized training of gradient boosting decision trees", show that far fewer do.
// The values of leaves are computed from derivatives that are not rounded. The sums of a node's larger child are those
// of the node less those of the smaller child.
package boost

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Options say how trees are trained. Start from DefaultOptions: zero values are taken as they are. Users choose the
// first three; the others have the values that cross-validate best (docs/explanation/defaults.md).
type Options struct {
	Rounds int     // trees of every output
	Depth  int     // splits between the root and a leaf, at most
	Rate   float64 // factor of every leaf's value: the learning rate η, or shrinkage

	Lambda         float64 // λ, L2 regularization of leaves' values
	MinChildWeight float64 // the least sum of second derivatives on either side of a split
	ColSample      float64 // share of columns that each tree may split on
	Patience       int     // rounds that don't lower the loss of held rows, until training stops
}

// The limits of Options.
const (
	MostRounds = 100_000
	MostDepth  = 32
)

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Rounds: 300, Depth: 6, Rate: 0.3, Lambda: 1, MinChildWeight: 1, ColSample: 0.3, Patience: 20}
}

// Problem is rows, which Lay lays out, and what there is to learn of them.
type Problem struct {
	columns *columns
	// Targets are one for each output. Where they are rivals, which takes three or more, every row is in one of them,
	// and outputs are trained together, for the softmax of their margins. Otherwise each output is for the log odds of
	// its own target.
	Targets []Target
	Rivals  bool
	Weights []float64 // of every row; those of weight 0 don't count
	Held    []bool    // rows that are not trained on, and whose loss tells when to stop; nil for none
	Seed    uint64
	Threads int
}

// Target is what one output learns.
type Target struct {
	Inside []bool // of every row: whether the output's margin should be large
	// Positive and Negative are factors of the weights of rows inside and of all others; of rivals, both are 1.
	Positive, Negative float64
}

// counts reports whether a row is trained on or, if held, whether it is held.
func (p *Problem) counts(i int, held bool) bool {
	return p.Weights[i] > 0 && (p.Held != nil && p.Held[i]) == held
}

// weight returns the weight of a row in the loss of an output.
func (p *Problem) weight(k, i int) float64 {
	if p.Targets[k].Inside[i] {
		return float64(p.Weights[i] * p.Targets[k].Positive)
	}
	return float64(p.Weights[i] * p.Targets[k].Negative)
}

// Round tells of one round.
type Round struct {
	// Loss is the mean log loss of the rows that are trained on, by weight, summed over outputs that are no rivals.
	Loss float64
	// Held and Accuracy are the loss of held rows, and the share of them that is classified rightly by all outputs.
	Held     float64
	Accuracy float64
}

// Result is what came of a training.
type Result struct {
	Forest Forest
	Base   []float64 // margin of every output before all trees
	Rounds []Round
}

// Cut leaves only the trees of the first rounds.
func (r *Result) Cut(rounds int) { r.Forest.Trees = r.Forest.Trees[:rounds*r.Forest.Outputs] }

// Best returns how many rounds have the lowest loss of held rows; all where none is held.
func (r *Result) Best() (rounds int) {
	for k, round := range r.Rounds {
		if round.Held > 0 && (rounds == 0 || round.Held < r.Rounds[rounds-1].Held) {
			rounds = k + 1
		}
	}
	return cmp.Or(rounds, len(r.Rounds))
}

// Train trains trees. tell, unless it is nil, is told of every round, with all trees so far, and whether it is the last
// unless patience ends the training; it may set what the round's Held and Accuracy are. Training ends when Held has not
// fallen for the options' Patience.
func Train(ctx context.Context, p *Problem, o Options, tell func(so *Result, last bool) error) (*Result, error) {
	t := &training{p: p, lse: make([]float64, len(p.Weights))}
	so := &t.result
	so.Forest.Outputs = len(p.Targets)
	for k := range p.Targets {
		so.Base = append(so.Base, t.base(k))
		t.margins = append(t.margins, slices.Repeat(so.Base[k:], len(p.Weights)))
	}
	// Several trees are grown at a time, each by one thread, where there are several of a round.
	for range min(par.Threads(p.Threads), len(p.Targets)) {
		t.growers = append(t.growers, newGrower(p.columns, &o))
	}
	for n := 1; n <= o.Rounds; n++ {
		if err := t.round(ctx); err != nil {
			return nil, err
		}
		r := Round{}
		r.Loss, _ = t.loss(false)
		if p.Held != nil {
			r.Held, r.Accuracy = t.loss(true)
		}
		if so.Rounds = append(so.Rounds, r); tell != nil {
			if err := tell(so, n == o.Rounds); err != nil {
				return nil, err
			}
		}
		if so.Rounds[n-1].Held > 0 && n-so.Best() >= o.Patience {
			break
		}
	}
	return so, nil
}

// training is the state between rounds.
type training struct {
	p       *Problem
	growers []*grower
	margins [][]float64 // of every output, by row
	lse     []float64   // of every row, log Σ_k exp of margins, before the round; for rivals
	result  Result
}

// leastShare keeps prior log odds finite.
const leastShare = 1e-6

// base returns the margin of an output that has the least loss without a tree: the logarithm of a rival's share, or log
// odds.
func (t *training) base(k int) float64 {
	var inside, outside float64
	for i, is := range t.p.Targets[k].Inside {
		switch {
		case !t.p.counts(i, false):
		case is:
			inside += t.p.weight(k, i)
		default:
			outside += t.p.weight(k, i)
		}
	}
	log := func(w float64) float64 { return xmath.Log(max(w/max(inside+outside, 1e-300), leastShare)) }
	if t.p.Rivals {
		return log(inside)
	}
	return log(inside) - log(outside)
}

// round adds a tree for every output.
func (t *training) round(ctx context.Context) error {
	if t.p.Rivals {
		for i := range t.lse {
			t.lse[i] = t.logSum(i)
		}
	}
	before := t.result.Forest.Trees
	trees := append(before, make([]Tree, len(t.p.Targets))...)
	err := par.Each(ctx, len(t.growers), len(t.p.Targets), func(worker, k int) error {
		n := len(before) + k
		trees[n] = t.tree(t.growers[worker], n, k)
		return nil
	})
	if err != nil {
		return err
	}
	t.result.Forest.Trees = trees
	return ctx.Err()
}

// logSum returns log Σ_k exp of a row's margins.
func (t *training) logSum(i int) float64 {
	most := math.Inf(-1)
	for _, m := range t.margins {
		most = max(most, m[i])
	}
	var sum float64
	for _, m := range t.margins {
		sum += xmath.Exp(m[i] - most)
	}
	return most + xmath.Log(sum)
}

// leastSecond keeps second derivatives above 0.
const leastSecond = 1e-16

// tree grows the n-th tree, for an output, and adds its values to the margins of all rows.
func (t *training) tree(g *grower, n, k int) Tree {
	second := 1.0
	for i, m := range t.margins[k] {
		if g.g[i], g.h[i] = 0, 0; !t.p.counts(i, false) {
			continue
		}
		w, p, y := t.p.weight(k, i), 0.0, 0.0
		if t.p.Targets[k].Inside[i] {
			y = 1
		}
		if t.p.Rivals {
			p, second = min(xmath.Exp(m-t.lse[i]), 1), 2 // the difference is rounded
		} else {
			p = xmath.Sigmoid(m)
		}
		g.g[i], g.h[i] = w*(p-y), w*max(second*p*(1-p), leastSecond)
	}
	random := xmath.SplitMix(t.p.Seed + uint64(n)*0x9e3779b97f4a7c15)
	random = xmath.SplitMix(random.Uint64())
	return g.tree(&random, t.margins[k])
}

// loss returns the mean log loss of the rows that are trained on, or held, by weight, and the share of them, by weight,
// that all outputs classify rightly.
func (t *training) loss(held bool) (loss, accuracy float64) {
	all, right := 1e-300, 0.0
	for i, w := range t.p.Weights {
		if !t.p.counts(i, held) {
			continue
		}
		agree, first := true, 0
		for k, margins := range t.margins {
			m, inside := margins[i], t.p.Targets[k].Inside[i]
			if m > t.margins[first][i] {
				first = k
			}
			switch {
			case !t.p.Rivals:
				sign := -1.0
				if agree = agree && m > 0 == inside; !inside {
					sign = 1
				}
				loss += float64(t.p.weight(k, i) * xmath.Log1pExp(sign*m))
			case inside:
				loss += float64(w * (t.logSum(i) - m))
			}
		}
		if all += w; agree && (!t.p.Rivals || t.p.Targets[first].Inside[i]) {
			right += w
		}
	}
	return loss / all, right / all
}
