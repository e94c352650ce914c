package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/solver"
)

// A learner trains one kind of model.
type learner interface {
	// fit trains the model on the rows of a matrix and the labels of their documents. It returns one output for each
	// class, or a single one for two classes.
	fit(ctx context.Context, t *trainer) ([]output, error)
}

// A learner implements further interfaces for what else its kind of model can do.
type (
	// A checker refuses options that it cannot train with.
	checker interface{ check(o *Options) error }
	// A featureChecker refuses ready-made features that it cannot train on.
	featureChecker interface {
		checkFeatures(kind packed.Values) error
	}
	// A minimizer leaves training to the solver, which minimizes one of these losses. The first one is the default.
	// Its rows may stay on disk.
	minimizer interface{ losses() []solver.Loss }
	// An epochLearner visits document by document, by default in so many epochs.
	epochLearner interface{ epochs() int }
	// A linker names how margins become probabilities without calibration. Other margins are no probabilities.
	linker interface {
		link(o *settings, task string) string
	}
	// A pathLearner is linear, so that a hierarchy can have one output for each node. The scale is about what margins
	// must be divided by to be log odds. A temperature above 0 sharpens probabilities of paths that would be too even.
	pathLearner interface {
		pathScale(o *settings) (scale, temperature float64)
	}
	// A valuer works best with feature values other than binary ones.
	valuer interface {
		values() Values
	}
	// An orderer works best with other orders of word n-grams than 1 to 2 or 3.
	orderer interface{ orders() (lo, hi int) }
)

// learners lists the kinds of model in the order of the help.
var learners = []struct {
	kind Kind
	learner
}{
	{NBSVM, linear{weighted: true, allowed: anyLoss}},
	{SVM, linear{allowed: anyLoss}},
	{Logistic, linear{allowed: []solver.Loss{solver.Logistic}}},
	{Multinomial, multinomial{}},
	{Bernoulli, bernoulli{}},
	{Complement, complement{}},
	{Perceptron, onlineModel{}},
	{PassiveAggressive, onlineModel{aggressive: true}},
	{Rocchio, rocchio{}},
	{GBDT, boosted{}},
	{KNN, nearest{}},
}

// The interfaces that learners implement.
var (
	_ minimizer      = linear{}
	_ epochLearner   = onlineModel{}
	_ checker        = bernoulli{}
	_ featureChecker = bernoulli{}
	_ linker         = linear{}
	_ linker         = counted{}
	_ linker         = boosted{}
	_ linker         = nearest{}
	_ pathLearner    = linear{}
	_ pathLearner    = counted{}
	_ pathLearner    = onlineModel{}
	_ pathLearner    = rocchio{}
	_ valuer         = rocchio{}
	_ valuer         = nearest{}
	_ orderer        = nearest{}
)

// Kinds returns all kinds of model.
func Kinds() []Kind {
	kinds := make([]Kind, len(learners))
	for i, l := range learners {
		kinds[i] = l.kind
	}
	return kinds
}

// learner returns the learner of a kind; nil for an unknown kind.
func (k Kind) learner() learner {
	for _, l := range learners {
		if l.kind == k {
			return l.learner
		}
	}
	return nil
}

// can returns the learner of a kind as one that implements an interface, if it does.
func can[I any](k Kind) (I, bool) {
	l, ok := k.learner().(I)
	return l, ok
}

// Solved reports whether training minimizes a loss with the solver, so that Loss and Tol have an effect.
func (k Kind) Solved() bool {
	_, solved := can[minimizer](k)
	return solved
}

// Online reports whether the kind learns from one document after the other, in a few passes over them.
func (k Kind) Online() bool {
	_, online := can[epochLearner](k)
	return online
}

// Judged reports whether training evaluates the model as it goes, on Valid or HoldOut, and may stop early.
func (k Kind) Judged() bool { return k.takes("hold-out") }
