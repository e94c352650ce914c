package score

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/internal/base/xmath"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
)

// Scorer scores documents one by one. It owns scratch memory: one per goroutine.
type Scorer struct {
	c        *Classifier
	m        *model.Model
	features features
	rows     bool // the rows of documents are needed, too
	batch    batch
	adder    adder
	gathered []float32 // a number of every row of the document
	numbers  []float32 // room for those of one row, an output each
	weights  []float64 // the same, for explanations
	all      []float64 // margins and squares, each with room for a table's
	margins  []float64
	squares  []float64
	scores   []float64
	labels   []int
	paths    *paths.Decoder // nil unless labels are paths
	added    []rowMargin    // of the text that is explained

	rule     ruleScorer       // nil for a linear model
	fastText *fasttext.Scorer // nil for a model that is not fastText's
	onlyBest bool             // scores of other classes are not needed
}

// Prediction for a document. Its slices belong to the Scorer, until its next
// call.
type Prediction struct {
	// Labels are the predicted classes by number: one, or for a multi-label
	// model any number.
	Labels []int
	// Scores of all classes: probabilities if the classifier has them, else
	// margins (of two classes, m for the second and −m for the first). That of a label which is a path is the
	// probability that the document belongs there or below.
	Scores []float64
	// Margins of the model's outputs: one for two classes, else one per class, and more behind these where labels are
	// paths.
	Margins []float64

	tree *paths.Tree // nil unless labels are paths
}

// NewScorer returns a scorer for one goroutine.
func (c *Classifier) NewScorer() (*Scorer, error) {
	if c.fastText != nil {
		s := c.decider()
		s.fastText = c.fastText.NewScorer()
		return s, nil
	}
	if c.badRule != nil {
		return nil, c.badRule
	}
	s := c.decider()
	err := c.guard(func() (err error) {
		s.features, err = sources[c.m.Meta.Source](c.m)
		return err
	})
	return s, err
}

// decider is a scorer that can't find features, and is given them.
func (c *Classifier) decider() *Scorer {
	k := c.m.Outputs
	half := max(k, tableWidths(c.m).weights)
	all := make([]float64, 2*half)
	s := &Scorer{
		c: c, m: c.m, batch: batch{m: c.m},
		all: all, margins: all[:k], squares: all[half:][:k], numbers: make([]float32, k),
		scores: make([]float64, len(c.m.Meta.Labels)), paths: c.newDecoder(),
	}
	if c.rule != nil {
		s.rule = c.rule.scorer()
	}
	return s
}

// Predict scores a text. If the model's file is truncated while it is in use, that is an error.
func (s *Scorer) Predict(text []byte) (Prediction, error) {
	if s.c.TakesFeatures() {
		return Prediction{}, fmt.Errorf("nbsvm: the model takes ready-made features (SVMlight), not text")
	}
	return s.predictSafely(text)
}

// PredictFeatures scores ready-made features in SVMlight text, "index:value …".
func (s *Scorer) PredictFeatures(text []byte) (Prediction, error) {
	if !s.c.TakesFeatures() {
		return Prediction{}, fmt.Errorf("nbsvm: the model takes text, not ready-made features (SVMlight)")
	}
	return s.predictSafely(text)
}

func (s *Scorer) predictSafely(text []byte) (p Prediction, err error) {
	err = s.c.protect(func() (err error) {
		p, err = s.predictText(text)
		return err
	})
	if err != nil {
		return Prediction{}, err
	}
	return p, nil
}

func (s *Scorer) predictText(text []byte) (Prediction, error) {
	if s.fastText != nil {
		return s.scoreFastText(text)
	}
	s.batch.reset()
	if err := s.features.append(&s.batch, text); err != nil {
		return Prediction{}, err
	}
	s.batch.end()
	s.find()
	return s.predict(0), nil
}

// lookedUp is how many features are looked up at once, unless a document has more: many
// enough for short documents' cache misses to overlap.
const lookedUp = 1024

// find looks up the features of the batch. Where enough has been scored for it, the model's table is made.
func (s *Scorer) find() {
	s.batch.find(s.c.table.made.Load(), s.rows)
	s.count()
}

