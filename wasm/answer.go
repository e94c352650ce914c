// Command wasm scores texts in WebAssembly: in a browser, where it gives scripts the object nbsvm (see page/nbsvm.js),
// or under a WASI runtime, where it writes the answer to each line of standard input as a line of JSON:
//
//	wasm MODEL [CLASSES [CONTRIBUTIONS]] < texts
//
// Answers have the same bytes as those of a native build.
package main

import (
	"encoding/json"
	"math"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// answer is what a model says of a text.
type answer struct {
	Labels  []string               `json:"labels"` // the predicted ones
	Classes []class                `json:"classes"`
	Why     []explain.Contribution `json:"contributions,omitempty"` // to the margin of Of, the largest first
	Of      string                 `json:"of,omitempty"`
}

// class is a class with its score.
type class struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// answerer answers for one model.
type answerer struct {
	labels []string
	model  *nbsvm.Classifier
	scorer *nbsvm.Scorer
	of     answer
}

// open opens a model file's bytes.
func open(data []byte) (*answerer, error) {
	c, err := nbsvm.OpenBytes(data)
	if err != nil {
		return nil, err
	}
	s, err := c.NewScorer()
	return &answerer{labels: c.Labels(), model: c, scorer: s}, err
}

// answer returns the answer for a text as JSON, with the best classes and the largest contributions, of each so many.
func (a *answerer) answer(text []byte, classes, contributions int) ([]byte, error) {
	p, err := a.scorer.Predict(text)
	if err != nil {
		return nil, err
	}
	a.of = answer{Labels: []string{}, Classes: a.of.Classes[:0]}
	for _, k := range p.Labels {
		a.of.Labels = append(a.of.Labels, a.labels[k])
	}
	for _, k := range inside.Classifier(a.model).Best((*score.Prediction)(&p), classes, math.Inf(-1)) {
		a.of.Classes = append(a.of.Classes, class{a.labels[k], p.Scores[k]})
	}
	if contributions > 0 && !a.model.TakesFeatures() {
		e, err := a.scorer.ExplainTop(text, contributions)
		if err != nil {
			return nil, err
		}
		a.of.Why, a.of.Of = e.Contributions, e.Label
	}
	return json.Marshal(&a.of)
}
