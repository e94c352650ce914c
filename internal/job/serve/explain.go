package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/explain"
)

// Limits of explanations: their n-grams, unless "top" says how many, and the bytes of the text.
const (
	defaultNgrams    = 50
	longestExplained = 100_000
)

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

// explain answers {"text": …} with what each n-gram adds to the margin of the predicted class.
func (h *handler) explain(_ context.Context, w http.ResponseWriter, asked *request) {
	switch {
	case h.c.TakesFeatures():
		refuse(w, http.StatusBadRequest, errors.New("the model takes ready-made features, so there is no text to explain"))
		return
	case asked.Text == nil:
		refuse(w, http.StatusBadRequest, errors.New(`one text is explained at a time: send {"text": "…"}`))
		return
	case len(*asked.Text) > longestExplained:
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the text has %d bytes: texts of at most %d are explained", len(*asked.Text), longestExplained))
		return
	}
	x, err := h.explanation([]byte(*asked.Text), asked.Top)
	if err != nil {
		h.failed(w, err)
		return
	}
	body, err := json.Marshal(x)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, http.StatusOK, body)
}

func (h *handler) explanation(text []byte, top int) (*explanation, error) {
	scorer, err := h.c.NewScorer()
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
	if top == 0 {
		top = defaultNgrams
	}
	for _, c := range e.Contributions[min(top, len(e.Contributions)):] {
		e.Others++
		e.OthersMargin += c.Margin
	}
	e.Contributions = append([]explain.Contribution{}, e.Contributions[:len(e.Contributions)-e.Others]...) // never null
	return e, nil
}