// count tells the model's table what was looked up without it.
func (s *Scorer) count() {
	if s.batch.table == nil && s.batch.hashed {
		s.c.table.count(s.m, len(s.batch.found))
	}
}

// predict predicts the k-th document of the batch.
func (s *Scorer) predict(k int) Prediction {
	s.batch.take(k)
	return s.decided()
}

// decided turns the features of the document that the batch has taken into scores and labels.
func (s *Scorer) decided() Prediction {
	s.decide()
	s.link()
	return Prediction{Labels: s.predicted(), Scores: s.scores, Margins: s.margins, tree: s.c.tree}
}

// decide computes every output's margin.
func (s *Scorer) decide() {
	if s.rule != nil {
		s.rule.margins(s.margins, s.batch.rows, s.batch.rowValues)
		for i, bias := range s.m.Bias {
			s.margins[i] += bias
		}
		return
	}
	total := s.sums()
	s.norms()
	for i := range s.margins {
		s.margins[i] += float64(s.m.Base[i] * total)
		s.margins[i] = float64(s.margins[i]*s.unit(i)) + s.m.Bias[i]
	}
}

// sums adds up the weights of the document's features, times their values, for
// every output, and returns the sum of the values.
func (s *Scorer) sums() (total float64) {
	m, k := s.m, s.m.Outputs
	if s.batch.table != nil {
		return s.tableSums()
	}
	clear(s.margins)
	if k == 1 && m.Dense != nil {
		var margin float64
		s.gathered = m.Dense.Gather(s.gathered, s.batch.rows)
		for n, w := range s.gathered {
			f := s.batch.rowValues[n]
			total += f
			margin += float64(f * float64(w))
		}
		s.margins[0] = margin
		return total
	}
	for n, row := range s.batch.rows {
		f := s.batch.rowValues[n]
		total += f
		if m.Dense != nil {
			for i, w := range m.Dense.Range(s.numbers, int(row)*k, int(row+1)*k) {
				s.margins[i] += float64(f * float64(w))
			}
		} else {
			outputs, weights := m.Sparse.Row(s.numbers, row)
			for e, w := range weights {
				s.margins[outputs[e]] += float64(f * float64(w))
			}
		}
	}
	return total
}

// tableSums is sums of what a table has, with what there is for norms.
func (s *Scorer) tableSums() (total float64) {
	b := &s.batch
	switch {
	case b.summed != nil:
		s.margins[0], s.squares[0] = b.sums.weights, b.sums.squares
		return float64(b.sums.rows)
	case s.m.Outputs == 1:
		s.margins[0], s.squares[0] = b.table.sums(b.rows)
	default:
		clear(s.all)
		s.adder.add(b.table, s.all[:b.table.widths.row()], b.soon, len(b.rows))
	}
	return float64(len(b.rows))
}

// norms computes the squared norm of every output's row, x = f·r, if rows have
// unit length.
func (s *Scorer) norms() {
	m := s.m
	switch {
	case !m.Meta.Normalize:
	case s.batch.table != nil && (m.Outputs == 1 || m.Ratio != nil): // tableSums has them
	case s.batch.table != nil && m.SparseRatio != nil:
		f2a, f2a2 := s.batch.table.ratios(s.batch.rows)
		s.otherwise(m.SparseRatio, float64(len(s.batch.rows)), f2a, f2a2)
	case m.Ratio != nil && m.Outputs == 1:
		var square float64
		s.gathered = m.Ratio.Gather(s.gathered, s.batch.rows)
		for n, r := range s.gathered {
			x := s.batch.rowValues[n] * float64(r)
			square += float64(x * x)
		}
		s.squares[0] = square
	case m.Ratio != nil:
		k := m.Outputs
		clear(s.squares)
		for n, row := range s.batch.rows {
			f := s.batch.rowValues[n]
			for i, r := range m.Ratio.Range(s.numbers, int(row)*k, int(row+1)*k) {
				x := f * float64(r)
				s.squares[i] += float64(x * x)
			}
		}
	case m.SparseRatio != nil:
		s.sparseNorms(m.SparseRatio)
	default: // no ratio: the row is the features
		var square float64
		for k := range s.batch.rows {
			f := s.batch.value(k)
			square += float64(f * f)
		}
		for i := range s.squares {
			s.squares[i] = square
		}
	}
}

