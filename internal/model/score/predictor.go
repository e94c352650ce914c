package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// ruledPredictor predicts by a rule.
type ruledPredictor struct {
	c        *Classifier
	m        *model.Model
	features features
	batch    batch
	rule     ruleScorer
	link     link
	scores   []float64
	labels   []int

	// Where the tree of classes is searched:
	searcher *linearScorer // the rule; nil if none is
	reached  []float64     // margins of the outputs that the search came to; those of others are -Inf
	last     [][]int32     // the siblings that it came to for the last document
	complete bool          // all margins are asked for, whatever the search comes to
}

func newRuledPredictor(c *Classifier) (predictor, error) {
	p := &ruledPredictor{c: c, m: c.m, link: newLink(c), scores: make([]float64, len(c.m.Meta.Labels))}
	err := c.Guard(func() (err error) {
		t := c.table()
		p.batch, p.rule = batch{m: c.m, table: t, lookUp: p.find}, c.rule.scorer(t)
		p.features, err = sources[c.m.Meta.Source](c.m)
		return err
	})
	if err != nil {
		return nil, err
	}
	linear, ok := p.rule.(*linearScorer)
	meta := &c.m.Meta
	p.batch.adds = ok && c.m.Outputs == 1 && c.m.IDF == nil && !meta.Prenormalize
	p.batch.sumsWords = ok && meta.Values == byWord && c.m.Outputs <= mostWordOutputs && !p.batch.table.searched
	if ok && meta.Paths != nil && meta.Paths.Parents != nil {
		p.searcher = linear
		p.reached = slices.Repeat([]float64{math.Inf(-1)}, c.m.Outputs)
		p.link.searcher.Fill = p.reach
	}
	return p, nil
}

func (p *ruledPredictor) reset() { p.batch.reset() }

func (p *ruledPredictor) add(ctx context.Context, text []byte) error {
	p.batch.ctx = ctx
	err := p.features.append(&p.batch, text)
	p.batch.end()
	return err
}

// full is true from so many features on that the cache misses of short documents overlap.
func (p *ruledPredictor) full() bool { return p.batch.size() >= 1024 }

func (p *ruledPredictor) find() {
	p.batch.find()
	runtime.KeepAlive(p) // and so its table
}

func (p *ruledPredictor) predict(k int, _ []int) (Prediction, error) {
	defer runtime.KeepAlive(p) // and so its table
	p.batch.take(k)
	margins := p.reached
	if p.searcher == nil || p.complete {
		margins = p.allMargins()
	} else {
		p.search()
	}
	p.link.scores(p.scores, margins)
	p.labels = p.link.labels(p.labels[:0], p.scores, margins)
	q := Prediction{Labels: p.labels, Scores: p.scores, Margins: margins}
	if p.c.among != nil {
		p.c.restrict(&q)
	}
	return q, nil
}

// allMargins returns the margins of all outputs.
func (p *ruledPredictor) allMargins() []float64 {
	margins := p.rule.margins(&p.batch)
	for i, bias := range p.m.Bias {
		margins[i] += bias
	}
	return margins
}

// search begins the search for a document that the batch has taken.
func (p *ruledPredictor) search() {
	for _, siblings := range p.last {
		for _, o := range siblings {
			p.reached[o] = math.Inf(-1)
		}
	}
	p.last = p.last[:0]
	p.searcher.begin(&p.batch)
}

// reach is the Fill of the tree's searcher.
func (p *ruledPredictor) reach(margins []float64, children []int32) {
	if p.complete {
		return
	}
	p.last = append(p.last, children)
	p.searcher.siblings(margins, children)
	for _, o := range children {
		margins[o] += p.m.Bias[o]
	}
}

// predictRow predicts a row of a dataset. Its margins are those of all outputs.
func (p *ruledPredictor) predictRow(keys []uint64, values []float32) (Prediction, error) {
	p.complete = true
	defer func() { p.complete = false }()
	defer func(before bool) { p.batch.sumsWords = before }(p.batch.sumsWords)
	p.batch.sumsWords = false
	p.reset()
	p.features.appendRow(&p.batch, keys, values)
	p.batch.end()
	p.find()
	return p.predict(0, nil)
}

