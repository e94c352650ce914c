package score

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// linear is the rule of a model that has weights. The margin of output k is
//
//	unit·Σ f·(w[k] + base[k]), where unit is 1, or 1/√Σ(f·r)² for rows of unit length,
//
// over the rows of the document's features, of which f is the value, w the weights and r the ratio.
//
// Weights and ratios come from a [table] once there is one, and else from the sections of the model's file. Both give
// margins with the same bits.
type linear struct {
	m     *model.Model
	table sharedTable
}

func newLinear(m *model.Model) *linear { return &linear{m: m, table: newSharedTable(m)} }

func (*linear) refuse(use) error { return nil }

// Strongest lists the features with the largest weights for a class. Weights are compared with their mean over outputs
// where only differences matter (softmax).
func (l *linear) Strongest(n int, include func(row int) bool) [][]explain.Feature {
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
	some := make([]tops, threads)
	par.Do(threads, func(thread int) {
		mine, weights := newTops(m, n), make([]float64, m.Outputs)
		some[thread] = mine
		lo, hi := m.Keys.Size()*thread/threads, m.Keys.Size()*(thread+1)/threads
		if m.Meta.Task == "binary" && m.Dense != nil {
			l.offerBinary(mine, lo, hi, include)
			return
		}
		for row, key := range m.Keys.Between(lo, hi) {
			if include(row) {
				l.offer(mine, row, key, weights, of, classes)
			}
		}
	})
	tops := newTops(m, n)
	for _, t := range some {
		for k := range t {
			tops[k].kept = append(tops[k].kept, t[k].kept...)
		}
	}
	return tops.features()
}

// offerBinary is offer for some rows of a model of two classes: nearly all of them fall short of what is kept, and take
// no call.
func (l *linear) offerBinary(tops tops, lo, hi int, include func(row int) bool) {
	const chunk = 1 << 12
	buffer := make([]float32, chunk)
	against, by, base := &tops[0], &tops[1], l.m.Base[0]
	for ; lo < hi; lo += chunk {
		end := min(lo+chunk, hi)
		weights := l.m.Dense.Range(buffer[:end-lo], lo, end)
		for row, key := range l.m.Keys.Between(lo, end) {
			w := base + float64(weights[row-lo])
			if (w > by.floor || -w > against.floor) && include(row) {
				against.offer(key, -w)
				by.offer(key, w)
			}
		}
	}
}

// offer offers a feature for every class, given room for the weights.
func (l *linear) offer(tops tops, row int, key uint64, weights []float64, of []int, classes [][]int32) {
	m := l.m
	if classes != nil {
		for output, w := range m.Sparse.All(row) {
			for _, k := range classes[output] {
				tops[k].offer(key, float64(w))
			}
		}
		return
	}
	m.RowWeights(row, weights)
	if m.Meta.Task == "binary" {
		tops[0].offer(key, -weights[0])
		tops[1].offer(key, weights[0])
		return
	}
	mean := 0.0
	if m.Meta.Link == "softmax" {
		for _, w := range weights {
			mean += w / float64(len(weights))
		}
	}
	for k := range tops {
		tops[k].offer(key, weights[of[k]]-mean)
	}
}

func (l *linear) scorer() ruleScorer {
	k := l.m.Outputs
	all := make([]float64, max(k, rowWidth(l.m)))
	return &linearScorer{linear: l, all: all, sums: all[:k], numbers: make([]float32, k)}
}

// linearScorer decides for one goroutine.
type linearScorer struct {
	*linear
	adder   adder
	all     []float64 // sums, with room for a table's
	sums    []float64 // of weights, and then the margins
	square  float64   // of the length of the document
	numbers []float32 // room for those of one dense row, or of one output
	factors []float32 // and for those of rows
	room    model.Room

	siblings siblingSums
	batch    *batch // of the document whose siblings are asked for
}

func (s *linearScorer) find(b *batch) {
	b.find(s.table.made.Load())
	if b.table == nil && b.hashed && !b.open {
		s.table.count(s.m, b.found)
	}
}

func (s *linearScorer) margins(b *batch) []float64 {
	total := s.add(b)
	unit := s.unit()
	for i, base := range s.m.Base {
		s.sums[i] += float64(base * total)
		s.sums[i] = float64(s.sums[i] * unit)
	}
	return s.sums
}

// add sets the sums and the square, and returns the sum of the values.
func (s *linearScorer) add(b *batch) (total float64) {
	if b.table != nil {
		return s.addTable(b)
	}
	clear(s.all)
	s.addWeights(b.rows, b.rowValues)
	if s.m.Meta.Normalize {
		s.square = s.squareOf(b.rows, b.rowValues)
	}
	for _, f := range b.rowValues {
		total += f
	}
	return total
}

