package fasttext

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
)

// Facts are what there is to say of a model.
type Facts struct {
	Settings
	LossName string `json:"loss"`
	Words    int    `json:"words"`
	Ngrams   int    `json:"ngrams"`  // n-grams of characters or words, or buckets of them, that have numbers
	Numbers  int    `json:"numbers"` // of each word and n-gram
	Folded   bool   `json:"folded"`  // the numbers are for outputs, not dimensions
	Pruned   bool   `json:"pruned"`

	Rounded *Rounding `json:"rounded,omitempty"` // nil if numbers have 32 bits
	Memory  int64     `json:"memory"`            // bytes that all numbers take when the model is in use
}

// Facts says what the model is.
func (m *Model) Facts() Facts {
	numbers := len(m.table) + len(m.outputs) + len(m.columns)
	return Facts{m.Settings, m.Loss.String(), m.words, m.ngramRows(), m.width, m.Folded, m.kept != nil, m.rounded, 4 * int64(numbers)}
}

// Frequent is the label that was the most frequent one of training.
func (m *Model) Frequent() int { return m.number[0] }

// effect has, for each number of a row, what it adds to the margin of a label. That is how much more the label's output
// gets than labels on average, or of two labels than the other; where each label is judged by itself, the output; and
// in a tree the sum of the numbers on the way to the label, those of ways to the left with the other sign.
func (m *Model) effect(label int) []float64 {
	k := slices.Index(m.number, label) // fastText's number of the label
	outputs := m.outputRows()
	share := make([]float64, max(outputs, 1)) // of each output
	switch {
	case m.Loss == Hierarchical:
		m.tree.signs(m.tree.root(), k, func(inner int, right bool) {
			if share[inner] = -1; right {
				share[inner] = 1
			}
		})
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

// margin is what rows add up to.
func (m *Model) margin(rows []uint32, effect []float64) (sum float64) {
	for _, row := range rows {
		sum += dot(m.table[int(row)*m.pitch:][:len(effect)], effect)
	}
	return sum
}

// Word is a word of the dictionary.
func (m *Model) Word(id int) []byte { return m.vocab.word(id) }

// Words calls visit for each word of the dictionary, until it returns an error.
func (m *Model) Words(visit func(word []byte) error) error {
	for id := range m.words {
		if err := visit(m.Word(id)); err != nil {
			return err
		}
	}
	return nil
}

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

// Explain takes the margin of a label apart into what words, with their n-grams of characters, and n-grams of words add
// to it, largest parts first. The value of each is what share of the text's features it has. Unknown is how many words
// have no features.
func (s *Scorer) Explain(text []byte, label int) (parts []explain.Contribution, unknown int) {
	m := s.m
	effect := m.effect(label)
	features := 0
	found := map[string]explain.Contribution{}
	add := func(name string, rows []uint32) {
		if len(rows) == 0 {
			return
		}
		p := found[name]
		p.Name, p.Value, p.Margin = name, p.Value+float64(len(rows)), p.Margin+m.margin(rows, effect)
		found[name] = p
		features += len(rows)
	}
	var words []string
	s.hashes = s.hashes[:0]
	for begin, end := range tokensOf(text) {
		token := text[begin:end]
		rows, isLabel := m.appendToken(s.scratch[:0], &s.padded, token)
		if s.scratch = rows; isLabel {
			continue
		}
		if len(rows) == 0 {
			unknown++
		}
		add(string(token), rows)
		words, s.hashes = append(words, string(token)), append(s.hashes, signed(hash(token)))
	}
	words, s.hashes = append(words, string(endOfLine)), append(s.hashes, signed(m.endHash))
	if m.end >= 0 {
		add(string(endOfLine), []uint32{uint32(m.end)})
	}
	if m.WordNgrams > 1 {
		for i, h := range s.hashes {
			name := words[i]
			for j := i + 1; j < min(len(words), i+m.WordNgrams); j++ {
				h = h*wordFactor + s.hashes[j]
				name += " " + words[j]
				row, has := m.row(uint32(h % uint64(m.Bucket)))
				add(name, []uint32{row}[:has])
			}
		}
	}
	for p := range maps.Values(found) {
		p.Value /= float64(features)
		p.Margin /= float64(features)
		p.Weight = p.Margin / p.Value
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b explain.Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Margin), math.Abs(a.Margin)), cmp.Compare(a.Name, b.Name))
	})
	return parts, unknown
}
