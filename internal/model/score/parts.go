package score

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Parts say how texts are predicted part by part.
type Parts struct {
	// Split yields the parts of a text: where each lies, in bytes, and what to predict for it.
	Split func(text []byte) iter.Seq2[hashing.Span, []byte]
	// Over combines the scores of parts into that of the text: MeanOver, MinOver, MaxOver or NoneOver.
	Over string
	// Render, if not nil, appends to dst what is told of a part, which lies there in characters.
	Render func(dst []byte, at hashing.Span, p *Prediction) []byte
}

// What the scores of a text are of those of its parts, for each class.
const (
	MeanOver = "mean" // weighted by the parts' length in characters
	MinOver  = "min"
	MaxOver  = "max"
	NoneOver = "none" // texts that have parts have no scores
)

// partsTogether is how many parts are predicted at a time: enough for cache misses to overlap, and few to be in memory.
const partsTogether = 256

// textPart is a part that waits to be predicted.
type textPart struct {
	k     int // its text
	text  []byte
	at    hashing.Span // in characters
	whole bool         // it is a text that has no parts
	last  bool         // of its text
}

// PredictParts is like PredictAll, but predicts parts of texts, and visits each text with the combination of its parts.
// A text without parts is predicted as a whole. Predictions of parts take memory for a few at a time, and what Render
// appends, for one text.
func (s *Scorer) PredictParts(
	ctx context.Context, n int,
	text func(k int) []byte, o *Parts, only []int, visit func(k int, p *Prediction, err error) error,
) error {
	c := combination{s: s, over: o.Over}
	if o.Render != nil {
		c.rendered = []byte{} // not nil: of texts that have parts
	}
	waiting := s.parts[:0]
	defer func() { s.parts = waiting }()
	flush := func(least int) error { // unless fewer wait
		if len(waiting) < least {
			return nil
		}
		err := s.PredictAll(ctx, len(waiting), func(j int) []byte { return waiting[j].text }, only,
			func(j int, p *Prediction, err error) error {
				part := &waiting[j]
				if p != nil && o.Render != nil && !part.whole {
					c.rendered = o.Render(c.rendered, part.at, p)
				}
				return c.add(part, p, err, visit)
			})
		waiting = waiting[:0]
		return err
	}
	for k := range n {
		of, parts := text(k), 0
		chars, at := 0, 0 // as many characters lie before the byte
		for span, part := range o.Split(of) {
			if parts++; parts > 1 && only != nil && o.Over != NoneOver {
				return errors.New("nbsvm: a text has several parts, whose scores of all classes are combined: leave ScoreOptions.Only out")
			}
			if err := flush(partsTogether); err != nil {
				return err
			}
			if span.Begin < at {
				chars -= utf8.RuneCount(of[span.Begin:at])
			} else {
				chars += utf8.RuneCount(of[at:span.Begin])
			}
			begin := chars
			chars += utf8.RuneCount(of[span.Begin:span.End])
			at = span.End
			waiting = append(waiting, textPart{k: k, text: part, at: hashing.Span{Begin: begin, End: chars}})
		}
		if parts == 0 {
			if err := flush(partsTogether); err != nil {
				return err
			}
			waiting = append(waiting, textPart{k: k, text: of, whole: true})
		}
		waiting[len(waiting)-1].last = true
	}
	return flush(0)
}

// combination is what has come of the parts of a text.
type combination struct {
	s    *Scorer
	over string

	counted  int // parts that have a prediction
	weight   int // characters of the counted
	of       Prediction
	rendered []byte
	err      error // of the first part that has one

	parts   int // all, for the share of unknown features
	chars   int
	unknown float64
}

