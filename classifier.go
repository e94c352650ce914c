package nbsvm

import (
	"encoding/json"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/score"
)

// Version of the library and the command; models record which one made them.
const Version = build.Version

// Classifier is a trained model. It may be used concurrently, through one Scorer
// per goroutine.
type Classifier = score.Classifier

// Scorer scores documents one by one. It owns scratch memory: one per goroutine.
type Scorer = score.Scorer

// Prediction is what a Scorer says of a document.
type Prediction = score.Prediction

// ScoreOptions say how a whole input is scored.
type ScoreOptions = score.Options

// ScoreStats count what was scored.
type ScoreStats = score.Stats

// Render appends a document's output to dst; see Classifier.Score.
type Render = score.Render

// Comparison tells what quantizing has done to predictions.
type Comparison = score.Comparison

// Feature is a feature of a model and what it says for an output.
type Feature = score.Feature

// Explanation lists the strongest features that speak for a class.
type Explanation = score.Explanation

// TextExplanation takes a prediction apart.
type TextExplanation = score.TextExplanation

// Contribution is what one feature of a text adds to a margin.
type Contribution = score.Contribution

// Open maps a model file. The errors are those of package model: not a model,
// truncated, damaged, or of a newer version.
func Open(path string) (*Classifier, error) { return score.Open(path) }

// ReportOf tells how a classifier was made, as recorded in its model.
func ReportOf(c *Classifier) (*Report, error) {
	var r Report
	if err := json.Unmarshal(c.Model().Meta.Made, &r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of how it was made can't be read: %w", err)
	}
	return &r, nil
}
