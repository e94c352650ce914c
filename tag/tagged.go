package tag

import "github.com/seed-167f963f/nbsvm/internal/base/xmath"

// Tagged is what a model says of a sentence.
type Tagged struct {
	Words []string   `json:"words"`
	Tags  []string   `json:"tags"`
	Best  []Sequence `json:"best,omitempty"` // sequences of tags, the best first
	// Marginals are the probabilities of each word's tags.
	Marginals []map[string]float64 `json:"marginals,omitempty"`
}

// Sequence are tags of a sentence.
type Sequence struct {
	Tags        []string `json:"tags"`
	Score       float64  `json:"score"`
	Probability *float64 `json:"probability,omitempty"` // of a CRF
}

// Asked is what is to be said of sentences beside the best tags.
type Asked struct {
	Best      int // so many sequences
	Marginals bool
}

// Describe says what is asked of a sentence.
func (t *Tagger) Describe(s *Sentence, asked Asked) (*Tagged, error) {
	d := &Tagged{Tags: append([]string(nil), t.Tag(s)...)}
	for _, word := range s.Words {
		d.Words = append(d.Words, string(word))
	}
	logZ := 0.0
	if t.m.Kind == CRF && (asked.Best > 0 || asked.Marginals) {
		t.marginals.chain(t.m.chain)
		var err error
		if logZ, err = t.marginals.sentence(t.scores, t.m.pitch, len(s.Words)); err != nil {
			return nil, err
		}
	}
	if asked.Best > 0 {
		sequences, scores := t.nBest.decode(t.m.chain, t.scores, t.m.pitch, len(s.Words), asked.Best)
		for i, tags := range sequences {
			one := Sequence{Score: scores[i]}
			if t.m.Kind == CRF {
				p := xmath.Exp(min(scores[i]-logZ, 0))
				one.Probability = &p
			}
			for _, tag := range tags {
				one.Tags = append(one.Tags, t.m.Tags[tag])
			}
			d.Best = append(d.Best, one)
		}
	}
	if asked.Marginals {
		for i := range s.Words {
			of := map[string]float64{}
			for y, tag := range t.m.Tags {
				of[tag] = min(t.marginals.tag[i*len(t.m.Tags)+y], 1)
			}
			d.Marginals = append(d.Marginals, of)
		}
	}
	return d, nil
}