// add adds a part, and visits the text with its last one. A text of one part has the prediction of that.
func (c *combination) add(
	part *textPart, p *Prediction, err error, visit func(k int, p *Prediction, err error) error,
) error {
	switch {
	case err != nil:
		if c.err == nil {
			c.err = err
		}
	case c.over == NoneOver && !part.whole:
		c.of = Prediction{}
	case len(p.Labels) > 0 || c.s.c.MultiLabel():
		c.combine(p, part.at.End-part.at.Begin)
	case c.counted == 0: // fastText knows nothing of it: the others count
		c.of.set(p)
	}
	if p != nil && c.s.asks {
		c.combineUnknown(p.Unknown, part.at.End-part.at.Begin)
	}
	if !part.last {
		return nil
	}
	q := &c.of
	q.Unknown = c.unknown
	if c.counted > 1 {
		if c.over == MeanOver {
			for _, values := range [][]float64{q.Scores, q.Margins} {
				for i := range values {
					values[i] /= float64(c.weight)
				}
			}
		}
		q.Labels = c.s.c.decide(q.Labels[:0], q.Scores)
	}
	if q.Parts = c.rendered; part.whole {
		q.Parts = nil
	}
	if err = c.err; err != nil {
		q = nil
	}
	err = visit(part.k, q, err)
	c.counted, c.weight, c.rendered, c.err, c.parts = 0, 0, c.rendered[:0], nil, 0
	return err
}

// set copies a prediction into memory that is used again.
func (p *Prediction) set(q *Prediction) {
	p.Labels = append(p.Labels[:0], q.Labels...)
	p.Scores, p.Margins = append(p.Scores[:0], q.Scores...), append(p.Margins[:0], q.Margins...)
}

// combineUnknown adds the share of unknown features of a part, also of one of which fastText knows nothing.
func (c *combination) combineUnknown(share float64, chars int) {
	c.parts++
	switch {
	case c.parts == 1:
		c.unknown, c.chars = share, chars
	case c.over == MinOver:
		c.unknown = min(c.unknown, share)
	case c.over == MaxOver:
		c.unknown = max(c.unknown, share)
	default:
		sum := float64(c.unknown*float64(c.chars)) + float64(share*float64(chars))
		c.chars += chars
		c.unknown = sum / float64(c.chars)
	}
}

// combine adds a prediction to those before it. The first stands as it is until there is another.
func (c *combination) combine(p *Prediction, chars int) {
	if c.counted++; c.counted == 1 {
		c.of.set(p)
		c.weight = chars
		return
	}
	for _, values := range [][2][]float64{{c.of.Scores, p.Scores}, {c.of.Margins, p.Margins}} {
		all, more := values[0], values[1]
		for i, value := range more {
			switch c.over {
			case MinOver:
				all[i] = min(all[i], value)
			case MaxOver:
				all[i] = max(all[i], value)
			default:
				if c.counted == 2 {
					all[i] *= float64(c.weight)
				}
				all[i] += float64(value * float64(chars))
			}
		}
	}
	c.weight += chars
}

// decide appends the labels that scores speak for which need not be those of one text: the class with the highest, of
// two classes that which is farther above its score at the threshold, or the classes of any number that are above it.
func (c *Classifier) decide(dst []int, scores []float64) []int {
	others := func(k int) bool { return c.among != nil && !c.among[k] }
	switch task := c.m.Meta.Task; {
	case c.MultiLabel():
		link := link{m: c.m, parents: c.parents}
		for k, score := range scores {
			if score > c.least(&link, k) {
				dst = append(dst, k)
			}
		}
		return slices.DeleteFunc(link.WithAbove(dst), others)
	case task == "binary" && !others(0) && !others(1):
		link := link{m: c.m}
		rank := link.rank(0, c.m.Threshold[0])
		if scores[1]-link.score(rank) > scores[0]-link.score(0-rank) {
			return append(dst, 1)
		}
		return append(dst, 0)
	case c.Paths() != nil:
		scores = c.tree.Exact(make([]float64, len(scores)), scores)
	}
	best, most := 0, math.Inf(-1)
	for k, score := range scores {
		if score > most && !others(k) {
			best, most = k, score
		}
	}
	return append(dst, best)
}

// least returns the score of a class, of any number a document, at the threshold of its margin.
func (c *Classifier) least(l *link, class int) float64 {
	threshold := c.m.Threshold[class]
	switch {
	case c.tree == nil:
		return l.score(l.rank(class, threshold))
	case c.m.Platt != nil: // of a grown tree, thresholds are log odds
		threshold = logOdds(&c.m.Platt[class], threshold)
	}
	return xmath.Sigmoid(threshold)
}
