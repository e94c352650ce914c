package train

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/learn/boost"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Kind names what is trained.
type Kind string

// Values names what a feature counts for in a document.
type Values string

// The values a feature can have.
const (
	Binary Values = "binary" // 1 where it occurs
	Count  Values = "count"  // its number of occurrences
	TFIDF  Values = "tfidf"  // that, times log((1+n)/(1+df)) + 1
)

// ClassWeight multiplies the cost of documents by class.
type ClassWeight struct {
	// Balanced weighs each class by n/(K·n_k), for n documents in K classes, n_k
	// of them in this one.
	Balanced bool `json:"balanced,omitempty"`
	// Weights names classes and their factors; a class that is not named has 1.
	Weights map[string]float64 `json:"weights,omitempty"`
}

// String is the flag's form: balanced, or LABEL=WEIGHT,…
func (w ClassWeight) String() string {
	if w.Balanced {
		return "balanced"
	}
	var pairs []string
	for _, label := range slices.Sorted(maps.Keys(w.Weights)) {
		pairs = append(pairs, label+"="+number(w.Weights[label]))
	}
	return strings.Join(pairs, ",")
}

// Options say how a model is trained. DefaultOptions gives every field its
// default; zero values are taken as they are.
type Options struct {
	Kind Kind            `json:"model"`
	Text hashing.Options `json:"text"`
	// AutoNgrams takes n-grams of orders 1 to 3 where the training set has at
	// least 3 MB of text a class, else 1 to 2. It is for the word tokenizer, and
	// gives way to orders in Text other than 1 to 2: to have just these, turn it off. A knn model has single words, unless
	// the corpus is packed.
	AutoNgrams bool `json:"auto_ngrams"`
	// MinDF leaves out n-grams of fewer documents.
	MinDF int `json:"min_df"`
	// MaxDF leaves out n-grams of more documents: a share of them where it is at
	// most 1, a number of them above.
	MaxDF  float64 `json:"max_df"`
	Values Values  `json:"values"`
	// SublinearTF takes 1+log(count) for count; for count and tfidf.
	SublinearTF bool `json:"sublinear_tf"`
	// Prenormalize scales a document's features to unit length before the ratio
	// is taken and applied.
	Prenormalize bool `json:"prenormalize"`
	// Normalize scales the rows that the solver sees to unit length, after the
	// ratio was applied.
	Normalize bool `json:"normalize"`
	// Alpha smooths the counts of naive Bayes and the log-count ratio.
	Alpha float64 `json:"alpha"`
	// Beta is the weight of an nbsvm model's trained weights against their mean
	// magnitude. The bias is multiplied by it.
	Beta float64 `json:"beta"`
	// AutoBeta takes 0.75 for two classes and 1 for more, where the weights then
	// stay sparse. It gives way to a Beta that is neither: to have one of these two
	// whatever the number of classes, turn it off.
	AutoBeta bool `json:"auto_beta"`
	// Gamma is the weight of the mean of all other classes' documents, which is taken from that of a rocchio model's
	// class.
	Gamma float64 `json:"gamma,omitempty"`
	// NormalizeWeights divides the weights of a cnb model's class by the sum of their magnitudes.
	NormalizeWeights bool `json:"normalize_weights,omitempty"`
	// Neighbours is how many documents vote in a knn model.
	Neighbours int `json:"neighbours,omitempty"`
	// Similarity is by what a knn model compares documents.
	Similarity Similarity `json:"similarity,omitempty"`
	// Votes is what the vote of a knn model's neighbour counts.
	Votes Votes `json:"votes,omitempty"`
	// Trees are options of gbdt models; other models have none.
	Trees boost.Options `json:"trees,omitzero"`
	// Loss is hinge, squared-hinge or logistic; empty stands for logistic where
	// Kind is, and for squared-hinge otherwise.
	Loss string `json:"loss"`
	// C is the cost of a document's loss against the regularisation. DefaultC says which suits the loss.
	C float64 `json:"C"`
	// Tol is the relative duality gap at which training stops.
	Tol       float64 `json:"tol"`
	MaxEpochs int     `json:"max_epochs"`
	// HoldOut is the share of documents on which the number of epochs is chosen that an online model is trained for on
	// all of them, or that of rounds of a gbdt model; 0 for MaxEpochs, or for all rounds.
	HoldOut float64 `json:"hold_out,omitempty"`
	// Bias is the value of the constant feature; 0 for none.
	Bias        float64     `json:"bias"`
	ClassWeight ClassWeight `json:"class_weight"`
	// Calibrate fits probabilities to margins of held-out documents: a sigmoid where there are two classes, or any
	// number of labels a document; a temperature where one of several classes is predicted.
	Calibrate bool `json:"calibrate"`
	// Hierarchy says that labels are paths, and how they are learned.
	Hierarchy Hierarchy `json:"hierarchy,omitzero"`
	// Seed of the hash function, of the solver's permutations and of folds.
	Seed uint64 `json:"seed"`
	// KeepRatio stores the ratio even where scoring does without; exporting the
	// solver's matrix needs it.
	KeepRatio bool `json:"keep_ratio"`
	// NamesLimit caps the dictionary of n-gram names in the model.
	NamesLimit int `json:"names_limit"`

	// Memory is about how many bytes training may take; 0 for as many as it does. Rows that
	// don't fit are read from a file in every epoch; the model then depends on how many fit.
	// That file, in Temp, takes about as much room as the corpus.
	Memory int64 `json:"memory,omitempty"`

	// What follows does not change the model. Temp is the folder for files that training needs; "" is the system's.
	Temp string `json:"-"`
	// Valid, where not nil, are labelled documents on which an online model is evaluated after every epoch, and a gbdt
	// model after every ten rounds: the weights of the best one are taken, or the trees up to it. HoldOut goes before.
	Valid *corpus.Input `json:"-"`
	// Review, where not nil, is filled in with what is odd about the training set.
	Review *Review `json:"-"`
	// Threads to use; 0 for all processors.
	Threads int `json:"-"`
	// Progress, where not nil, is told how far the work is. Calls come one at a
	// time, from changing goroutines.
	Progress func(corpus.Progress) `json:"-"`
	// Checkpoint lets Train go on where it was stopped; others take no notice of it.
	Checkpoint Checkpoint `json:"-"`
}

