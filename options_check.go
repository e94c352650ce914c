package nbsvm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/solver"
)

// String returns the flag's form: balanced, or LABEL=WEIGHT,…
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

// DefaultOptions returns Options with every field at its default.
func DefaultOptions() Options {
	trees := boost.DefaultOptions()
	text := hashing.DefaultOptions()
	text.Families = hashing.Families{} // orders are left to the documents
	return Options{
		Kind: AutoKind, Text: text, MaxDF: 1,
		Normalize: true, Alpha: 1, AlphaBySize: true, Tol: 1e-3, Bias: 1,
		Seed: 1, NamesLimit: 2000, Trees: TreeOptions{Rounds: trees.Rounds, Depth: trees.Depth, Rate: trees.Rate},
		Neighbours: 30, Tree: AutoTree,
	}
}

// chosen returns the options for their kind of model, and without AutoKind where other fields decide what it would.
func (o Options) chosen() Options {
	o = o.forKind()
	usual := DefaultOptions()
	if o.Loss != usual.Loss || o.Normalize != usual.Normalize || o.Prenormalize != usual.Prenormalize ||
		o.Alpha != usual.Alpha || o.AlphaBySize != usual.AlphaBySize || o.Beta != usual.Beta {
		o.Kind = o.Kind.ofText()
	}
	return o
}

// What a Beta of 0 stands for, with two classes and with more.
const (
	betaOfTwo  = 0.75
	betaOfMore = 1
)

// forKind replaces zeros by the defaults of the kind of model, and gives orders to n-grams of other tokens than words.
func (o Options) forKind() Options {
	all := o.Text.Families.List()
	for k := range all {
		switch f := &o.Text.Families[k]; {
		case f.NgramHi > 0:
			f.NgramLo = max(f.NgramLo, 1)
		case f.Tokenizer == hashing.Word:
		case !f.Tokenizer.Characters():
			f.NgramLo, f.NgramHi = 1, 2
		case len(all) == 1:
			f.NgramLo, f.NgramHi = 1, longestOfChars
		default:
			f.NgramLo, f.NgramHi = 2, longestOfChars
		}
	}
	if o.Values == "" {
		o.Values = o.usualValues()
	}
	if o.C == 0 {
		o.C = o.usualC()
	}
	if o.MaxEpochs == 0 {
		o.MaxEpochs = o.usualMaxEpochs()
	}
	return o
}

// leavesOrders reports whether the orders of n-grams of words are left to the documents.
func (o *Options) leavesOrders() bool {
	return o.Text.Families[0].Tokenizer == hashing.Word && o.Text.Families[0].NgramHi == 0
}

// withOrders returns the options with these orders of words, if they are left to the documents.
func (o Options) withOrders(lo, hi int) Options {
	if o.leavesOrders() {
		o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = lo, hi
	}
	return o
}

// leftToKind returns the opposite of forKind.
func (o Options) leftToKind() Options {
	if o.Values == o.usualValues() {
		o.Values = ""
	}
	if o.C == o.usualC() {
		o.C = 0
	}
	if o.MaxEpochs == o.usualMaxEpochs() {
		o.MaxEpochs = 0
	}
	return o
}

func (o *Options) usualMaxEpochs() int {
	if o.Kind.Online() {
		return 10
	}
	return 1000
}

func (o *Options) usualValues() Values { return o.Kind.traits().values }

// usualC returns the default of C for the loss. Logistic loss is never 0, and so needs a larger C.
func (o *Options) usualC() float64 {
	if o.Loss == solver.Logistic.String() || o.Loss == "" && o.Kind == Logistic {
		return 16
	}
	return 1
}

