package score

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/bayes"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/kernels"
	"github.com/seed-167f963f/nbsvm/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Scorer scores documents one by one. It owns scratch memory: one per goroutine.
type Scorer struct {
	c        *Classifier
	m        *model.Model
	extract  *hashing.Extractor
	features features
	table    *model.Table // that the document is scored from; nil for the model itself
	adder    model.Adder
	hashes   []uint64
	ends     []int // of the hashes of each text, if they are several
	counts   []uint32
	ids      []uint32
	tags     []uint16
	values   []float32
	gathered []float32 // a number of every row of the document
	numbers  []float32 // room for those of one row, an output each
	all      []float64 // margins, then squares, then room for a table's
	margins  []float64
	squares  []float64
	scores   []float64
	labels   []int
}

// Prediction for a document. Its slices belong to the Scorer, until its next
// call.
type Prediction struct {
	// Labels are the predicted classes by number: one, or for a multi-label
	// model any number.
	Labels []int
	// Scores of all classes: probabilities if the classifier has them, else
	// margins (of two classes, m for the second and −m for the first).
	Scores []float64
	// Margins of the model's outputs: one for two classes, else one per class.
	Margins []float64
}

// NewScorer returns a scorer for one goroutine.
func (c *Classifier) NewScorer() (*Scorer, error) {
	s := c.decider()
	if c.TakesFeatures() {
		return s, nil
	}
	var err error
	s.extract, err = hashing.NewExtractor(c.m.Meta.Text)
	if c.m.Meta.Values != binary {
		s.counts = make([]uint32, 0, 256)
	}
	return s, err
}

// decider is a scorer that can't find features, and is given them.
func (c *Classifier) decider() *Scorer {
	k := c.m.Outputs
	all := make([]float64, 2*k+kernels.RowUnit)
	return &Scorer{
		c: c, m: c.m, features: features{m: c.m},
		all: all, margins: all[:k], squares: all[k : 2*k], numbers: make([]float32, k),
		scores: make([]float64, len(c.m.Meta.Labels)),
	}
}

// Predict scores a text.
func (s *Scorer) Predict(text []byte) (Prediction, error) {
	if s.c.TakesFeatures() {
		return Prediction{}, fmt.Errorf("nbsvm: the model takes ready-made features (SVMlight), not text")
	}
	if s.counts == nil {
		s.hashes = s.extract.AppendHashes(s.hashes[:0], text)
	} else {
		s.hashes, s.counts = s.extract.AppendDistinct(s.hashes[:0], s.counts[:0:cap(s.counts)], text)
	}
	s.hashed(s.hashes, s.counts)
	p := s.predict()
	s.c.table.count(s.m, len(s.features.rows))
	return p, nil
}

// lookedUp is how many n-grams are looked up at once, unless a document has more: many
// enough for short documents' cache misses to overlap.
const lookedUp = 1024

// lookUp finds the features of the first documents, which Scorer.record then takes by
// their places, and returns the number of these documents: one where it is not n-grams
// that count once.
func (s *Scorer) lookUp(docs []corpus.Document) int {
	if s.extract == nil || s.counts != nil {
		return 1
	}
	s.hashes, s.ends = s.hashes[:0], s.ends[:0]
	for i := 0; i < len(docs) && len(s.hashes) < lookedUp; i++ {
		s.hashes = s.extract.AppendHashes(s.hashes, docs[i].Text)
		s.ends = append(s.ends, len(s.hashes))
	}
	s.table = s.c.table.made.Load()
	s.features.lookUp(s.hashes, s.ends, s.table)
	s.c.table.count(s.m, len(s.features.found))
	return len(s.ends)
}

// predictRecord predicts the k-th document that was looked up.
func (s *Scorer) predictRecord(k int, text []byte) (Prediction, error) {
	switch {
	case s.c.TakesFeatures():
		return s.PredictFeatures(text)
	case s.counts != nil:
		return s.Predict(text)
	}
	s.features.take(k, s.table)
	return s.predict(), nil
}

// PredictFeatures scores ready-made features in SVMlight text, "index:value …".
func (s *Scorer) PredictFeatures(text []byte) (Prediction, error) {
	if !s.c.TakesFeatures() {
		return Prediction{}, fmt.Errorf("nbsvm: the model takes text, not ready-made features (SVMlight)")
	}
	var err error
	if s.ids, s.values, err = sparse.AppendSVMLight(s.ids[:0], s.values[:0], text); err != nil {
		return Prediction{}, err
	}
	s.features.set(s.ids, nil, s.values)
	return s.predict(), nil
}

