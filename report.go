package nbsvm

import (
	"context"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/page/report"
)

// PageOptions say what a page about a model shows. [DefaultPageOptions] gives every field its default.
type PageOptions struct {
	// Path of the model's file, for the title and the sizes of the model's parts; "" leaves them out.
	Path string
	// Train and Command are command lines that make the model and the page again; "" leaves them out.
	Train, Command string
	// Documents is the number of the most wrong, and of the least certain, documents to show: from 0 to 100; the default
	// is 25.
	Documents int
	// Features is the number of n-grams to show of every class, from 1 to 400; the default is 20.
	Features int
	// Speed shows how long the documents took, so that the page differs from run to run.
	Speed bool
	// Search is the log of the search that found the model's options; "" leaves it out. Metric is what to compare them
	// by; "" stands for accuracy, or for micro F1 if documents have any number of labels.
	Search, Metric string
	// Learn, if not nil, are the documents that the model was trained on, for a learning curve: models are trained with
	// its options on ever more of them.
	Learn *corpus.Input

	// Threads is the number of threads; 0 stands for all processors.
	Threads int
	// Progress, if not nil, is told how far the work is.
	Progress func(corpus.Progress)
}

// DefaultPageOptions returns options with every field at its default.
func DefaultPageOptions() PageOptions { return PageOptions(report.DefaultOptions()) }

// WritePage writes a self-contained HTML page about a classifier: how it was made, what speaks for its classes and, if in
// is not nil, how it does on these labelled documents.
func WritePage(ctx context.Context, c *Classifier, in *corpus.Input, o PageOptions, w io.Writer) error {
	return report.Write(ctx, c.c, in, report.Options(o), w)
}
