package nbsvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/solver"
)

// traits are what a kind of model is like.
type traits struct {
	kind     Kind
	learner  learn.Learner
	takes    string        // the options that have an effect on it, of those that have none on some other kind
	losses   []solver.Loss // that the solver can minimize, the default first; nil without a solver
	values   Values        // that suit it, of text; "" for binary
	epochs   int           // by default, at most
	unigrams bool          // it works best with single words
	presence bool          // it only considers whether features occur
	numbers  bool          // it predicts numbers
}

// The options of several kinds.
const (
	ofSolved = "normalize loss C bias class-weight calibrate max-model tree tol max-epochs hierarchy "
	ofOnline = "normalize bias class-weight calibrate max-epochs hold-out hierarchy "
	ofNumber = "normalize loss C bias max-model tol max-epochs clip range "
)

var (
	anyLoss      = []solver.Loss{solver.SquaredHinge, solver.Hinge, solver.Logistic}
	lossOfNumber = []solver.Loss{solver.SquaredEpsilonInsensitive, solver.EpsilonInsensitive, solver.Logistic}
	lossOfScore  = []solver.Loss{solver.Logistic, solver.SquaredEpsilonInsensitive, solver.EpsilonInsensitive}
)

// kinds lists the kinds of model in the order of the help.
var kinds = []traits{
	{kind: NBSVM, learner: learn.NBSVM, takes: ofSolved + "alpha alpha-by-size beta", losses: anyLoss, values: ByWord},
	{kind: SVM, learner: learn.SVM, takes: ofSolved, losses: anyLoss},
	{kind: Logistic, learner: learn.Logistic, takes: ofSolved, losses: []solver.Loss{solver.Logistic}},
	{kind: Multinomial, learner: learn.Multinomial, takes: "alpha hierarchy"},
	{kind: Bernoulli, learner: learn.Bernoulli, takes: "alpha hierarchy", presence: true},
	{kind: Complement, learner: learn.Complement, takes: "alpha hierarchy"},
	{kind: Perceptron, learner: learn.Perceptron, takes: ofOnline, epochs: 10},
	{kind: PassiveAggressive, learner: learn.PassiveAggressive, takes: ofOnline + "C", epochs: 10},
	{kind: Rocchio, learner: learn.Rocchio, takes: "normalize calibrate hierarchy", values: LogTFIDF},
	{kind: GBDT, learner: learn.GBDT, takes: "class-weight calibrate hold-out rounds depth rate"},
	{kind: KNN, learner: learn.KNN, takes: "class-weight calibrate neighbours", values: LogTFIDF, unigrams: true},
	{kind: NBSVR, learner: learn.NBSVR, takes: ofNumber + "epsilon alpha alpha-by-size", losses: lossOfScore, numbers: true, values: ByWord},
	{kind: SVR, learner: learn.SVR, takes: ofNumber + "epsilon", losses: lossOfNumber, numbers: true},
	{kind: Ridge, learner: learn.SVR, takes: ofNumber, losses: lossOfNumber[:1], numbers: true},
	{
		kind: Ordinal, learner: learn.Ordinal, takes: "normalize loss C bias max-model tol max-epochs range alpha alpha-by-size",
		losses: []solver.Loss{solver.Logistic, solver.Hinge}, numbers: true, values: ByWord,
	},
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

// traits returns those of a kind; none for an unknown kind.
func (k Kind) traits() traits {
	for _, t := range kinds {
		if t.kind == k.ofText() {
			return t
		}
	}
	return traits{}
}

// Numbers reports whether models predict numbers in place of classes, and labels to train on are numbers.
func (k Kind) Numbers() bool { return k.traits().numbers }

// checkLabels returns an error if the labels of an input are to be numbers, and models of the kind predict classes.
func (k Kind) checkLabels(in corpus.Input) error {
	if in.Numbers && !k.Numbers() {
		return fmt.Errorf("nbsvm: labels are to be numbers (Input.Numbers), and model %s predicts classes: use model %s",
			k.ofText(), listed(slices.DeleteFunc(Kinds(), func(k Kind) bool { return !k.Numbers() }), "or"))
	}
	return nil
}

// Solved reports whether training minimizes a loss with the solver, so that Loss and Tol have an effect.
func (k Kind) Solved() bool { return k.takes("loss") }

// Online reports whether the kind learns from one document after the other, in a few passes over them.
func (k Kind) Online() bool { return k.takes("max-epochs") && !k.Solved() }

// Judged reports whether training evaluates the model as it goes, on Valid or HoldOut, and may stop early.
func (k Kind) Judged() bool { return k.takes("hold-out") }

// takes reports whether an option has an effect on models of the kind.
func (k Kind) takes(option string) bool {
	taking := kindsTaking(option)
	return taking == nil || slices.Contains(taking, k.ofText())
}

// kindsTaking lists the kinds of model that an option has an effect on; nil for all.
func kindsTaking(option string) (taking []Kind) {
	for _, t := range kinds {
		if slices.Contains(strings.Fields(t.takes), option) {
			taking = append(taking, t.kind)
		}
	}
	return taking
}

// Ignores returns the options that have no effect on the kind, by their names in the nbsvm command, such as
// "max-epochs" for MaxEpochs.
func (k Kind) Ignores() (names []string) {
	for _, p := range table {
		if !k.takes(p.Name) {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}

// checkTakes returns an error if one of some options has no effect on the kind.
func (k Kind) checkTakes(options ...string) error {
	for _, option := range options {
		if !k.takes(option) {
			return fmt.Errorf("nbsvm: %s has no effect on model %s: leave it out, or choose another model (%s)",
				optionNamed(option).path(), k.ofText(), listed(k.alike(kindsTaking(option)), ""))
		}
	}
	return nil
}

// alike returns those of some kinds that predict numbers, or classes, as k does; all if there are none.
func (k Kind) alike(others []Kind) []Kind {
	alike := slices.DeleteFunc(slices.Clone(others), func(o Kind) bool { return o.Numbers() != k.Numbers() })
	if len(alike) == 0 {
		return others
	}
	return alike
}

// listed joins words with commas, and the last one with a conjunction if there is one.
func listed[S ~string](all []S, conjunction string) string {
	words := convert(all, func(s S) string { return string(s) })
	last := len(words) - 1
	if last == 0 || conjunction == "" {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
