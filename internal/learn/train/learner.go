package train

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/solver"
)

// A learner trains one kind of model.
type learner interface {
	// fit trains the model on the rows of a matrix and the labels of their documents. It returns one output for each
	// class, or a single one for two classes.
	fit(ctx context.Context, t *trainer) ([]output, error)
}

// What else a kind of model can do follows from the interfaces that its learner implements.
type (
	// A checker refuses options that it cannot train with.
	checker interface{ check(o *Options) error }
	// A featureChecker refuses ready-made features that it cannot train on.
	featureChecker interface {
		checkFeatures(kind packed.Values) error
	}
	// A minimizer leaves training to the solver, which minimizes one of these losses. The first one is the default.
	// Its rows may stay on disk, and its training can go on from a checkpoint.
	minimizer interface{ losses() []solver.Loss }
	// An epochLearner visits document by document, by default in so many epochs.
	epochLearner interface{ epochs() int }
	// A linker names how margins become probabilities without calibration. Other margins are no probabilities.
	linker interface {
		link(o *Options, task string) string
	}
	// A pathLearner is linear, so that a hierarchy can have one output for each node. The scale is about what margins
	// must be divided by to be log odds. A temperature above 0 sharpens probabilities of paths that would be too even.
	pathLearner interface {
		pathScale(o *Options) (scale, temperature float64)
	}
	// A valuer works best with feature values other than binary ones.
	valuer interface {
		values(o *Options) (values Values, sublinear bool)
	}
	// An orderer works best with other orders of word n-grams than 1 to 2 or 3.
	orderer interface{ orders() (lo, hi int) }
)

// learners are the kinds of model, in the order in which help lists them.
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
	_ checker        = boosted{}
	_ checker        = nearest{}
	_ featureChecker = bernoulli{}
	_ linker         = linear{}
	_ linker         = counted{}
	_ linker         = boosted{}
	_ linker         = nearest{}
	_ pathLearner    = linear{}
	_ pathLearner    = counted{}
	_ pathLearner    = complement{}
	_ pathLearner    = onlineModel{}
	_ pathLearner    = rocchio{}
	_ valuer         = rocchio{}
	_ valuer         = nearest{}
	_ orderer        = nearest{}
)

// takers lists the kinds of model that take an option, by the name of its flag. Options that are not listed are for
// all kinds.
var takers = map[string][]Kind{
	"C":                 {NBSVM, SVM, Logistic, PassiveAggressive},
	"loss":              {NBSVM, SVM, Logistic},
	"tol":               {NBSVM, SVM, Logistic},
	"max-epochs":        {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive},
	"bias":              {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive},
	"hold-out":          {Perceptron, PassiveAggressive, GBDT},
	"class-weight":      {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, GBDT, KNN},
	"calibrate":         {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio, GBDT, KNN},
	"normalize":         {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio},
	"alpha":             {NBSVM, Multinomial, Bernoulli, Complement},
	"beta":              {NBSVM},
	"keep-ratio":        {NBSVM},
	"gamma":             {Rocchio},
	"normalize-weights": {Complement},
	"neighbours":        {KNN},
	"similarity":        {KNN},
	"votes":             {KNN},
	"rounds":            {GBDT},
	"depth":             {GBDT},
	"rate":              {GBDT},
	"lambda":            {GBDT},
	"min-gain":          {GBDT},
	"min-child-weight":  {GBDT},
	"subsample":         {GBDT},
	"colsample":         {GBDT},
	"bins":              {GBDT},
	"patience":          {GBDT},
}

// Kinds lists the kinds of model.
func Kinds() []Kind {
	kinds := make([]Kind, len(learners))
	for i, l := range learners {
		kinds[i] = l.kind
	}
	return kinds
}

// learner is the one of a kind; nil for an unknown kind.
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

// Solved says whether a solver trains models of the kind.
func (k Kind) Solved() bool {
	_, solved := can[minimizer](k)
	return solved
}

// Online says whether models of the kind are trained document by document, in a few epochs.
func (k Kind) Online() bool {
	_, online := can[epochLearner](k)
	return online
}

// Judged says whether models of the kind are evaluated while they are trained, so that training may stop early.
func (k Kind) Judged() bool { return k.Takes("hold-out") }

// Takes says whether models of the kind take an option, which is named as its flag.
func (k Kind) Takes(option string) bool {
	kinds, listed := takers[option]
	return !listed || slices.Contains(kinds, k)
}

// Ignores lists the options, named as their flags, that models of the kind do not take.
func (k Kind) Ignores() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(takers)), k.Takes)
}

// CheckTakes returns an error that names the kinds of model that take an option, if this kind does not.
func (k Kind) CheckTakes(option string) error {
	if k.Takes(option) {
		return nil
	}
	return fmt.Errorf("nbsvm: model %s does not take %s; %s", k, option, takenBy(option))
}

// takenBy names the kinds of model that take an option, as in "models svm and logistic do".
func takenBy(option string) string {
	if kinds := takers[option]; len(kinds) == 1 {
		return fmt.Sprintf("model %s does", kinds[0])
	}
	return fmt.Sprintf("models %s do", kindsTaking(option))
}

// kindsTaking lists the kinds of model that take an option, for messages.
func kindsTaking(option string) string {
	var names []string
	for _, kind := range takers[option] {
		names = append(names, string(kind))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Settings describes the numbers that a model was trained with, by the names of their flags.
func (o *Options) Settings() string {
	t := &o.Trees
	var all []string
	for _, setting := range []struct {
		name  string
		value any
	}{
		{"alpha", o.Alpha},
		{"beta", o.Beta},
		{"C", o.C},
		{"gamma", o.Gamma},
		{"bias", o.Bias},
		{"tol", o.Tol},
		{"rounds", t.Rounds},
		{"depth", t.Depth},
		{"rate", t.Rate},
		{"lambda", t.Lambda},
		{"min-gain", t.MinGain},
		{"min-child-weight", t.MinChildWeight},
		{"subsample", t.Subsample},
		{"colsample", t.ColSample},
		{"bins", t.Bins},
		{"seed", o.Seed},
	} {
		if o.Kind.Takes(setting.name) {
			all = append(all, fmt.Sprintf("%s %v", setting.name, setting.value))
		}
	}
	return strings.Join(all, ", ")
}
