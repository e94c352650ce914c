package train

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// checkWeights refuses weights that leave nothing to tell apart: fewer than two classes of which a document counts
// or, where documents have any number of labels, no document at all that does.
func (o *Options) checkWeights(ds *dataset.Dataset, input string) error {
	var counts []string // classes of which a document counts
	for k, label := range ds.Classes.Labels {
		factor, named := o.ClassWeight.Weights[label]
		if named && factor == 0 && o.Kind.Takes("class-weight") || !anyWeight(ds.Weights, ds.Classes.Sets[k]) {
			continue
		}
		if counts = append(counts, label); len(counts) == 2 || ds.Classes.Multi {
			return nil
		}
	}
	if ds.Classes.Multi && anyWeight(ds.Weights, ds.All()) {
		return nil
	}
	const remedy = "give weights above 0 (--weight-field, --class-weight), or leave them out"
	if len(counts) == 0 {
		return fmt.Errorf("nbsvm: %s: all documents have the weight 0: %s", input, remedy)
	}
	return fmt.Errorf("nbsvm: %s: only documents of the class %q have a weight above 0; training needs two classes: %s", input, counts[0], remedy)
}

// anyWeight says whether some document has a weight above 0; nil stands for weights that are all 1.
func anyWeight(weights []float32, documents *roaring.Bitmap) bool {
	if weights == nil {
		return !documents.IsEmpty()
	}
	for it := documents.Iterator(); it.HasNext(); {
		if weights[it.Next()] > 0 {
			return true
		}
	}
	return false
}
