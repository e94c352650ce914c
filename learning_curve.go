package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// LearningPoint says how good models are that were trained on a part of the documents.
type LearningPoint struct {
	// Documents is the number of documents that each model was trained on.
	Documents int
	// Scores has the accuracy of each model on a fold that it was not trained on; the micro-averaged F1 if documents
	// have any number of labels.
	Scores []float64
}

const (
	learningFolds   = 5
	largestShare    = 32 // the smallest part is one in so many documents
	fewestDocuments = 10 // of a class on average, in the smallest part
)

// LearningCurve cross-validates models on ever larger parts of the documents, up to all of them.
func LearningCurve(ctx context.Context, in corpus.Input, o Options) (points []LearningPoint, err error) {
	f, err := openFolds(ctx, in, o, learningFolds, nil)
	if few, are := errors.AsType[fewDocumentsError](err); are {
		return nil, fmt.Errorf("nbsvm: a learning curve needs %d documents or more, and %s has %d",
			few.Folds, strings.Join(in.Paths, ", "), few.Documents)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	o.NamesLimit = 0
	one, err := f.Candidate(o)
	if err != nil {
		return nil, err
	}
	classes := f.ds.Classes
	most := f.ds.Documents * (learningFolds - 1) / learningFolds
	for share := largestShare; share >= 1; share /= 2 {
		if share > 1 && most/share < fewestDocuments*len(classes.Labels) {
			continue
		}
		p := LearningPoint{Documents: most / share}
		err := f.Try(ctx, []candidate{one}, foldPlan{Share: share}, func(t foldTrial) {
			if classes.Multi {
				p.Scores = append(p.Scores, t.Report.MicroF1)
			} else {
				p.Scores = append(p.Scores, t.Report.Accuracy)
			}
		})
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}
