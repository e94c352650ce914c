package nbsvm

import (
	"context"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/page/report"
)

type (
	// PageOptions say what a page about a model shows. DefaultPageOptions gives every field
	// its default.
	PageOptions = report.Options
)

// DefaultPageOptions returns the options that hold where nothing else is said.
func DefaultPageOptions() PageOptions { return report.DefaultOptions() }

// WritePage writes a self-contained HTML page about a classifier: how it was made, what
// speaks for its classes and, where in is not nil, how it does on labelled documents.
func WritePage(ctx context.Context, c *Classifier, in *corpus.Input, o PageOptions, w io.Writer) error {
	return report.Write(ctx, c, in, o, w)
}