// predictWithRows predicts a text whose rows are in the batch then.
func (p *ruledPredictor) predictWithRows(text []byte) (Prediction, error) {
	defer func(adds, words bool) { p.batch.adds, p.batch.sumsWords = adds, words }(p.batch.adds, p.batch.sumsWords)
	p.batch.adds, p.batch.sumsWords = false, false
	p.reset()
	if err := p.add(context.Background(), text); err != nil {
		return Prediction{}, err
	}
	p.find()
	return p.predict(0, nil)
}

// explain takes the margin of the class apart that is predicted. Where there are any number of them, that is the class
// with the highest score.
func (p *ruledPredictor) explain(text []byte, n int) (*explain.Text, error) {
	q, err := p.predictWithRows(text)
	if err != nil {
		return nil, err
	}
	class := 0
	if p.c.MultiLabel() {
		class = p.c.best(&q)
	} else {
		class = q.Labels[0] // with calibration, not always that of the highest score
	}
	output, opposite := p.c.outputOf(class), p.m.Meta.Task == "binary" && class == 0
	signed := func(margin float64) float64 {
		if opposite {
			return 0 - margin // not -0
		}
		return margin
	}
	e := &explain.Text{Label: p.c.Labels()[class], Score: q.Scores[class], Margin: signed(q.Margins[output])}
	parts := p.rule.explain(e, output, &p.batch)
	e.Bias = signed(e.Bias + p.m.Bias[output])
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(math.Abs(b.margin), math.Abs(a.margin)) })
	n = min(n, len(parts))
	names := p.namesOf(text, parts[:n], e)
	for _, part := range parts[:n] {
		e.Contributions = append(e.Contributions, explain.Contribution{
			Name: names[part.row], Absent: part.absent,
			Value: part.value, Weight: signed(part.weight), Margin: signed(part.margin),
		})
	}
	e.Others = len(parts) - n
	for _, part := range parts[n:] {
		e.OthersMargin += signed(part.margin)
	}
	return e, nil
}

func (p *ruledPredictor) unknown(text []byte) (unknown, all int, err error) {
	if n, ok := p.features.(*ngrams); ok && p.batch.wordSums != nil {
		unknown, all = n.unknown(text)
		return unknown, all, nil
	}
	all, err = p.features.distinct(text)
	return all - p.batch.known(), all, err
}

func (p *ruledPredictor) spans(text []byte, visit func(name []byte, tokens []hashing.Span)) error {
	extract, err := hashing.NewExtractor(p.m.Meta.Text)
	if err != nil {
		return err
	}
	for name, tokens := range extract.Spans(text) {
		visit(name, tokens)
	}
	return nil
}

// namesOf names the rows of parts: by the first n-grams of the text that have them, and those of features that the text
// lacks as the model names them. It counts the features of the text that the model does not know.
func (p *ruledPredictor) namesOf(text []byte, parts []part, e *explain.Text) map[uint32]string {
	names, present := make(map[uint32]string, len(parts)), make(map[uint32]bool, len(parts))
	var lacking []uint32
	for _, part := range parts {
		if present[part.row] = !part.absent; part.absent {
			lacking = append(lacking, part.row)
		}
	}
	known := p.c.names()
	for _, row := range lacking {
		for _, key := range p.m.Keys.Between(int(row), int(row)+1) {
			name, named := known[int(row)]
			switch {
			case p.c.TakesFeatures():
				name = featureName(key)
			case !named:
				name = fmt.Sprintf("(key %d)", key)
			}
			names[row] = name
		}
	}
	for row, text := range p.features.names(text, func(row int) bool { return present[uint32(row)] }) {
		if row < 0 {
			e.Unknown++
		} else if _, named := names[uint32(row)]; !named && present[uint32(row)] {
			names[uint32(row)] = text
		}
	}
	return names
}