// sparseNorms is norms where the ratio of most pairs is the sum of a number a of
// the row and a number b of the output: Σ f²·(a+b)² over all rows comes of three
// sums for all outputs, and the pairs stored make up for the difference.
func (s *Scorer) sparseNorms(ratio *model.SparseRatio) {
	var f2, f2a, f2a2 float64
	clear(s.squares)
	s.gathered = ratio.Row.Gather(s.gathered, s.batch.rows)
	for n, row := range s.batch.rows {
		f := s.batch.rowValues[n]
		square, a := f*f, float64(s.gathered[n])
		f2 += float64(square)
		f2a += float64(square * a)
		f2a2 += float64(float64(square*a) * a)
		outputs, ratios := ratio.Pairs.Row(s.numbers, row)
		for e, r := range ratios {
			s.squares[outputs[e]] += float64(square * excess(a+ratio.Output[outputs[e]], r))
		}
	}
	s.otherwise(ratio, f2, f2a, f2a2)
}

// otherwise adds to the squares what they are where no pairs are stored.
func (s *Scorer) otherwise(ratio *model.SparseRatio, f2, f2a, f2a2 float64) {
	for i, b := range ratio.Output {
		s.squares[i] += f2a2 + float64(2*float64(b*f2a)) + float64(float64(b*b)*f2)
	}
}

// unit is what brings the row of an output to unit length.
func (s *Scorer) unit(output int) float64 {
	switch square := s.squares[output]; {
	case !s.m.Meta.Normalize:
		return 1
	case square <= 0:
		return 0
	default:
		return 1 / math.Sqrt(square)
	}
}

// link turns margins into scores.
func (s *Scorer) link() {
	m := s.m
	switch m.Meta.Link {
	case "paths":
		s.paths.Probabilities(s.scores, s.margins)
		return
	case "temperature":
		for i, margin := range s.margins {
			s.scores[i] = margin / m.Temperature
		}
		bayes.Posterior(s.scores, s.scores)
		return
	case "softmax":
		bayes.Posterior(s.scores, s.margins)
		return
	case "sigmoid":
		for i, margin := range s.margins {
			s.scores[i] = xmath.Sigmoid(margin)
		}
	case "share":
		for i, margin := range s.margins {
			s.scores[i] = (1 + margin) / 2
		}
	case "platt":
		for i, margin := range s.margins {
			s.scores[i] = xmath.Sigmoid(-(float64(m.Platt[i].A*margin) + m.Platt[i].B))
		}
	default:
		copy(s.scores, s.margins)
	}
	probabilities := s.c.Probabilities()
	switch {
	case m.Meta.Task == "binary" && probabilities:
		s.scores[0], s.scores[1] = 1-s.scores[0], s.scores[0]
	case m.Meta.Task == "binary":
		s.scores[0], s.scores[1] = 0-s.scores[0], s.scores[0] // not -0
	case m.Meta.Task == "multiclass" && probabilities:
		var sum float64
		for _, p := range s.scores {
			sum += p
		}
		for i := range s.scores {
			if s.scores[i] /= sum; sum == 0 {
				s.scores[i] = 1 / float64(len(s.scores))
			}
		}
	}
}

// predicted are the classes that margins speak for.
func (s *Scorer) predicted() []int {
	s.labels = s.labels[:0]
	if s.paths != nil {
		return append(s.labels, s.paths.Predict(s.scores))
	}
	switch s.m.Meta.Task {
	case "multilabel":
		for i, margin := range s.margins {
			if margin > s.m.Threshold[i] {
				s.labels = append(s.labels, i)
			}
		}
	case "binary":
		best := 0
		if s.margins[0] > s.m.Threshold[0] {
			best = 1
		}
		s.labels = append(s.labels, best)
	default:
		best, scores := 0, s.scores
		if s.m.Meta.Link == "temperature" { // has their order, but for rounding
			scores = s.margins
		}
		for i, score := range scores {
			if score > scores[best] {
				best = i
			}
		}
		s.labels = append(s.labels, best)
	}
	return s.labels
}
