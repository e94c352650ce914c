package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/explain"
)

// Limits of explanations: their n-grams, unless "top" says how many, and the bytes of the text.
const (
	defaultNgrams    = 50
	longestExplained = 100_000
)

// explainedByte is how many bytes of memory the explanation of a text takes for each of its bytes, if it is in
// characters, the model knows all their n-grams of up to six, and "top" asks for all. Of words it is about 160.
const explainedByte = 1500

// explanationTakes returns how many bytes an explanation takes in memory.
func explanationTakes(_ []*model, size int64) int64 {
	return explainedByte * min(size, longestExplained)
}

// explanation is what explain --json prints, and the text in parts.
type explanation struct {
	explain.Text
	Others       int     `json:"others"`
	OthersMargin float64 `json:"others_margin"`
	Parts        []part  `json:"parts"`
}

// part is a part of the text, with what the n-grams over each of its bytes add to the margin.
type part struct {
	Text   string  `json:"text"`
	Margin float64 `json:"margin"`
}

// explainByOne answers {"text": …} with what each n-gram adds to the margin of the class that the model predicts.
func explainByOne(_ context.Context, models []*model, _ *Options, asked *request) ([]byte, error) {
	m := models[0]
	switch {
	case m.TakesFeatures():
		return nil, errors.New("the model takes ready-made features, so there is no text to explain")
	case asked.Text == nil:
		return nil, errors.New(`one text is explained at a time: send {"text": "…"}`)
	case len(*asked.Text) > longestExplained:
		return nil, tooLarge("the text has %d bytes: texts of at most %d are explained", len(*asked.Text), longestExplained)
	}
	e, err := m.explanation([]byte(*asked.Text), cmp.Or(asked.Top, defaultNgrams))
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return append(asked.open(), body[1:]...), nil
}

// explanation explains a text, by so many n-grams.
func (m *model) explanation(text []byte, top int) (*explanation, error) {
	scorer, err := m.NewScorer()
	if err != nil {
		return nil, err
	}
	x, err := scorer.ExplainText(text)
	if err != nil {
		return nil, err
	}
	added, err := scorer.Highlight(text, x)
	if err != nil {
		return nil, err
	}
	e := &explanation{Text: *x, Parts: []part{}}
	for from, to := 0, 0; from < len(text); from = to {
		for to = from + 1; to < len(text) && (added[to] == added[from] || !utf8.RuneStart(text[to])); {
			to++
		}
		e.Parts = append(e.Parts, part{string(text[from:to]), added[from]})
	}
	for _, c := range e.Contributions[min(top, len(e.Contributions)):] {
		e.Others++
		e.OthersMargin += c.Margin
	}
	if e.Contributions = e.Contributions[:len(e.Contributions)-e.Others]; e.Contributions == nil {
		e.Contributions = []explain.Contribution{} // not null
	}
	return e, nil
}
