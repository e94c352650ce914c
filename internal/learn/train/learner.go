package train

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/solver"
)

// learner trains one kind of model.
type learner interface {
	traits() traits
	// validate refuses options that the model can't be trained with.
	validate(o *Options) error
	// fit trains the model on the rows of a matrix and the labels of their documents.
	fit(ctx context.Context, t *trainer) ([]output, error)
}

// learners are the kinds of model, in the order in which help lists them.
var learners = []learner{
	nbsvm, svm, logistic,
	multinomial{},
	bernoulli{},
	complement{},
	perceptron, passiveAggressive,
	rocchio{},
	boosted{},
	nearest{},
}

// traits are what a kind of model takes and gives.
type traits struct {
	Kind Kind
	// Losses are those that its solver minimises, the default first. Models with a loss take C, tol, a bias
	// feature, class weights and checkpoints, and their margins are no probabilities but for logistic loss.
	Losses  []solver.Loss
	Counted bool // margins are log-likelihoods, from what is counted
	// Online models are trained document by document, in a few passes. They take a bias feature and class weights.
	Online bool
	// Centroids are means of documents. Margins of such models say how near these are.
	Centroids bool
	Cost      bool // an online model that takes C
	Ratio     bool // features are multiplied by their log-count ratio
	Binary    bool // features are 0 or 1
	TFIDF     bool // sublinear tf-idf of texts suits it
	// Nonlinear models have no weights: fit leaves a rule in the trainer, and its outputs have biases alone.
	Nonlinear bool
	// Boosted models are trees, of which a few are trained in every round. Their margins are log odds or, of rivals,
	// logarithms of probabilities.
	Boosted bool
	// Neighbours are documents that a model compares with. Scores of such a model are shares of votes.
	Neighbours bool
	Made       string   // how a model that is not linear is made, for messages
	Ignored    []string // options that have no effect on it, as flags are called
	Own        []string // options that have an effect on no other kind
}

// solved says whether a solver trains the model.
func (t traits) solved() bool { return len(t.Losses) > 0 }

// Solved says whether a solver trains models of the kind, which may leave rows on disk.
func (k Kind) Solved() bool { return k.traits().solved() }

// Online says whether models of the kind are trained document by document, in a few epochs.
func (k Kind) Online() bool { return k.traits().Online }

// Judged says whether models of the kind are evaluated while they are trained, which then may stop early.
func (k Kind) Judged() bool { return k.traits().Online || k.traits().Boosted }

// how says how a model is made that no solver trains, for messages.
func (t traits) how() string {
	switch {
	case t.Online:
		return "trained document by document"
	case t.Centroids:
		return "made of means"
	case t.Nonlinear:
		return t.Made
	}
	return "counted"
}

// Kinds lists the kinds of model.
func Kinds() []Kind {
	kinds := make([]Kind, len(learners))
	for i, l := range learners {
		kinds[i] = l.traits().Kind
	}
	return kinds
}

// learner is the one of a kind; nil for an unknown kind.
func (k Kind) learner() learner {
	i := slices.IndexFunc(learners, func(l learner) bool { return l.traits().Kind == k })
	if i < 0 {
		return nil
	}
	return learners[i]
}

// traits are those of the kind; none for an unknown kind.
func (k Kind) traits() traits {
	if l := k.learner(); l != nil {
		return l.traits()
	}
	return traits{}
}

// Ignores lists the options, as flags are called, that have no effect on models of the kind.
func (k Kind) Ignores() []string {
	names := k.traits().ignored()
	for _, l := range learners {
		if t := l.traits(); t.Kind != k {
			names = append(names, t.Own...)
		}
	}
	return names
}

// ignored are the options without effect, but for those that are another kind's own.
func (t traits) ignored() []string {
	switch {
	case t.Nonlinear:
		return slices.Clone(t.Ignored)
	case t.Centroids:
		return []string{"C", "loss", "tol", "max-epochs", "hold-out", "bias", "class-weight", "alpha", "beta", "keep-ratio"}
	case t.Counted:
		return []string{"C", "loss", "tol", "max-epochs", "hold-out", "bias", "class-weight", "calibrate", "normalize", "gamma", "beta", "keep-ratio"}
	case t.Online && t.Cost:
		return []string{"loss", "tol", "alpha", "beta", "gamma", "keep-ratio"}
	case t.Online:
		return []string{"C", "loss", "tol", "alpha", "beta", "gamma", "keep-ratio"}
	case !t.Ratio:
		return []string{"alpha", "beta", "gamma", "keep-ratio", "hold-out"}
	}
	return []string{"hold-out", "gamma"}
}

// solvedKinds names the kinds that a solver trains, for messages.
func solvedKinds() string {
	var names []string
	for _, l := range learners {
		if t := l.traits(); t.solved() {
			names = append(names, string(t.Kind))
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
