// Package inside lends parts that package nbsvm does not export to the command and other programs of this repository, and
// to their tests.
package inside

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Package nbsvm sets these functions. Options are a pointer to nbsvm.Options, which this package cannot import.
var (
	// Prepare reads an input as Train does, and sets in options what they leave to the documents.
	Prepare func(ctx context.Context, in corpus.Input, options any, holdOut bool) (*dataset.Dataset, error)
	// LayOut makes the matrix of some documents.
	LayOut func(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, options any) (*matrix.Matrix, error)
	// Fit trains a model on a matrix.
	Fit func(ctx context.Context, ds *dataset.Dataset, x *matrix.Matrix, options any) (Fitted, error)
	// Classifier returns what scores behind a *nbsvm.Classifier.
	Classifier func(classifier any) *score.Classifier
	// Wrap returns the *nbsvm.Classifier of what scores.
	Wrap func(c *score.Classifier) any
)

// Fitted is a trained model before it has its file's form.
type Fitted interface {
	Model() (*model.Model, error)
}
