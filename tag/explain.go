package tag

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/explain"
)

// Explained explains the tags of a sentence, word by word.
type Explained struct {
	Words    []ExplainedWord `json:"words"`
	Sentence *Sentence       `json:"-"` // that is explained
}

// ExplainedWord explains the tag of a word by what speaks for it and against the second best: Margin = Chain + the
// Margin of each contribution + OthersMargin.
type ExplainedWord struct {
	Word string `json:"word"`
	Tag  string `json:"tag"`
	// Instead is the best other tag of the word if all other words keep their tags. It is "" if the scheme allows no
	// other between these.
	Instead string `json:"instead,omitempty"`
	// Margin is by how much the score of the sentence would be lower with the other tag, and the score of the tag if
	// there is no other.
	Margin float64 `json:"margin"`
	// Probability of the tag, over all sequences of tags. It is nil unless the model is a CRF.
	Probability *float64 `json:"probability,omitempty"`
	// Chain is the part of the margin that comes from the tags of the words before and behind.
	Chain float64 `json:"chain"`
	// Unknown is the number of the word's features that the model does not know.
	Unknown int `json:"unknown"`
	// Contributions are those of the word's features, in descending order of magnitude. They are named after their
	// templates and what these are of the word, such as l[-1]=the.
	Contributions []explain.Contribution `json:"contributions"`
	// Others is the number of contributions that were left out, and OthersMargin what they add to the margin.
	Others       int     `json:"-"`
	OthersMargin float64 `json:"-"`
}

// Explain explains the best tags of a sentence, each by the n features that contribute most. It returns an error if
// the sentence lacks a column of the model's templates.
func (t *Tagger) Explain(s *Sentence, n int) (*Explained, error) {
	tags, err := t.decode(s)
	if err != nil {
		return nil, err
	}
	e := &Explained{Words: make([]ExplainedWord, len(tags)), Sentence: s}
	probable := false
	if t.m.Kind == CRF && len(tags) > 0 {
		_, err := t.probabilities(s)
		probable = err == nil // if scores are too far apart, there are none
	}
	for i, tag := range tags {
		instead, chain := t.instead(tags, i)
		w := ExplainedWord{Word: string(s.Words[i]), Tag: t.m.Tags[tag], Chain: chain, Margin: chain}
		if instead >= 0 {
			w.Instead = t.m.Tags[instead]
		}
		if probable {
			p := min(t.marginals.tag[i*len(t.m.Tags)+tag], 1)
			w.Probability = &p
		}
		t.explain(&w, s, i, tag, instead)
		slices.SortStableFunc(w.Contributions, func(a, b explain.Contribution) int {
			return cmp.Compare(math.Abs(b.Margin), math.Abs(a.Margin))
		})
		listed := min(max(n, 0), len(w.Contributions))
		for _, c := range w.Contributions[listed:] {
			w.Others++
			w.OthersMargin += c.Margin
		}
		w.Contributions = w.Contributions[:listed]
		e.Words[i] = w
	}
	return e, nil
}

// instead returns the second best tag of a word, -1 if there is none, and by how much less the chain would give for it
// than for the first.
func (t *Tagger) instead(tags []int, i int) (instead int, chain float64) {
	c := t.m.chain
	around := func(tag int) float64 {
		before, behind := c.start[tag], c.end[tag]
		if i > 0 {
			before = c.next[tags[i-1]*c.tags+tag]
		}
		if i+1 < len(tags) {
			behind = c.next[tag*c.tags+tags[i+1]]
		}
		return before + behind
	}
	instead, best := -1, math.Inf(-1)
	for tag := range c.tags {
		if score := t.scores[i*t.m.pitch+tag] + around(tag); tag != tags[i] && score > best {
			instead, best = tag, score
		}
	}
	if chain = around(tags[i]); math.IsInf(chain, -1) {
		return -1, 0 // the scheme allows no sequence of these tags, of which training makes no model
	}
	if instead >= 0 {
		chain -= around(instead)
	}
	return instead, chain
}

// explain adds what the features of a word contribute.
func (t *Tagger) explain(w *ExplainedWord, s *Sentence, i, tag, instead int) {
	names, keys := t.extract.names(s, i), t.extract.word(i, len(s.Words))
	for k, key := range keys {
		rows, _ := t.m.rows.appendFound(nil, nil, []uint64{key}, []int{1})
		if len(rows) == 0 {
			w.Unknown++
			continue
		}
		weights := t.m.weights[int(rows[0])*t.m.pitch:][:t.m.pitch]
		margin := float64(weights[tag])
		if instead >= 0 {
			margin -= float64(weights[instead])
		}
		c := explain.Contribution{Name: names[k], Value: 1, Weight: margin, Margin: margin}
		w.Contributions = append(w.Contributions, c)
		w.Margin += margin
	}
}

// names has what the keys of a word are made of, in the order of the keys.
func (x *extractor) names(s *Sentence, i int) (names []string) {
next:
	for _, t := range x.t.list {
		var values []string
		for _, a := range t.attributes {
			value := "(outside)"
			if at := i + a.offset; at >= 0 && at < len(s.Words) {
				if x.hashes[at*len(x.t.distinct)+a.index] == none {
					continue next
				}
				value = x.value(s, at, a)
			}
			values = append(values, value)
		}
		name := t.text
		if len(values) > 0 {
			name += "=" + strings.Join(values, "|")
		}
		names = append(names, name)
	}
	return names
}

// value returns an attribute that a word has.
func (x *extractor) value(s *Sentence, i int, a attribute) string {
	word := s.Words[i]
	x.affixes(word)
	x.lower = appendLower(x.lower[:0], word)
	if a.kind == 'x' {
		x.kinds = appendShape(x.kinds[:0], word)
		return string(x.kinds)
	}
	text, _ := x.text(s, i, word, a)
	return string(text)
}

// Explain explains the best tags of each sentence of a reader, each by the n features that contribute most, and visits
// the explanations in order. 0 threads means all processors.
func (m *Model) Explain(ctx context.Context, r *Reader, n, threads int, visit func(*Explained) error) error {
	return each(ctx, m, r, threads, func(t *Tagger, list []*Sentence) (out []*Explained, err error) {
		for _, s := range list {
			if len(s.Words) == 0 {
				continue
			}
			e, err := t.Explain(s, n)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		return out, nil
	}, func(out []*Explained) error {
		for _, e := range out {
			if err := visit(e); err != nil {
				return err
			}
		}
		return nil
	})
}
