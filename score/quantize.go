package score

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/model"
)

// Quantize gives the classifier with weights and ratios of 16 or 8 bits, and what
// rounding has done to them. It shares all else with c, which must not be closed as
// long as it is in use.
func (c *Classifier) Quantize(bits int) (*Classifier, []model.Rounding, error) {
	var quantized *model.Model
	var roundings []model.Rounding
	err := c.guard(func() (err error) {
		quantized, roundings, err = c.m.Quantize(bits)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return newClassifier(quantized, c.file), roundings, nil
}

// Comparison tells what quantizing has done to predictions.
type Comparison struct {
	Before  *metrics.Report `json:"before"`
	After   *metrics.Report `json:"after"`
	Changed int             `json:"changed"` // documents whose labels are others
	Largest float64         `json:"largest"` // change of a score

	// Loss is by how much the metric that the task is judged by has fallen: micro_f1
	// where documents have any number of labels, else accuracy.
	Metric string  `json:"metric"`
	Loss   float64 `json:"loss"`
}

// Compare evaluates the classifier and itself, quantized, on a labelled input, which is
// read once.
func (c *Classifier) Compare(ctx context.Context, in dataset.Input, o Options, quantized *Classifier) (*Comparison, error) {
	before, after, err := c.accumulate(ctx, in, o, quantized)
	if err != nil {
		return nil, err
	}
	d := Comparison{Metric: "accuracy"}
	if d.Before, err = c.report(before); err != nil {
		return nil, err
	}
	if d.After, err = quantized.report(after); err != nil {
		return nil, err
	}
	d.Loss = d.Before.Accuracy - d.After.Accuracy
	if c.MultiLabel() {
		d.Metric, d.Loss = "micro_f1", d.Before.MicroF1-d.After.MicroF1
	}
	for i := range before.got {
		if before.got[i] != after.got[i] {
			d.Changed++
		}
	}
	for i := range before.gots {
		if !slices.Equal(before.gots[i], after.gots[i]) {
			d.Changed++
		}
	}
	for i, score := range before.scores {
		d.Largest = max(d.Largest, math.Abs(score-after.scores[i]))
	}
	return &d, nil
}