// DefaultOptions returns the options that hold where nothing else is said.
func DefaultOptions() Options {
	text := hashing.DefaultOptions()
	text.Bits = 24
	return Options{
		Kind: NBSVM, Text: text, AutoNgrams: true, AutoBeta: true, MinDF: 2, MaxDF: 1, Values: Binary,
		Normalize: true, Alpha: 1, Beta: betaOfMore, C: 1, Tol: 1e-3, MaxEpochs: 1000, Bias: 1,
		Seed: 1, NamesLimit: 2000, Trees: boost.DefaultOptions(),
		Neighbours: 30, Similarity: Cosine, Votes: VoteBySimilarity,
	}
}

// chosen returns the options with nothing left to the dataset for which they have values of their own.
func (o Options) chosen() Options {
	if o.Text.Tokenizer == hashing.Word && (o.Text.NgramLo != 1 || o.Text.NgramHi != 2) {
		o.AutoNgrams = false
	}
	if o.Beta != betaOfTwo && o.Beta != betaOfMore {
		o.AutoBeta = false
	}
	return o
}

// What Options.AutoBeta takes for two classes, and for more.
const (
	betaOfTwo  = 0.75
	betaOfMore = 1
)

// DefaultMaxEpochs is the MaxEpochs that suits the kind of model. The zero value of MaxEpochs is not replaced by it.
func (o *Options) DefaultMaxEpochs() int {
	if l, ok := can[epochLearner](o.Kind); ok {
		return l.epochs()
	}
	return 1000
}

// DefaultValues are the Values and the SublinearTF that suit the kind of model. They do not replace those of options,
// but ready-made features are taken as they are where options have these.
func (o *Options) DefaultValues() (values Values, sublinear bool) {
	if l, ok := can[valuer](o.Kind); ok {
		return l.values(o)
	}
	return Binary, false
}

// usualValues says whether values are those that suit the kind of model.
func (o *Options) usualValues() bool {
	values, sublinear := o.DefaultValues()
	return o.Values == values && o.SublinearTF == sublinear
}

// DefaultC is the C that suits the loss: logistic loss, which is never 0, takes more. The zero value of C is not replaced
// by it.
func (o *Options) DefaultC() float64 {
	if o.Loss == solver.Logistic.String() || o.Loss == "" && o.Kind == Logistic {
		return 16
	}
	return 1
}

// Validate reports the first option that is out of its range or contradicts another.
func (o *Options) Validate() error {
	if err := o.Text.Validate(); err != nil {
		return err
	}
	if o.Kind.learner() == nil {
		return fmt.Errorf("nbsvm: unknown model %q, want one of %v", o.Kind, Kinds())
	}
	switch o.Values {
	case Binary, Count, TFIDF:
	default:
		return fmt.Errorf("nbsvm: unknown values %q, want binary, count or tfidf", o.Values)
	}
	if o.SublinearTF && o.Values == Binary {
		return errors.New("nbsvm: sublinear-tf needs values count or tfidf, not binary")
	}
	if l, ok := can[checker](o.Kind); ok {
		if err := l.check(o); err != nil {
			return err
		}
	}
	if err := o.checkRanges(); err != nil {
		return err
	}
	if o.KeepRatio {
		if err := o.Kind.CheckTakes("keep-ratio"); err != nil {
			return err
		}
	}
	if o.Checkpoint.Path != "" && !o.Kind.Solved() {
		return fmt.Errorf("nbsvm: model %s keeps no checkpoint; %s", o.Kind, takenBy("loss"))
	}
	if err := o.checkHierarchy(); err != nil {
		return err
	}
	if err := o.checkLoss(); err != nil {
		return err
	}
	return o.solverOptions().Validate()
}