// Validate returns an error for the first option that is out of range or contradicts another, and nil if there is
// none.
func (o Options) Validate() error {
	o = o.forKind()
	if o.Kind == "" {
		return fmt.Errorf("nbsvm: no model is named: start from DefaultOptions, or name one of %v", Kinds())
	}
	if b := o.Text.Bits; b < hashing.MinBits || b > hashing.MaxKeyBits {
		return fmt.Errorf("nbsvm: bits must be %d to %d, got %d", hashing.MinBits, hashing.MaxKeyBits, b)
	}
	if err := o.withOrders(1, 2).Text.Validate(); err != nil {
		return err
	}
	if o.Kind.traits().learner == nil {
		return fmt.Errorf("nbsvm: unknown model %q: use one of %v", o.Kind, Kinds())
	}
	if !slices.Contains([]Values{Binary, Count, LogCount, TFIDF, LogTFIDF}, o.Values) {
		return fmt.Errorf("nbsvm: unknown Options.Values %q: use binary, count, log-count, tfidf or log-tfidf",
			o.Values)
	}
	if o.Kind.traits().presence {
		switch {
		case o.Values != Binary:
			return fmt.Errorf("nbsvm: model %s needs binary values, not %s: leave out Options.Values, or use model mnb",
				o.Kind, o.Values)
		case o.Prenormalize:
			return fmt.Errorf("nbsvm: model %s only considers whether features occur, so Options.Prenormalize must be off",
				o.Kind)
		}
	}
	var notTaken error
	if o.MaxModel > 0 {
		notTaken = o.Kind.checkTakes("max-model")
	}
	return cmp.Or(o.checkRanges(), notTaken, o.checkHierarchy(), o.checkTree(), o.checkLoss(),
		o.solverOptions().Validate())
}

// checkRanges refuses numbers that are out of their ranges.
func (o *Options) checkRanges() error {
	for _, p := range table {
		if err := p.check(o); err != nil {
			return err
		}
	}
	if o.Threads < 0 {
		return fmt.Errorf("nbsvm: Options.Threads must be 1 or more, or 0 for all processors, got %d", o.Threads)
	}
	if o.ClassWeight.Balanced && len(o.ClassWeight.Weights) > 0 {
		return errors.New("nbsvm: Options.ClassWeight is either balanced or lists labels, not both")
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
	losses := o.Kind.losses()
	if losses == nil {
		return o.Kind.checkTakes("loss")
	}
	var loss solver.Loss
	if err := loss.UnmarshalText([]byte(o.Loss)); err != nil {
		return err
	}
	if !slices.Contains(losses, loss) {
		return fmt.Errorf("nbsvm: the loss of model %s is %s, not %s: use model svm", o.Kind, losses[0], o.Loss)
	}
	return nil
}

// solverOptions returns the options of the solver. The options must be valid.
func (o *Options) solverOptions() solver.Options {
	so := solver.DefaultOptions()
	so.Tol, so.MaxEpochs, so.Bias, so.Seed = o.Tol, o.MaxEpochs, o.Bias, o.Seed
	if losses := o.Kind.losses(); losses != nil {
		so.Loss = losses[0]
	}
	if o.Loss != "" {
		_ = so.Loss.UnmarshalText([]byte(o.Loss)) // no error: the options are valid
	}
	return so
}

// calibrates reports whether probabilities are fitted to margins of held-out documents.
func (o *Options) calibrates() bool { return o.Calibrate && o.Kind.takes("calibrate") }

func (o *Options) threads() int { return par.Threads(o.Threads) }

// counted reports whether occurrences matter, not only presence.
func (o *Options) counted() bool { return o.Values != Binary }

// logs reports whether values have 1 + log(count) for count.
func (v Values) logs() bool { return v == LogCount || v == LogTFIDF }

// idf reports whether values are weighted by inverse document frequencies.
func (v Values) idf() bool { return v == TFIDF || v == LogTFIDF }

// checkHierarchy refuses values out of range, and options that do not go together with paths.
func (o *Options) checkHierarchy() error {
	switch {
	case o.Hierarchy == "":
		return nil
	case !utf8.ValidString(o.Hierarchy):
		return fmt.Errorf("nbsvm: Options.Hierarchy must be UTF-8, got %q", o.Hierarchy)
	case !learn.HasPaths(o.Kind.traits().learner):
		return fmt.Errorf("nbsvm: model %s has no output for each node of a hierarchy: use a linear model, such as %s",
			o.Kind, NBSVM)
	}
	return nil
}

// hasPaths reports whether each document of a dataset has one label, which is a path in a tree.
func (o *Options) hasPaths(ds *dataset.Dataset) bool { return o.Hierarchy != "" && !ds.Classes.Multi }

// parseClassWeight parses "balanced" or "LABEL=WEIGHT,LABEL=WEIGHT,…". A label may contain "=": the weight follows the
// last one.
func parseClassWeight(text string) (ClassWeight, error) {
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
			return ClassWeight{}, fmt.Errorf("nbsvm: class weight %q: the weight must be 0 or more, got %q",
				part, part[cut+1:])
		}
		label := part[:cut]
		if _, again := weights[label]; again {
			return ClassWeight{}, fmt.Errorf("nbsvm: class weight of %q is given twice", label)
		}
		weights[label] = w
	}
	return ClassWeight{Weights: weights}, nil
}