// addTable is add from the batch's table, where all values are 1.
func (s *linearScorer) addTable(b *batch) (total float64) {
	total = float64(len(b.rows))
	if b.summed != nil {
		s.sums[0], s.square = b.sums.weights, b.sums.squares
		return float64(b.sums.rows)
	}
	clear(s.all)
	s.adder.add(b.table, s.all[:b.table.width], b.soon, len(b.rows))
	s.square = s.tableSquare(b)
	return total
}

// tableSquare is the square of the length of a document, from the batch's table.
func (s *linearScorer) tableSquare(b *batch) float64 {
	if s.m.Ratio == nil || !s.m.Meta.Normalize {
		return float64(len(b.rows))
	}
	return b.table.squares(b.rows)
}

// search readies the scorer for the margins of siblings, if it can give these alone.
func (s *linearScorer) search(b *batch) bool {
	if b.table == nil || b.table.siblings == nil {
		return false
	}
	s.square = s.tableSquare(b)
	s.batch = b
	s.siblings.begin(b.table, b.rows, s.unit())
	return true
}

// siblingMargins sets the margins of the outputs of a node's children, with the same bits as margins.
func (s *linearScorer) siblingMargins(margins []float64, number int, children []int32) {
	for i, sum := range s.siblings.of(s.batch.table, uint32(number), len(children)) {
		o := children[i]
		sum += float64(s.m.Base[o] * s.siblings.total)
		margins[o] = float64(sum * s.siblings.unit)
	}
}

// unit is what brings the document to unit length.
func (s *linearScorer) unit() float64 {
	switch {
	case !s.m.Meta.Normalize:
		return 1
	case s.square <= 0:
		return 0
	}
	return 1 / math.Sqrt(s.square)
}

func (s *linearScorer) explain(_ *explain.Text, output int, b *batch) []part {
	parts, weights, unit := make([]part, len(b.rows)), make([]float64, s.m.Outputs), s.unit()
	for k, row := range b.rows {
		s.m.RowWeights(int(row), weights)
		value := b.value(k) * unit
		parts[k] = part{row: row, value: value, weight: weights[output], margin: value * weights[output]}
	}
	return parts
}

// addWeights adds the weights of rows, times their values, to the sum of each output, from the sections of the file.
func (s *linearScorer) addWeights(rows []uint32, values []float64) {
	m := s.m
	switch k := m.Outputs; {
	case m.Sparse != nil:
		for n, row := range rows {
			if n%ahead == 0 {
				m.Sparse.Touch(rows[n:min(n+ahead, len(rows))])
			}
			outputs, numbers := m.Sparse.Row(&s.room, row)
			for e, x := range numbers {
				s.sums[outputs[e]] += float64(values[n] * float64(x))
			}
		}
	case k == 1:
		var sum float64
		s.numbers = m.Dense.Gather(s.numbers, rows)
		for n, x := range s.numbers {
			sum += float64(values[n] * float64(x))
		}
		s.sums[0] = sum
	default:
		for n, row := range rows {
			for i, x := range m.Dense.Range(s.numbers, int(row)*k, int(row+1)*k) {
				s.sums[i] += float64(values[n] * float64(x))
			}
		}
	}
}

// squareOf is the sum of the squares of values times ratios.
func (s *linearScorer) squareOf(rows []uint32, values []float64) (square float64) {
	if s.m.Ratio != nil {
		s.factors = s.m.Ratio.Gather(s.factors, rows)
	}
	for n, x := range values {
		if s.m.Ratio != nil {
			x *= float64(s.factors[n])
		}
		square += float64(x * x)
	}
	return square
}

func notZero(x float64) bool { return x != 0 }

// tops keep the features with the largest weights of each class.
type tops []top

func newTops(m *model.Model, n int) tops {
	t := make(tops, len(m.Meta.Labels))
	for k := range t {
		t[k].n = n
	}
	return t
}

// features are those that were kept.
func (t tops) features() [][]explain.Feature {
	lists := make([][]explain.Feature, len(t))
	for k := range t {
		t[k].sort()
		lists[k] = t[k].kept
	}
	return lists
}

// top keeps the n features with the largest weights above 0, ties by key. They are offered by key, ascending.
type top struct {
	n     int
	kept  []explain.Feature
	floor float64 // weights of those behind can't be among them
}

func (t *top) offer(key uint64, weight float64) {
	if weight > t.floor {
		t.keep(explain.Feature{Key: key, Weight: weight})
	}
}

// keep is offer for a feature with a weight above 0.
func (t *top) keep(f explain.Feature) {
	if t.kept = append(t.kept, f); len(t.kept) >= 2*t.n+16 {
		if t.sort(); len(t.kept) > 0 {
			t.floor = t.kept[len(t.kept)-1].Weight // of two with the same weight, the first counts
		}
	}
}

func (t *top) sort() {
	slices.SortFunc(t.kept, func(a, b explain.Feature) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Key, b.Key))
	})
	t.kept = t.kept[:min(t.n, len(t.kept))]
}
