package nbsvm

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// pruneOn is how many held-out documents, at most, are predicted to find out what pruning changes.
const pruneOn = 20_000

// pruneFrom is how many documents, at most, the classifier is trained on that is only to find out what pruning changes.
const pruneFrom = 1 << 17

// prune gives a classifier without the smallest weights. How many these are is found out on the first fold that is held
// out, whose documents the classifier has not seen: on as many as the option says labels may change, by weight. Accuracy cannot
// fall by more, and falls by less, as most labels that change are wrong before or after.
func (t *tuning) prune(
	ctx context.Context, c *score.Classifier, ds *dataset.Dataset, parts *dataset.Division, fold *roaring.Bitmap, o *Options,
) (*score.Classifier, error) {
	if t.pruning != nil {
		pruned, _, err := c.Prune(t.pruning.Share)
		return pruned, err
	}
	some, err := ds.Sample(ctx, fold, pruneOn, o.Seed)
	if err != nil {
		return nil, err
	}
	before, all := map[int][]int{}, 0.0
	err = score.PredictRows(ctx, c, ds, some, o.threads(), func(doc int, p *score.Prediction) {
		before[doc] = p.Labels
		all += parts.Weight(doc)
	})
	if err != nil {
		return nil, err
	}
	pruned, p, err := c.PruneWithin(o.Prune, func(pruned *score.Classifier) (float64, error) {
		changed := 0.0
		err := score.PredictRows(ctx, pruned, ds, some, o.threads(), func(doc int, p *score.Prediction) {
			if !slices.Equal(p.Labels, before[doc]) {
				changed += parts.Weight(doc)
			}
		})
		return changed / max(all, math.SmallestNonzeroFloat64), err
	})
	t.pruning = &p
	return pruned, err
}