// checkRanges refuses numbers that are out of their ranges.
func (o *Options) checkRanges() error {
	for _, option := range []struct {
		name    string
		value   any
		inRange bool
		must    string
	}{
		{"min-df", o.MinDF, o.MinDF >= 1 && o.MinDF <= math.MaxInt32, "1 document or more"},
		{"max-df", o.MaxDF, o.MaxDF > 0 && o.MaxDF <= math.MaxInt32, "a share of the documents up to 1, or a number of them above 1"},
		{"alpha", o.Alpha, o.Alpha >= 1e-12 && o.Alpha <= 1e9, "from 1e-12 to 1e9"},
		{"beta", o.Beta, o.Beta == 0 || o.Beta >= 1e-12 && o.Beta <= 1, "0, or from 1e-12 to 1"},
		{"C", o.C, o.C >= 1e-12 && o.C <= 1e12, "from 1e-12 to 1e12"},
		{"gamma", o.Gamma, o.Gamma >= 0 && o.Gamma <= 1, "from 0 to 1"},
		{
			"hold-out", o.HoldOut, o.HoldOut == 0 || o.HoldOut >= 0.001 && o.HoldOut <= 0.5,
			"0, or a share of the documents from 0.001 to 0.5",
		},
		{"bias", o.Bias, o.Bias == 0 || o.Bias >= 1e-6 && o.Bias <= 1e6, "0 (none), or from 1e-6 to 1e6"},
		{"memory", o.Memory, o.Memory >= 0, "a number of bytes, or 0 for no limit"},
		{"threads", o.Threads, o.Threads >= 0, "1 or more, or 0 for all processors"},
		{"every", o.Checkpoint.Every, o.Checkpoint.Every >= 0, "a duration of 0 or more"},
		{"names", o.NamesLimit, o.NamesLimit >= 0, "0 or more"},
	} {
		if !option.inRange {
			return fmt.Errorf("nbsvm: %s must be %s, got %v", option.name, option.must, option.value)
		}
	}
	if o.ClassWeight.Balanced && len(o.ClassWeight.Weights) > 0 {
		return errors.New("nbsvm: class-weight is either balanced or lists labels, not both")
	}
	for label, w := range o.ClassWeight.Weights {
		if w != 0 && !(w >= 1e-9 && w <= 1e9) {
			return fmt.Errorf("nbsvm: the weight of class %q must be 0, or from 1e-9 to 1e9, got %v", label, w)
		}
	}
	return nil
}

// checkLoss refuses a loss that does not exist, or that the model does not minimize.
func (o *Options) checkLoss() error {
	if o.Loss == "" {
		return nil
	}
	l, ok := can[minimizer](o.Kind)
	if !ok {
		return o.Kind.CheckTakes("loss")
	}
	var loss solver.Loss
	if err := loss.UnmarshalText([]byte(o.Loss)); err != nil {
		return err
	}
	if !slices.Contains(l.losses(), loss) {
		return fmt.Errorf("nbsvm: the loss of model %s is %s, not %s: take model svm", o.Kind, l.losses()[0], o.Loss)
	}
	return nil
}

// solverOptions are the options, which must be valid, as far as the solver knows them.
func (o *Options) solverOptions() solver.Options {
	so := solver.DefaultOptions()
	so.Tol, so.MaxEpochs, so.Bias, so.Seed = o.Tol, o.MaxEpochs, o.Bias, o.Seed
	if l, ok := can[minimizer](o.Kind); ok {
		so.Loss = l.losses()[0]
	}
	if o.Loss != "" {
		_ = so.Loss.UnmarshalText([]byte(o.Loss)) // no error: the options are valid
	}
	return so
}

// SolverLoss is the loss that the solver minimizes, with the options' defaults.
func (o *Options) SolverLoss() solver.Loss { return o.solverOptions().Loss }

// calibrates says whether probabilities are fitted to margins of held-out documents.
func (o *Options) calibrates() bool { return o.Calibrate && o.Kind.Takes("calibrate") }

func (o *Options) threads() int { return ordered.Threads(o.Threads) }

// counted says whether occurrences matter, not only presence.
func (o *Options) counted() bool { return o.Values != Binary }

// ParseClassWeight reads "balanced" or "LABEL=W,LABEL=W,…"; a label may itself
// contain "=", as the last one counts.
func ParseClassWeight(text string) (ClassWeight, error) {
	switch text {
	case "":
		return ClassWeight{}, nil
	case "balanced":
		return ClassWeight{Balanced: true}, nil
	}
	weights := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		cut := strings.LastIndexByte(part, '=')
		if cut < 0 {
			return ClassWeight{}, fmt.Errorf("nbsvm: class weight %q has no =: give balanced, or LABEL=WEIGHT,…", part)
		}
		w, err := strconv.ParseFloat(part[cut+1:], 64)
		if err != nil || math.IsNaN(w) || w < 0 {
			return ClassWeight{}, fmt.Errorf("nbsvm: class weight %q: the weight must be 0 or more, got %q", part, part[cut+1:])
		}
		weights[part[:cut]] = w
	}
	return ClassWeight{Weights: weights}, nil
}
