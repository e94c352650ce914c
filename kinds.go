package nbsvm

import (
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/solver"
)

// traits are what a kind of model is like.
type traits struct {
	kind     Kind
	learner  learn.Learner
	values   Values // that suit it, of text
	unigrams bool   // it works best with single words
	presence bool   // it only considers whether features occur
}

// kinds lists the kinds of model in the order of the help.
var kinds = []traits{
	{kind: NBSVM, learner: learn.NBSVM, values: Binary},
	{kind: SVM, learner: learn.SVM, values: Binary},
	{kind: Logistic, learner: learn.Logistic, values: Binary},
	{kind: Multinomial, learner: learn.Multinomial, values: Binary},
	{kind: Bernoulli, learner: learn.Bernoulli, values: Binary, presence: true},
	{kind: Complement, learner: learn.Complement, values: Binary},
	{kind: Perceptron, learner: learn.Perceptron, values: Binary},
	{kind: PassiveAggressive, learner: learn.PassiveAggressive, values: Binary},
	{kind: Rocchio, learner: learn.Rocchio, values: LogTFIDF},
	{kind: GBDT, learner: learn.GBDT, values: Binary},
	{kind: KNN, learner: learn.KNN, values: LogTFIDF, unigrams: true},
}

// Kinds returns all kinds of model.
func Kinds() []Kind { return convert(kinds, func(t traits) Kind { return t.kind }) }

// ofText returns the kind, or what AutoKind is for text.
func (k Kind) ofText() Kind {
	if k == AutoKind {
		return NBSVM
	}
	return k
}

// traits returns those of a kind; without a learner for an unknown kind.
func (k Kind) traits() traits {
	for _, t := range kinds {
		if t.kind == k.ofText() {
			return t
		}
	}
	return traits{values: Binary}
}

// losses lists the losses that a kind lets the solver minimize, the default first.
func (k Kind) losses() []solver.Loss { return learn.Losses(k.traits().learner) }

// Solved reports whether training minimizes a loss with the solver, so that Loss and Tol have an effect.
func (k Kind) Solved() bool { return k.losses() != nil }

// Online reports whether the kind learns from one document after the other, in a few passes over them.
func (k Kind) Online() bool { return learn.IsOnline(k.traits().learner) }

// Judged reports whether training evaluates the model as it goes, on Valid or HoldOut, and may stop early.
func (k Kind) Judged() bool { return k.takes("hold-out") }
