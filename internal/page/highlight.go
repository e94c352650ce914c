package page

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// span is a part of a document's text, with a style; empty for plain text.
type span struct{ Text, Class string }

// styleOf returns the style of a span whose n-grams add a level to the score of the answer: from -4, much against it,
// to 4.
func styleOf(level int) string {
	switch {
	case level > 0:
		return "for" + strconv.Itoa(level)
	case level < 0:
		return "against" + strconv.Itoa(-level)
	}
	return ""
}

// levels of highlighting on either side.
const levels = 4

// spans cuts a text into parts that are highlighted alike, by what [score.Scorer.Highlight] says of each byte. The
// strongest part has the highest level.
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
		all = append(all, span{legible(string(text[from:to]), longestText), styleOf(level(from))})
		from = to
	}
	return all
}