// hashed takes in a text's n-grams: distinct ones with their counts, or, counts being
// nil, such as count once.
func (s *Scorer) hashed(hashes []uint64, counts []uint32) {
	if counts == nil {
		s.table = s.c.table.made.Load()
		s.ends = append(s.ends[:0], len(hashes))
		s.features.lookUp(hashes, s.ends, s.table)
		s.features.take(0, s.table)
		return
	}
	bits := s.m.Meta.Text.Bits
	s.ids, s.tags, s.values = s.ids[:0], s.tags[:0], s.values[:0]
	for _, h := range hashes {
		s.ids, s.tags = append(s.ids, hashing.Bucket(h, bits)), append(s.tags, hashing.Tag(h))
	}
	for _, n := range counts {
		s.values = append(s.values, float32(n))
	}
	s.features.set(s.ids, s.tags, s.values)
}

// predict turns the features into scores and labels.
func (s *Scorer) predict() Prediction {
	s.decide()
	s.link()
	return Prediction{Labels: s.predicted(), Scores: s.scores, Margins: s.margins}
}

// decide computes every output's margin.
func (s *Scorer) decide() {
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
	if s.table != nil {
		s.tableSums()
		return float64(len(s.features.rows))
	}
	clear(s.margins)
	if k == 1 && m.Dense != nil {
		var margin float64
		s.gathered = m.Dense.Gather(s.gathered, s.features.rows)
		for n, w := range s.gathered {
			f := s.features.values[n]
			total += f
			margin += float64(f * float64(w))
		}
		s.margins[0] = margin
		return total
	}
	for n, row := range s.features.rows {
		f := s.features.values[n]
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
func (s *Scorer) tableSums() {
	if s.m.Outputs == 1 {
		s.margins[0], s.squares[0] = s.table.Sums(s.features.rows)
		return
	}
	clear(s.all)
	s.adder.Add(s.table, s.all, s.features.soon, len(s.features.rows))
}

// norms computes the squared norm of every output's row, x = f·r, if rows have
// unit length.
func (s *Scorer) norms() {
	m := s.m
	switch {
	case !m.Meta.Normalize:
	case s.table != nil && (m.Outputs == 1 || m.Ratio != nil): // tableSums has them
	case s.table != nil && m.SparseRatio != nil:
		f2a, f2a2 := s.table.Ratios(s.features.rows)
		s.otherwise(m.SparseRatio, float64(len(s.features.rows)), f2a, f2a2)
	case m.Ratio != nil && m.Outputs == 1:
		var square float64
		s.gathered = m.Ratio.Gather(s.gathered, s.features.rows)
		for n, r := range s.gathered {
			x := s.features.values[n] * float64(r)
			square += float64(x * x)
		}
		s.squares[0] = square
	case m.Ratio != nil:
		k := m.Outputs
		clear(s.squares)
		for n, row := range s.features.rows {
			f := s.features.values[n]
			for i, r := range m.Ratio.Range(s.numbers, int(row)*k, int(row+1)*k) {
				x := f * float64(r)
				s.squares[i] += float64(x * x)
			}
		}
	case m.SparseRatio != nil:
		s.sparseNorms(m.SparseRatio)
	default: // no ratio: the row is the features
		var square float64
		for k := range s.features.rows {
			f := s.features.value(k)
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
	s.gathered = ratio.Row.Gather(s.gathered, s.features.rows)
	for n, row := range s.features.rows {
		f := s.features.values[n]
		square, a := f*f, float64(s.gathered[n])
		f2 += float64(square)
		f2a += float64(square * a)
		f2a2 += float64(float64(square*a) * a)
		outputs, ratios := ratio.Pairs.Row(s.numbers, row)
		for e, r := range ratios {
			s.squares[outputs[e]] += float64(square * ratio.Excess(a, outputs[e], r))
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
	case "softmax":
		bayes.Posterior(s.scores, s.margins)
		return
	case "sigmoid":
		for i, margin := range s.margins {
			s.scores[i] = xmath.Sigmoid(margin)
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
		s.scores[0], s.scores[1] = -s.scores[0], s.scores[0]
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
		best := 0
		for i, score := range s.scores {
			if score > s.scores[best] {
				best = i
			}
		}
		s.labels = append(s.labels, best)
	}
	return s.labels
}
