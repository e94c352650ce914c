package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// learning is how good models of a part of the documents are.
type learning struct {
	Metric string          `json:"metric"`
	Folds  int             `json:"folds"`
	Points []learningPoint `json:"points"` // by documents, ascending
}

type learningPoint struct {
	Documents int     `json:"documents"` // trained on
	Mean      float64 `json:"mean"`      // over folds
	SE        float64 `json:"se"`
}

const (
	learningFolds   = 5
	largestShare    = 32 // the smallest part is one in so many documents
	fewestDocuments = 10 // of a class on average, in the smallest part
)

// learn trains with options on ever more of some documents, and evaluates on those of a fold that is held out.
func learn(ctx context.Context, in corpus.Input, o train.Options) (l *learning, err error) {
	f, err := train.OpenFolds(ctx, in, o, learningFolds, nil)
	if few, are := errors.AsType[train.FewDocumentsError](err); are {
		return nil, fmt.Errorf("nbsvm: a learning curve (--learn) needs %d documents or more, and %s has %d",
			few.Folds, strings.Join(in.Paths, ", "), few.Documents)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if o, err = f.Resolve(o); err != nil {
		return nil, err
	}
	o.NamesLimit = 0
	l = &learning{Metric: "accuracy", Folds: learningFolds}
	if f.Dataset().Classes.Multi {
		l.Metric = "micro F1"
	}
	most := f.Dataset().Documents * (learningFolds - 1) / learningFolds
	for share := largestShare; share >= 1; share /= 2 {
		if share > 1 && most/share < fewestDocuments*len(f.Dataset().Classes.Labels) {
			continue
		}
		var scores []float64
		err := f.Try(ctx, []train.Options{o}, train.Plan{Share: share}, func(t train.Trial) {
			if f.Dataset().Classes.Multi {
				scores = append(scores, t.Report.MicroF1)
			} else {
				scores = append(scores, t.Report.Accuracy)
			}
		})
		if err != nil {
			return nil, err
		}
		mean, sd := metrics.MeanSD(scores)
		l.Points = append(l.Points, learningPoint{most / share, rounded(mean), rounded(sd / math.Sqrt(learningFolds))})
	}
	return l, nil
}
