package report

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// span is a part of a document's text. Level says what its n-grams add to the score of the answer: from -4, much
// against it, to 4.
type span struct {
	Text  string
	Level int
}

// Class is the style of the span; empty for plain text.
func (s span) Class() string {
	switch {
	case s.Level > 0:
		return "for" + strconv.Itoa(s.Level)
	case s.Level < 0:
		return "against" + strconv.Itoa(-s.Level)
	}
	return ""
}

// levels of highlighting on either side.
const levels = 4

// highlight cuts a text into spans, by what the n-grams add that lie over each part, as [score.Scorer.Spans] tells.
func highlight(
	text []byte, contributions []explain.Contribution,
	each func(text []byte, visit func(name []byte, tokens []hashing.Span)) error,
) ([]span, error) {
	margins := map[string]float64{}
	for _, c := range contributions {
		if c.Absent {
			continue
		}
		names := []string{c.Name}
		if c.Shared {
			names = strings.Split(c.Name, " | ") // those of one bucket
		}
		for _, name := range names {
			margins[name] = c.Margin / float64(len(names))
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
	return spans(text, added), err
}

// spans joins what is highlighted alike. The strongest part has the highest level.
func spans(text []byte, added []float64) (all []span) {
	most := 0.0
	for _, x := range added {
		most = max(most, math.Abs(x))
	}
	level := func(at int) int {
		if added[at] == 0 {
			return 0
		}
		return int(math.Copysign(math.Round(math.Abs(added[at])/most*levels), added[at]))
	}
	for from := 0; from < len(text); {
		to := from + 1
		for to < len(text) && (level(to) == level(from) || !utf8.RuneStart(text[to])) {
			to++
		}
		all = append(all, span{legible(string(text[from:to]), longestText), level(from)})
		from = to
	}
	return all
}
