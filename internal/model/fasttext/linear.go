package fasttext

import (
	"fmt"
	"slices"
)

// Linear is a linear classifier of single words that count as often as they occur. It has an output for each label, or
// a single one for the second of two.
type Linear struct {
	Labels []string // in bytewise order
	Any    bool     // documents have any number of labels: those with outputs above 0
	Words  []string
	Bias   []float64 // of each output
	// Weights sets dst to what the i-th of the words adds to each output.
	Weights func(i int, dst []float64)
}

// NewLinear makes a model of fastText of a linear classifier, so that the most probable label is that with the largest
// output; of those with the same, the first in bytewise order. Where documents have any number of labels, they are those
// with a probability from 0.5. The bias is the row of the word </s>, which every text has. As fastText takes the mean of
// all rows, probabilities are those of outputs divided by the number of words.
func NewLinear(l Linear) (*Model, error) {
	outputs, labels := len(l.Bias), len(l.Labels)
	m := &Model{
		Settings: Settings{Version: newest, Dim: outputs, Loss: Softmax, WordNgrams: 1},
		Folded:   !l.Any, words: 1 + len(l.Words), width: outputs, pitch: pitchOf(outputs),
		counts: slices.Repeat([]int64{1}, labels),
	}
	if l.Any {
		m.Loss, m.outputs = OneVsAll, make([]float32, outputs*outputs)
		for k := range outputs {
			m.outputs[k*outputs+k] = 1
		}
	}
	m.vocab.add(endOfLine)
	for _, word := range l.Words {
		if err := checkWord([]byte(word)); err != nil {
			return nil, err
		}
		m.vocab.add([]byte(word))
	}
	given := map[string]string{}
	for _, label := range slices.Backward(l.Labels) { // of equal probabilities, fastText takes the last
		written := labelPrefix + oneWord(label)
		if other, twice := given[written]; twice || label == "" {
			return nil, fmt.Errorf("fasttext: label %q can't be written as %s: that is no label, or also the label %q", label, written, other)
		}
		given[written] = label
		m.vocab.add([]byte(written))
	}
	m.table = make([]float32, m.words*m.pitch)
	numbers := slices.Clone(l.Bias)
	for i := range m.words {
		if i > 0 {
			l.Weights(i-1, numbers)
		}
		row := m.row32(i)
		for k, x := range numbers {
			if row[outputs-1-k] = float32(x); outputs == 1 && labels == 2 {
				row[0] = float32(-x) // it is for the label that comes last, which is the first
			}
			if !finite(float32(x)) {
				return nil, fmt.Errorf("fasttext: a number of word %q is %v, not a finite one of 32 bits", m.vocab.word(i), x)
			}
		}
	}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	for i := range l.Words {
		if m.vocab.find(m.vocab.word(1+i)) >= m.words {
			return nil, fmt.Errorf("fasttext: %q is a word and a label", l.Words[i])
		}
	}
	return m, nil
}

// checkWord refuses what fastText does not take for one word.
func checkWord(word []byte) error {
	switch {
	case len(word) == 0 || slices.ContainsFunc(word, func(c byte) bool { return blank[c] }):
		return fmt.Errorf("fasttext: %q is not one word for fastText, which cuts at white space and zero bytes", word)
	case string(word) == string(endOfLine):
		return fmt.Errorf("fasttext: %q is a word of the model, and the end of a line for fastText", word)
	}
	return nil
}

// oneWord is a label with _ for blanks, which fastText takes for its end.
func oneWord(label string) string {
	b := []byte(label)
	for i, c := range b {
		if blank[c] {
			b[i] = '_'
		}
	}
	return string(b)
}

// add adds a word.
func (v *vocabulary) add(word []byte) {
	v.text = append(v.text, word...)
	v.ends = append(v.ends, uint32(len(v.text)))
}
