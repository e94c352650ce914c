package score

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// evaluatePacked scores the documents of a packed corpus and compares.
func (c *Classifier) evaluatePacked(ctx context.Context, path string) (*metrics.Report, error) {
	ds, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	defer ds.Close()
	if err := c.suits(path, &ds.Meta); err != nil {
		return nil, err
	}
	if ds.Meta.Multi && !c.MultiLabel() {
		return nil, fmt.Errorf("nbsvm: documents of %s have any number of labels, but the model gives one", path)
	}
	return c.EvaluateRows(ctx, ds, ds.All(), threads(0))
}

// EvaluateRows predicts documents of a dataset from their rows, and compares.
func (c *Classifier) EvaluateRows(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, threads int) (*metrics.Report, error) {
	number := make([]int32, len(ds.Classes.Labels)) // of the dataset's labels in the model
	for k, label := range ds.Classes.Labels {
		number[k] = int32(slices.Index(c.Labels(), label)) // or metrics.Unknown
	}
	var all accumulator
	err := c.PredictRows(ctx, ds, documents, threads, func(doc int, p *Prediction) {
		want := make([]int32, 0, 1)
		for _, k := range ds.Classes.LabelsOf(doc) {
			want = append(want, number[k])
		}
		all.add(c.MultiLabel(), want, p)
	})
	if err != nil {
		return nil, err
	}
	return c.report(&all)
}

// suits refuses a corpus that can't tell what the model would see in its texts.
func (c *Classifier) suits(path string, meta *dataset.Meta) error {
	if meta.Source != c.m.Meta.Source {
		return fmt.Errorf("nbsvm: %s holds features of %s, and the model was trained on %s", path, meta.Source, c.m.Meta.Source)
	}
	if c.TakesFeatures() {
		return nil
	}
	model, corpus := c.m.Meta.Text, meta.Text
	switch {
	case model.Diff(corpus) != nil:
		return fmt.Errorf("nbsvm: %s was packed with other text options than the model has (%s, not %s): pack the documents again with the model's", path, corpus, model)
	case meta.MinDF > 1:
		return fmt.Errorf("nbsvm: %s was packed without n-grams of fewer than %d documents, which the model may know: pack the documents again, with --min-df 1", path, meta.MinDF)
	case c.m.Meta.Values != binary && !meta.Counts:
		return fmt.Errorf("nbsvm: %s was packed without how often documents have n-grams, which the model's values, %s, need: pack the documents again, with --values count", path, c.m.Meta.Values)
	}
	return nil
}
