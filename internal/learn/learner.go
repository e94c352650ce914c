package learn

import (
	"context"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/metrics"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Learner trains one kind of model.
type Learner interface {
	// fit trains the model on the rows of a matrix and the labels of their documents. It returns one output for each
	// class, or a single one for two classes.
	fit(ctx context.Context, t *trainer) ([]output, error)
}

// The learners.
var (
	NBSVM             Learner = linear{weighted: true}
	SVM               Learner = linear{}
	Logistic          Learner = linear{}
	Multinomial       Learner = multinomial{}
	Bernoulli         Learner = bernoulli{}
	Complement        Learner = complement{}
	Perceptron        Learner = onlineModel{}
	PassiveAggressive Learner = onlineModel{aggressive: true}
	Rocchio           Learner = rocchio{}
	GBDT              Learner = boosted{}
	KNN               Learner = nearest{}
	NBSVR             Learner = regression{weighted: true}
	SVR               Learner = regression{}
	Ordinal           Learner = ordinal{}
)

// Learners implement further interfaces for what else their kind of model can do.
type (
	// A linker names how margins become probabilities without calibration. Other margins are no probabilities.
	linker interface {
		link(p *Params, task string) string
	}
	// A pathLearner is linear, so that a hierarchy can have one output for each node. The scale is about what margins
	// must be divided by to be log odds. A temperature above 0 sharpens probabilities of paths that would be too even.
	pathLearner interface {
		pathScale(p *Params) (scale, temperature float64)
	}
)

// The interfaces that learners implement.
var (
	_ linker      = linear{}
	_ linker      = counted{}
	_ linker      = boosted{}
	_ linker      = nearest{}
	_ linker      = regression{}
	_ linker      = ordinal{}
	_ pathLearner = linear{}
	_ pathLearner = counted{}
	_ pathLearner = onlineModel{}
	_ pathLearner = rocchio{}
)

// Params say how a model is trained, with nothing left open.
type Params struct {
	Learner Learner
	Kind    string // its name, in messages

	// Solver has the options of the solver but Threads and Progress. Bias, MaxEpochs and Seed are those of other
	// learners, too.
	Solver      solver.Options
	C           float64            // cost of the loss against the regularization
	Clip        bool               // numbers stay in the range of those that were trained on
	Range       [2]float64         // the least and the largest number that there can be; zeros for those of the rows
	Balanced    bool               // classes have the same weight in all
	ClassWeight map[string]float64 // factors of the costs of classes, by label; 1 for others
	Alpha       float64            // smooths counts
	AlphaBySize bool               // the smaller side of a log-count ratio is smoothed less
	Beta        float64            // interpolates between naive Bayes and the SVM
	Neighbours  int                // that vote
	Trees       boost.Options
	HoldOut     float64 // share of the rows on which the number of epochs or rounds is found; 0 for none
	Separator   string  // between the parts of labels that are paths in a tree; "" for other labels
	Grow        bool    // a tree over the classes

	Matrix       dataset.MatrixOptions
	Prenormalize bool // rows have unit length before the ratio is applied
	Normalize    bool // and after

	Calibrate  bool  // fit probabilities to held-out documents
	MaxModel   int64 // bytes of the model's file; 0 for no limit
	Reserved   int   // bytes of it for the record of the training
	NamesLimit int   // features that are named, about; 0 for none

	From    *model.Model // to update; nil for none
	Earlier float64      // documents that it was trained on
	Meta    model.Meta   // of the model, but for what learners decide
	// Judge evaluates a model on documents other than the rows; nil where there are none.
	Judge func(ctx context.Context, m *model.Model) (*metrics.Report, error)

	Threads  int
	Progress func(corpus.Progress) // may be nil
}
