package fasttext

import "math"

// DefaultPrefix is what labels begin with, unless fastText was given another prefix (-label).
const DefaultPrefix = labelPrefix

// LabelPrefix is what all labels of the file begin with, and Labels lacks: __label__, or nothing, where fastText was
// given another prefix.
func (m *Model) LabelPrefix() string {
	return string(m.vocab.word(m.words)[:len(m.vocab.word(m.words))-len(m.labels[m.number[0]])])
}

// ByFrequency lists the labels as fastText does, the most frequent one of training first, by their numbers among
// Labels, and says how often each occurred.
func (m *Model) ByFrequency() (labels []int, counts []int64) { return m.number, m.counts }

// Least is the least probability, as it is shown, of a label that passes fastText's threshold: that is compared before
// the probability is made a little more for showing it.
func Least(threshold float64) float64 {
	if !(threshold > -1e-5) {
		return math.Inf(-1)
	}
	return shown(float32(threshold))
}
