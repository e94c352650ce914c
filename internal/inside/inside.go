// Package inside lends parts that package nbsvm does not export to the command and other programs of this repository,
// and to their tests.
package inside

import (
	"context"
	"io"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Option describes an option of training, for the flags of the command and the arguments of Python.
type Option struct {
	Name        string   // in the nbsvm command, such as min-df
	Fields      string   // of nbsvm.Options that the option sets, joined by commas
	Group       string   // text, model or run
	Placeholder string   // stands for the value in help; "" for a switch
	Range       string   // says which numbers are allowed
	Words       []string // that are allowed
	Help        string   // what the option means, and what its default is
	Switch      bool     // the option is on or off
}

// Package nbsvm sets these functions. Options are a pointer to nbsvm.Options, which this package cannot import.
var (
	// Options returns all options of training, in the order in which help lists them.
	Options func() []Option
	// CheckTakes returns an error if one of some options, given by name, has no effect on a kind of model.
	CheckTakes func(kind string, names ...string) error
	// Flags returns the flags of nbsvm train that give options, where they are not the defaults of the kind of model.
	Flags func(options any) []string
	// FollowPacked sets in options the Text of the packed corpora in an input, with which a training on them must
	// agree. If the input is not packed, it changes nothing.
	FollowPacked func(options any, in corpus.Input) error
	// Prepare reads an input as Train does, and sets in options what they leave to the documents.
	Prepare func(ctx context.Context, in corpus.Input, options any, holdOut bool) (*dataset.Dataset, error)
	// LayOut makes the matrix of some documents, with options that Prepare has set.
	LayOut func(ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, options any) (*dataset.Matrix, error)
	// Fit trains a model on a matrix, with such options.
	Fit func(ctx context.Context, ds *dataset.Dataset, x *dataset.Matrix, options any) (*learn.Fitted, error)
	// Classifier returns what scores behind a *nbsvm.Classifier.
	Classifier func(classifier any) *score.Classifier
	// ExportMatrix writes the documents of a labelled input for a *nbsvm.Classifier: see score.Classifier.MatrixRow.
	ExportMatrix func(
		ctx context.Context, classifier any, in corpus.Input, threads int,
		progress func(corpus.Progress), class string, w io.Writer,
	) error
	// Wrap returns the *nbsvm.Classifier of what scores.
	Wrap func(c *score.Classifier) any
)
