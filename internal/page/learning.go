package page

import (
	"context"
	"math"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
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

// learn trains with options on ever more of some documents, and evaluates on those of a fold that is held out.
func learn(ctx context.Context, in corpus.Input, o nbsvm.Options, multi bool) (*learning, error) {
	points, err := nbsvm.LearningCurve(ctx, in, o)
	if err != nil {
		return nil, err
	}
	l := &learning{Metric: "accuracy"}
	if multi {
		l.Metric = "micro F1"
	}
	for _, p := range points {
		mean, sd := xmath.MeanSD(p.Scores)
		l.Folds = len(p.Scores)
		l.Points = append(l.Points, learningPoint{
			p.Documents, rounded(mean),
			rounded(sd / math.Sqrt(float64(l.Folds))),
		})
	}
	return l, nil
}
