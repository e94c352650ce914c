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
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Kind names a kind of model.
type Kind string

// Values names the value of a feature in a document.
type Values string

// The values a feature can have.
const (
	Binary Values = "binary" // 1 where it occurs
	Count  Values = "count"  // its number of occurrences
	TFIDF  Values = "tfidf"  // that, times log((1+n)/(1+df)) + 1
)

// ClassWeight multiplies the cost of errors on documents by class.
type ClassWeight struct {
	// Balanced weights each class by n/(K·n_k), for n documents in K classes, n_k of them in this class.
	Balanced bool `json:"balanced,omitempty"`
	// Weights are factors by class; classes that are not listed have 1.
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

// Options say how a model is trained. DefaultOptions sets every field to its default; zero values are taken as they are.
//
// Options go through three states. As given, some fields may be left to the documents (AutoNgrams, AutoBeta, an empty
// Loss). Method chosen drops what is left open where other fields decide it. Method resolve settles the rest for a
// dataset, and clears the fields that the kind of model does not take; these are the options that a model records.
type Options struct {
	Kind Kind            `json:"model"`
	Text hashing.Options `json:"text"`
	// AutoNgrams takes word n-grams of orders 1 to 3 where the training set has at least 3 MB of text for each class, else
	// 1 to 2. A knn model takes single words, unless the corpus is packed. AutoNgrams has no effect if Text has orders
	// other than 1 to 2; turn it off to have exactly 1 to 2.
	AutoNgrams bool `json:"auto_ngrams"`
	// MinDF leaves out n-grams that occur in fewer documents.
	MinDF int `json:"min_df"`
	// MaxDF leaves out n-grams that occur in more documents: a share of them up to 1, a number of them above 1.
	MaxDF  float64 `json:"max_df"`
	Values Values  `json:"values"`
	// SublinearTF replaces counts by 1+log(count), for values count and tfidf.
	SublinearTF bool `json:"sublinear_tf"`
	// Prenormalize scales each document to unit length before the ratio is computed and applied.
	Prenormalize bool `json:"prenormalize"`
	// Normalize scales the rows that the solver sees to unit length, after the ratio was applied.
	Normalize bool `json:"normalize"`
	// Alpha is added to the counts of naive Bayes and of the log-count ratio.
	Alpha float64 `json:"alpha"`
	// Beta interpolates an nbsvm model's weights between their mean magnitude (0) and what was trained (1). The bias is
	// multiplied by it.
	Beta float64 `json:"beta"`
	// AutoBeta takes 0.75 for two classes and 1 for more, where weights then stay sparse. It has no effect if Beta is
	// neither; turn it off to have one of the two whatever the number of classes.
	AutoBeta bool `json:"auto_beta"`
	// Gamma is how much of the mean of all other documents is subtracted from the mean of a rocchio model's class.
	Gamma float64 `json:"gamma,omitempty"`
	// NormalizeWeights divides the weights of each class of a cnb model by the sum of their magnitudes.
	NormalizeWeights bool `json:"normalize_weights,omitempty"`
	// Neighbours is how many documents vote in a knn model.
	Neighbours int `json:"neighbours,omitempty"`
	// Similarity is how a knn model compares documents.
	Similarity Similarity `json:"similarity,omitempty"`
	// Votes is how much the vote of a knn model's neighbour counts.
	Votes Votes `json:"votes,omitempty"`
	// Trees are the options of gbdt models.
	Trees boost.Options `json:"trees,omitzero"`
	// Loss is hinge, squared-hinge or logistic. Empty is logistic for model logistic, and squared-hinge for others.
	Loss string `json:"loss"`
	// C weights the loss against the regularization. DefaultC returns the value that suits the loss.
	C float64 `json:"C"`
	// Tol is the relative duality gap at which training stops.
	Tol       float64 `json:"tol"`
	MaxEpochs int     `json:"max_epochs"`
	// HoldOut is the share of documents that are held out to choose the number of epochs of an online model, or of rounds
	// of a gbdt model. The model is then trained on all documents. 0 stands for MaxEpochs, or for all rounds.
	HoldOut float64 `json:"hold_out,omitempty"`
	// Bias is the value of the constant feature; 0 for none.
	Bias        float64     `json:"bias"`
	ClassWeight ClassWeight `json:"class_weight"`
	// Calibrate fits probabilities to margins of held-out documents: a sigmoid for two classes, or for any number of labels
	// per document; a temperature for one of several classes.
	Calibrate bool `json:"calibrate"`
	// Hierarchy says whether labels are paths, and how they are learned.
	Hierarchy Hierarchy `json:"hierarchy,omitzero"`
	// Seed of the hash function, of the solver's permutations and of folds.
	Seed uint64 `json:"seed"`
	// KeepRatio stores the ratio even if scoring does not need it. Exporting the solver's matrix needs it.
	KeepRatio bool `json:"keep_ratio"`
	// NamesLimit is about how many features of the model are given names.
	NamesLimit int `json:"names_limit"`

	// Memory is about how many bytes training may take; 0 for no limit. Rows that do not fit are read in every epoch from
	// a file in Temp, which is about as large as the corpus. The model then depends on how many rows fit.
	Memory int64 `json:"memory,omitempty"`

	// The fields from here on are not recorded. Temp is the folder for temporary files; "" is the system's.
	Temp string `json:"-"`
	// Valid, if not nil, are labelled documents on which an online model is evaluated after every epoch, and a gbdt model
	// after every ten rounds. The best epoch or round becomes the model. HoldOut takes precedence.
	Valid *corpus.Input `json:"-"`
	// Review, if not nil, is filled with what is suspicious about the training set.
	Review *Review `json:"-"`
	// Threads is how many threads to use; 0 for all processors.
	Threads int `json:"-"`
	// Progress, if not nil, is called with the progress of the work: one call at a time, from changing goroutines.
	Progress func(corpus.Progress) `json:"-"`
	// Checkpoint lets Train continue where it was stopped.
	Checkpoint Checkpoint `json:"-"`
}

// DefaultOptions returns the default options.
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

// chosen returns the options without AutoNgrams and AutoBeta where other fields decide what these would.
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
	if o.Kind == "" {
		return fmt.Errorf("nbsvm: no model is named: start from DefaultOptions, or name one of %v", Kinds())
	}
	if err := o.Text.Validate(); err != nil {
		return err
	}
	if o.Kind.learner() == nil {
		return fmt.Errorf("nbsvm: unknown model %q: use one of %v", o.Kind, Kinds())
	}
	switch o.Values {
	case Binary, Count, TFIDF:
	default:
		return fmt.Errorf("nbsvm: unknown values %q: use binary, count or tfidf", o.Values)
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
	for _, p := range slices.Concat(options, runOptions) {
		if err := p.check(o); err != nil {
			return err
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
