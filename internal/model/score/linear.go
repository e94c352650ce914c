package score

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// linear is the rule of a model that has weights. The margin of output k is
//
//	unit·Σ f·(w[k] + base[k]), where unit is 1, or 1/√Σ(f·r)² for rows of unit length (of values by word, 1/√Σ f·r²),
//
// over the rows of the document's features, of which f is the value, w the weights and r the ratio.
//
// Weights and ratios come from a [table].
type linear struct{ m *model.Model }

// strongest lists the features with the largest weights for a class. Weights are compared with their mean over outputs
// where only differences matter (softmax).
func (l *linear) strongest(n int, include func(row int) bool) [][]explain.Feature {
	m, of := l.m, outputsOf(l.m)
	var classes [][]int32 // for which each output speaks; nil unless weights that are not stored do not matter
	if m.Sparse != nil && m.Meta.Task != "binary" && m.Meta.Link != "softmax" && !slices.ContainsFunc(m.Base, notZero) {
		classes = make([][]int32, m.Outputs)
		for k, output := range of {
			classes[output] = append(classes[output], int32(k))
		}
	}
	const least = 1 << 16 // features for a thread
	threads := max(min(par.Processors(), m.Keys.Size()/max(least, len(of))), 1)
	some := make([]strongest, threads)
	par.Do(threads, func(thread int) {
		mine, weights := newStrongest(m, n), make([]float64, m.Outputs)
		some[thread] = mine
		lo, hi := m.Keys.Size()*thread/threads, m.Keys.Size()*(thread+1)/threads
		for row, key := range m.Keys.Between(lo, hi) {
			if include(row) {
				l.offer(mine, row, key, weights, of, classes)
			}
		}
	})
	all := newStrongest(m, n)
	for _, t := range some {
		for k := range t {
			all[k].kept = append(all[k].kept, t[k].kept...)
		}
	}
	return all.features()
}

// offer offers a feature for every class, given room for the weights.
func (l *linear) offer(to strongest, row int, key uint64, weights []float64, of []int, classes [][]int32) {
	m := l.m
	if classes != nil {
		for output, w := range m.Sparse.All(row) {
			for _, k := range classes[output] {
				to.offer(int(k), explain.Feature{Key: key, Weight: float64(w)})
			}
		}
		return
	}
	m.RowWeights(row, weights)
	if m.Meta.Task == "binary" {
		to.offer(0, explain.Feature{Key: key, Weight: -weights[0]})
		to.offer(1, explain.Feature{Key: key, Weight: weights[0]})
		return
	}
	mean := 0.0
	if m.Meta.Link == "softmax" {
		for _, w := range weights {
			mean += w / float64(len(weights))
		}
	}
	for k := range to {
		to.offer(k, explain.Feature{Key: key, Weight: weights[of[k]] - mean})
	}
}

func (l *linear) scorer(t *table) ruleScorer {
	k := l.m.Outputs
	return &linearScorer{
		linear: l, t: t, whole: make([]int32, t.width), all: make([]float64, max(k, t.width)),
		sums: make([]float64, k),
	}
}

// linearScorer decides for one goroutine.
type linearScorer struct {
	*linear
	t     *table
	whole []int32 // room for sums

	// Of the document at hand:
	b     *batch
	total float64   // of values
	unit  float64   // what brings it to unit length
	all   []float64 // sums of weights, by place, with room for a dense row's
	sums  []float64 // margins
}

func (s *linearScorer) margins(b *batch) []float64 {
	s.begin(b)
	if s.t.searched {
		s.addAll()
	}
	for i := range s.sums {
		s.sums[i] = s.margin(i, s.all[s.t.place(uint32(i))])
	}
	return s.sums
}

// margin is that of an output with a sum of weights.
func (s *linearScorer) margin(output int, sum float64) float64 {
	sum += float64(s.m.Base[output] * s.total)
	return float64(sum * s.unit)
}

// siblings sets the margins of the outputs of a node's children, for the document that was begun last.
func (s *linearScorer) siblings(margins []float64, children []int32) {
	first := s.t.place(uint32(children[0]))
	sums := s.all[first:][:len(children)]
	if s.t.searched {
		clear(sums)
		for k, row := range s.b.rows {
			s.t.addSome(sums, first, row, s.b.rowValues[k])
		}
	}
	for i, o := range children {
		margins[o] = s.margin(int(o), sums[i])
	}
}

// begin takes the document that the batch has taken.
func (s *linearScorer) begin(b *batch) {
	s.b = b
	total, square := 0.0, 0.0
	if b.sums != nil {
		s.all[0], total, square = b.sums.weights, float64(b.sums.rows), b.sums.squares
	} else {
		total, square = s.measure(b)
		if !s.t.searched {
			s.addAll()
		}
	}
	if words := b.wordSums; words != nil {
		square += words[squareSum]
		total += words[rowSum]
		for i, sum := range words[weightSums:] {
			s.all[s.t.place(uint32(i))] += sum
		}
	}
	s.total = total
	s.setUnit(square)
}

// measure returns the sum of the values of the rows, and the square of their length.
func (s *linearScorer) measure(b *batch) (total, square float64) {
	entries, values := s.t.entries, b.rowValues[:len(b.rows)]
	for k, row := range b.rows {
		x, r := values[k], float64(entries[row].Ratio)
		total += x
		if s.m.Meta.Values == byWord {
			square += float64(x * float64(r*r))
			continue
		}
		x *= r
		square += float64(x * x)
	}
	return total, square
}

func (s *linearScorer) setUnit(square float64) {
	switch {
	case !s.m.Meta.Normalize:
		s.unit = 1
	case square <= 0:
		s.unit = 0
	default:
		s.unit = 1 / math.Sqrt(square)
	}
}

// addAll adds up the weights of all outputs.
func (s *linearScorer) addAll() {
	clear(s.all)
	b, t := s.b, s.t
	switch {
	case s.m.Outputs == 1:
		for k, row := range b.rows {
			s.all[0] += float64(b.rowValues[k] * float64(math.Float32frombits(t.entries[row].Content)))
		}
	case b.once:
		t.add(s.all, s.whole, b.soon, len(b.rows))
	default:
		for k, row := range b.rows {
			t.addTimes(s.all, row, b.rowValues[k])
		}
	}
}

func (s *linearScorer) explain(_ *explain.Text, output int, b *batch) []part {
	parts, weights := make([]part, len(b.rows)), make([]float64, s.m.Outputs)
	for k, row := range b.rows {
		s.m.RowWeights(int(row), weights)
		value := b.rowValues[k] * s.unit
		parts[k] = part{row: row, value: value, weight: weights[output], margin: value * weights[output]}
	}
	return parts
}

func notZero(x float64) bool { return x != 0 }
