package fasttext

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Frequent returns the label that was the most frequent one of training.
func (m *Model) Frequent() int { return m.number[0] }

// effect has, for each number of a row, what it adds to the margin of a label. That is how much more the label's output
// gets than labels on average, or of two labels than the other; where each label is judged by itself, the output; and
// in a tree the sum of the numbers on the way to the label, those of ways to the left with the other sign.
func (m *Model) effect(label int) []float64 {
	k := m.place[label]
	outputs := m.outputRows()
	share := make([]float64, max(outputs, 1)) // of each output
	switch {
	case m.Loss == Hierarchical:
		for node := int32(k); int(node) != m.tree.root(); node = m.tree.parent[node] {
			inner := int(m.tree.parent[node]) - len(m.labels)
			if share[inner] = 1; m.tree.left[inner] == node {
				share[inner] = -1
			}
		}
	case m.Loss == Softmax && outputs == 1:
		share[0] = float64(2*k - 1)
	case m.Loss == Softmax:
		for i := range share {
			share[i] = -1 / float64(outputs)
		}
		share[k]++
	default:
		share[k] = 1
	}
	if m.Folded {
		return share
	}
	effect := make([]float64, m.Dim)
	for i, x := range share[:outputs] {
		if x == 0 {
			continue
		}
		if m.norms != nil {
			x *= float64(m.norms[i])
		}
		for d, o := range m.outputs[i*m.Dim:][:m.Dim] {
			effect[d] += float64(x * float64(o))
		}
	}
	return effect
}

// margin returns what rows add up to.
func (m *Model) margin(rows []uint32, effect []float64) (sum float64) {
	for _, row := range rows {
		sum += dot(m.table[int(row)*m.pitch:][:len(effect)], effect)
	}
	return sum
}

// Word returns a word of the dictionary.
func (m *Model) Word(id int) []byte { return m.vocab.word(id) }

// WordMargins visits the words of the dictionary with the margin that a text of each alone has, of every label.
func (m *Model) WordMargins(visit func(id int, margins []float64)) {
	var rows []uint32
	var padded []byte
	effects, margins := make([][]float64, len(m.labels)), make([]float64, len(m.labels))
	for k := range effects {
		effects[k] = m.effect(k)
	}
	mean := make([]float32, m.pitch)
	for id := range m.words {
		word := m.vocab.word(id)
		if string(word) == string(endOfLine) {
			rows = append(rows[:0], uint32(id))
		} else {
			rows, _ = m.appendToken(rows[:0], &padded, word)
		}
		clear(mean)
		for _, row := range rows {
			for i, x := range m.table[int(row)*m.pitch:][:m.pitch] {
				mean[i] += x / float32(len(rows))
			}
		}
		for k, effect := range effects {
			margins[k] = dot(mean[:len(effect)], effect)
		}
		visit(id, margins)
	}
}

// Unknown returns how many words of a text are not in the dictionary, and how many words it has in all, each as often
// as it occurs.
func (s *Scorer) Unknown(text []byte) (unknown, all int) {
	for begin, end := range tokensOf(text) {
		switch id := s.m.vocab.find(text[begin:end]); {
		case id >= s.m.words || id < 0 && isLabel(text[begin:end]):
			continue
		case id < 0:
			unknown++
		}
		all++
	}
	return unknown, all
}

// part is what has features: a word of a text, the end of the line, or an n-gram of words.
type part struct {
	words []hashing.Span // where they lie in the text; the end of the line is empty
	rows  []uint32       // of its features; none for a word that the model does not know
}

// parts yields the words of a text, and all else that has features, in fastText's order. A part is valid until the
// next.
func (s *Scorer) parts(text []byte) iter.Seq[part] {
	return func(yield func(part) bool) {
		m := s.m
		s.hashes, s.spans = s.hashes[:0], s.spans[:0]
		for begin, end := range tokensOf(text) {
			rows, isLabel := m.appendToken(s.scratch[:0], &s.padded, text[begin:end])
			if s.scratch = rows; isLabel {
				continue
			}
			s.hashes = append(s.hashes, signed(hash(text[begin:end])))
			s.spans = append(s.spans, hashing.Span{Begin: begin, End: end})
			if !yield(part{s.spans[len(s.spans)-1:], rows}) {
				return
			}
		}
		last := len(s.spans)
		s.hashes = append(s.hashes, signed(m.endHash))
		s.spans = append(s.spans, hashing.Span{Begin: len(text), End: len(text)})
		if m.end >= 0 && !yield(part{s.spans[last:], []uint32{uint32(m.end)}}) {
			return
		}
		for i, h := range s.hashes {
			for j := i + 1; j < min(len(s.hashes), i+m.WordNgrams); j++ {
				h = h*wordFactor + s.hashes[j]
				row, has := m.row(uint32(h % uint64(m.Bucket)))
				s.scratch = append(s.scratch[:0], row)
				if has > 0 && !yield(part{s.spans[i : j+1], s.scratch}) {
					return
				}
			}
		}
	}
}

// appendName appends what a part of a text is called.
func (p *part) appendName(name, text []byte) []byte {
	for i, word := range p.words {
		if i > 0 {
			name = append(name, ' ')
		}
		if word.Begin == word.End {
			return append(name, endOfLine...)
		}
		name = append(name, text[word.Begin:word.End]...)
	}
	return name
}

// Spans visits the places of what Explain lists, by its names. The end of the line has none.
func (s *Scorer) Spans(text []byte, visit func(name []byte, words []hashing.Span)) {
	var name []byte
	for p := range s.parts(text) {
		name = p.appendName(name[:0], text)
		if last := len(p.words) - 1; p.words[last].Begin == p.words[last].End {
			p.words = p.words[:last]
		}
		if len(p.words) > 0 {
			visit(name, p.words)
		}
	}
}

// Explain takes the margin of a label apart into what words, with their n-grams of characters, and n-grams of words add
// to it, largest parts first. The value of each is what share of the text's features it has. Unknown is how many words
// have no features.
func (s *Scorer) Explain(text []byte, label int) (parts []explain.Contribution, unknown int) {
	effect := s.m.effect(label)
	features := 0
	found := map[string]explain.Contribution{}
	for p := range s.parts(text) {
		if len(p.rows) == 0 {
			unknown++
			continue
		}
		name := string(p.appendName(nil, text))
		c := found[name]
		c.Name, c.Value, c.Margin = name, c.Value+float64(len(p.rows)), c.Margin+s.m.margin(p.rows, effect)
		found[name] = c
		features += len(p.rows)
	}
	for c := range maps.Values(found) {
		c.Value /= float64(features)
		c.Margin /= float64(features)
		c.Weight = c.Margin / c.Value
		parts = append(parts, c)
	}
	slices.SortFunc(parts, func(a, b explain.Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Margin), math.Abs(a.Margin)), cmp.Compare(a.Name, b.Name))
	})
	return parts, unknown
}
