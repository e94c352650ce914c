package nbsvm

import (
	"context"
	"errors"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/page/report"
)

// PageOptions say what [WritePage] shows. Start from [DefaultPageOptions].
type PageOptions struct {
	// Path of the model file, for the title and for the sizes of the model's parts; "" leaves these out.
	Path string
	// Train and Command are the command lines that made the model and the page, to be shown; "" leaves them out.
	Train, Command string
	// Documents is the number of documents shown in each list: the worst mistakes, and the least certain predictions.
	// From 0 to 100; the default is 25.
	Documents int
	// Features is the number of n-grams shown per class, from 1 to 400; the default is 20.
	Features int
	// Speed shows how fast the documents were scored. The page then differs from run to run. The default is false.
	Speed bool
	// Learn, if not nil, has the training documents, for a learning curve: models are trained with the model's options
	// on more and more of them.
	Learn *corpus.Input

	// Threads is the number of threads; 0, the default, stands for one per processor.
	Threads int
	// Progress, if not nil, is called as the work proceeds.
	Progress func(corpus.Progress)
}

// DefaultPageOptions returns PageOptions with every field at its default.
func DefaultPageOptions() PageOptions { return PageOptions(report.DefaultOptions()) }

// WritePage writes a self-contained HTML page about a classifier: how it was made, which features speak for its
// classes, and, if in is not nil, how good it is on these labelled documents.
func WritePage(ctx context.Context, c *Classifier, in *corpus.Input, o PageOptions, w io.Writer) error {
	if c == nil {
		return errors.New("nbsvm: the classifier to describe is nil")
	}
	return report.Write(ctx, c.c, in, report.Options(o), w)
}
