package score

import (
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Highlight returns, for each byte of a text, what the n-grams that lie over it add to the margin that its
// contributions take apart. At each of its places, an n-gram counts with all that it adds, divided by its tokens.
func (s *Scorer) Highlight(text []byte, contributions []explain.Contribution) ([]float64, error) {
	return highlight(text, contributions, s.Spans)
}

func highlight(
	text []byte, contributions []explain.Contribution,
	each func(text []byte, visit func(name []byte, tokens []hashing.Span)) error,
) ([]float64, error) {
	margins := map[string]float64{}
	for _, c := range contributions {
		if !c.Absent {
			margins[c.Name] = c.Margin
		}
	}
	added := make([]float64, len(text))
	err := each(text, func(name []byte, tokens []hashing.Span) {
		margin := margins[string(name)] / float64(len(tokens))
		for _, t := range tokens {
			for at := t.Begin; at < t.End; at++ {
				added[at] += margin
			}
		}
	})
	return added, err
}
