package train

import (
	"cmp"
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
	"github.com/seed-167f963f/nbsvm/internal/model"
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

// Options say how a model is trained. The fields are those of nbsvm.Options, which says what each means, in which units
// and ranges. DefaultOptions sets every field to its default; zero values are taken as they are.
//
// Options go through three states. As given, some fields may be left to the documents (AutoNgrams, AutoMinDF, AutoBeta, an
// empty Loss). Method chosen drops what is left open where other fields decide it. Method resolve settles the rest for a
// dataset, and clears the fields that the kind of model does not take; these are the options that a model records.
type Options struct {
	Kind             Kind            `json:"model"`
	AutoKind         bool            `json:"auto_model"`
	Text             hashing.Options `json:"text"`
	AutoNgrams       bool            `json:"auto_ngrams"`
	MinDF            int             `json:"min_df"`
	AutoMinDF        bool            `json:"auto_min_df"`
	MaxDF            float64         `json:"max_df"`
	Values           Values          `json:"values"`
	SublinearTF      bool            `json:"sublinear_tf"`
	Prenormalize     bool            `json:"prenormalize"`
	Normalize        bool            `json:"normalize"`
	Alpha            float64         `json:"alpha"`
	AlphaBySize      bool            `json:"alpha_by_size"`
	Beta             float64         `json:"beta"`
	AutoBeta         bool            `json:"auto_beta"`
	Gamma            float64         `json:"gamma,omitempty"`
	NormalizeWeights bool            `json:"normalize_weights,omitempty"`
	Neighbours       int             `json:"neighbours,omitempty"`
	Similarity       Similarity      `json:"similarity,omitempty"`
	Votes            Votes           `json:"votes,omitempty"`
	Trees            boost.Options   `json:"trees,omitzero"`
	Loss             string          `json:"loss"`
	C                float64         `json:"C"`
	Tol              float64         `json:"tol"`
	MaxEpochs        int             `json:"max_epochs"`
	HoldOut          float64         `json:"hold_out,omitempty"`
	Bias             float64         `json:"bias"`
	ClassWeight      ClassWeight     `json:"class_weight"`
	Calibrate        bool            `json:"calibrate"`
	Prune            float64         `json:"prune,omitempty"`
	MinWeight        float64         `json:"min_weight,omitempty"`
	MaxModel         int64           `json:"max_model,omitempty"`
	Negatives        Negatives       `json:"negatives,omitempty"`
	Hierarchy        Hierarchy       `json:"hierarchy,omitzero"`
	Tree             Tree            `json:"tree,omitempty"`
	Seed             uint64          `json:"seed"`
	KeepRatio        bool            `json:"keep_ratio"`
	NamesLimit       int             `json:"names_limit"`
	Memory           int64           `json:"memory,omitempty"`

	// The fields from here on are not recorded.
	From       *model.Model          `json:"-"` // nil, or a model to learn on from
	PlainFolds bool                  `json:"-"` // of cross-validation: near-duplicates may be in several
	Temp       string                `json:"-"`
	Valid      *corpus.Input         `json:"-"`
	Review     *Review               `json:"-"` // nil, or to be filled in
	Threads    int                   `json:"-"`
	Progress   func(corpus.Progress) `json:"-"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	text := hashing.DefaultOptions()
	text.Bits = 24
	return Options{
		Kind: NBSVM, AutoKind: true, Text: text, AutoNgrams: true, AutoBeta: true, MinDF: leastMinDF, AutoMinDF: true, MaxDF: 1, Values: Binary,
		Normalize: true, Alpha: 1, AlphaBySize: true, Beta: betaOfMore, C: 1, Tol: 1e-3, MaxEpochs: 1000, Bias: 1,
		Seed: 1, NamesLimit: 2000, Trees: boost.DefaultOptions(),
		Neighbours: 30, Similarity: Cosine, Votes: VoteBySimilarity, Negatives: AutoNegatives, Tree: AutoTree,
		MinWeight: 0.1,
	}
}

// chosen returns the options without AutoKind, AutoNgrams, AutoMinDF and AutoBeta where other fields decide what these
// would.
func (o Options) chosen() Options {
	if o.Text.Tokenizer == hashing.Word && (o.Text.NgramLo != 1 || o.Text.NgramHi != 2) {
		o.AutoNgrams = false
	}
	if o.MinDF != leastMinDF {
		o.AutoMinDF = false
	}
	if o.Beta != betaOfTwo && o.Beta != betaOfMore {
		o.AutoBeta = false
	}
	usual := DefaultOptions()
	if o.Kind != usual.Kind || o.Loss != usual.Loss || o.Normalize != usual.Normalize || o.Prenormalize != usual.Prenormalize ||
		o.Alpha != usual.Alpha || o.AlphaBySize != usual.AlphaBySize || !o.AutoBeta || o.KeepRatio != usual.KeepRatio {
		o.AutoKind = false
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
	switch {
	case o.Values != Binary && o.Values != Count && o.Values != TFIDF:
		return fmt.Errorf("nbsvm: unknown values %q: use binary, count or tfidf", o.Values)
	case o.SublinearTF && o.Values == Binary:
		return errors.New("nbsvm: sublinear-tf needs values count or tfidf, not binary")
	}
	if l, ok := can[checker](o.Kind); ok {
		if err := l.check(o); err != nil {
			return err
		}
	}
	if o.Prune > 0 && o.MaxModel > 0 {
		return errors.New("nbsvm: prune and max-model both drop weights: give one of them")
	}
	var notTaken error
	if o.KeepRatio {
		notTaken = o.Kind.CheckTakes("keep-ratio")
	}
	if o.MaxModel > 0 {
		notTaken = cmp.Or(notTaken, o.Kind.CheckTakes("max-model"))
	}
	return cmp.Or(o.checkRanges(), notTaken, o.Negatives.check(), o.checkHierarchy(), o.checkTree(), o.checkLoss(),
		o.solverOptions().Validate())
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

// prunes says whether weights are dropped that held-out documents can do without.
func (o *Options) prunes() bool { return o.Prune > 0 && o.Kind.Takes("prune") }

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
		label := part[:cut]
		if _, again := weights[label]; again {
			return ClassWeight{}, fmt.Errorf("nbsvm: class weight of %q is given twice", label)
		}
		weights[label] = w
	}
	return ClassWeight{Weights: weights}, nil
}
