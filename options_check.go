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

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
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
		Normalize: true, Clip: true, Alpha: 1, AlphaBySize: true, Tol: 1e-3, Bias: 1,
		Seed: 1, NamesLimit: 2000, Trees: TreeOptions{Rounds: trees.Rounds, Depth: trees.Depth, Rate: trees.Rate},
		Neighbours: 30, Tree: AutoTree,
	}
}

// begin returns the options that training begins with: valid ones, of which nothing is left open but what the documents
// decide, and which suit the input and the model to update.
func (o Options) begin(in corpus.Input) (Options, error) {
	o = o.forKind()
	o.Text.Seed = o.Seed
	o, err := o.ofKind(in)
	if err != nil {
		return o, err
	}
	if o, err = o.follow(); err != nil {
		return o, err
	}
	o = o.named()
	return o, o.check()
}

// named returns options without AutoKind if other fields decide what it would.
func (o Options) named() Options {
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
	usual := o.usual()
	o.Values, o.C = cmp.Or(o.Values, usual.Values), cmp.Or(o.C, usual.C)
	o.MaxEpochs = cmp.Or(o.MaxEpochs, usual.MaxEpochs)
	return o
}

// usual returns what Values, C and MaxEpochs are for the kind of model if they are zero. Logistic loss is never 0, and
// so needs a larger C.
func (o *Options) usual() Options {
	t := o.Kind.traits()
	usual := Options{Values: cmp.Or(t.values, Binary), C: 1, MaxEpochs: cmp.Or(t.epochs, 1000)}
	if usual.Values == ByWord && (o.Prenormalize || !o.Text.ByWord() && !o.leavesOrders()) {
		usual.Values = Binary
	}
	switch {
	case o.Kind == Ordinal && o.loss() == solver.Hinge:
		usual.C = 0.25
	case o.Kind == Ordinal:
	case o.Kind.Numbers() && o.loss() == solver.Logistic: // all of these cross-validate best, see docs/explanation/defaults.md
		usual.C = 4
	case o.Kind.Numbers():
		usual.C = 0.5
	case o.loss() == solver.Logistic:
		usual.C = 16
	}
	return usual
}

// ofKind returns the options with the orders of n-grams that suit the kind of model, where these are left to the
// documents. A packed corpus has its n-grams already.
func (o Options) ofKind(in corpus.Input) (Options, error) {
	if !o.Kind.traits().unigrams || !o.leavesOrders() {
		return o, nil
	}
	_, packed, err := dataset.PackedPaths(in)
	if err == nil && !packed {
		o = o.withOrders(1, 1)
	}
	return o, err
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
	usual := o.usual()
	if o.Values == usual.Values {
		o.Values = ""
	}
	if o.C == usual.C {
		o.C = 0
	}
	if o.MaxEpochs == usual.MaxEpochs {
		o.MaxEpochs = 0
	}
	return o
}

// Validate returns an error for the first option that is out of range or contradicts another, and nil if there is
// none.
func (o Options) Validate() error {
	o = o.forKind()
	return o.check()
}

// check does the work of Validate for options that leave nothing to the kind of model.
func (o *Options) check() error {
	switch {
	case o.Kind == "":
		return fmt.Errorf("nbsvm: no model is named: start from DefaultOptions, or name one of %v", Kinds())
	case o.Kind.traits().learner == nil:
		return fmt.Errorf("nbsvm: unknown model %q: use one of %v", o.Kind, Kinds())
	case o.Threads < 0:
		return fmt.Errorf("nbsvm: Options.Threads must be 1 or more, or 0 for all processors, got %d", o.Threads)
	}
	for _, p := range table {
		if err := p.validate(o); err != nil {
			return err
		}
	}
	return nil
}

// checkValues refuses values of features that do not suit the kind of model.
func checkValues(o *Options) error {
	switch {
	case o.Values == ByWord && o.Kind.traits().values != ByWord:
		return fmt.Errorf("nbsvm: values by-word are for models that have log-count ratios (nbsvm, nbsvr, ordinal), not for model %s: leave out Options.Values", o.Kind)
	case o.Values == ByWord && o.Prenormalize:
		return errors.New("nbsvm: documents whose values are by-word have no unit length before the ratio: leave out Options.Prenormalize or Options.Values")
	case !o.Kind.traits().presence:
		return nil
	case o.Values != Binary:
		return fmt.Errorf("nbsvm: model %s needs binary values, not %s: leave out Options.Values, or use model mnb",
			o.Kind, o.Values)
	case o.Prenormalize:
		return fmt.Errorf("nbsvm: model %s only considers whether features occur, so Options.Prenormalize must be off",
			o.Kind)
	}
	return nil
}

// checkClassWeight refuses weights that are out of range, or beside balanced ones.
func checkClassWeight(o *Options) error {
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

// checkLoss refuses a loss that the model does not minimize.
func checkLoss(o *Options) error {
	losses := o.Kind.traits().losses
	if slices.Contains(losses, o.loss()) {
		return nil
	}
	var others []Kind
	for _, t := range kinds {
		if slices.Contains(t.losses, o.loss()) {
			others = append(others, t.kind)
		}
	}
	return fmt.Errorf("nbsvm: the loss of model %s is %s, not %s: use model %s", o.Kind,
		listed(convert(losses, solver.Loss.String), "or"), o.Loss, listed(o.Kind.alike(others), "or"))
}

// checkBias refuses a model of thresholds without any.
func checkBias(o *Options) error {
	if o.Bias == 0 && o.Kind == Ordinal {
		return errors.New("nbsvm: the thresholds of model ordinal are biases, and Options.Bias is 0: leave it out")
	}
	return nil
}

// checkEpsilon refuses a tolerance of a loss that has none.
func checkEpsilon(o *Options) error {
	if o.Epsilon > 0 && o.loss() == solver.Logistic {
		return fmt.Errorf("nbsvm: Options.Epsilon has no effect with logistic loss: leave it out, or use Options.Loss %s", solver.SquaredEpsilonInsensitive)
	}
	return nil
}

// checkClip refuses predictions beyond the range where there can't be any.
func checkClip(o *Options) error {
	if !o.Clip && o.Kind.takes("clip") && o.loss() == solver.Logistic {
		return fmt.Errorf("nbsvm: with logistic loss predictions are always in the range of the numbers: leave out Options.Clip false, or use Options.Loss %s", solver.SquaredEpsilonInsensitive)
	}
	return nil
}

// checkRange refuses a range without numbers between its ends.
func checkRange(o *Options) error {
	least, most := o.Range[0], o.Range[1]
	if o.Range != [2]float64{} && !(least >= -1e30 && least < most && most <= 1e30) {
		return fmt.Errorf("nbsvm: Options.Range must be %s, got %v,%v", numberRanges, least, most)
	}
	return nil
}

// checkHierarchy refuses separators that no label can have.
func checkHierarchy(o *Options) error {
	if !utf8.ValidString(o.Hierarchy) {
		return fmt.Errorf("nbsvm: Options.Hierarchy must be UTF-8, got %q", o.Hierarchy)
	}
	return nil
}

// checkTree refuses what does not go together with a tree.
func checkTree(o *Options) error {
	switch {
	case o.Tree != AlwaysTree:
		return nil
	case o.Hierarchy != "":
		return errors.New("nbsvm: Options.Hierarchy has a tree already: leave out Options.Tree")
	case len(o.ClassWeight.Weights) > 0:
		return errors.New("nbsvm: a tree can't weight single classes: leave out Options.Tree or Options.ClassWeight")
	}
	return nil
}

// loss returns the loss that is minimized, if the kind of model has a solver.
func (o *Options) loss() solver.Loss {
	loss := solver.DefaultOptions().Loss
	if losses := o.Kind.traits().losses; losses != nil {
		loss = losses[0]
	}
	if o.Loss != "" {
		_ = loss.UnmarshalText([]byte(o.Loss)) // no error: the options are valid
	}
	return loss
}

// solverOptions returns the options of the solver. The options must be valid.
func (o *Options) solverOptions() solver.Options {
	so := solver.DefaultOptions()
	so.Loss, so.Tol, so.MaxEpochs, so.Bias, so.Seed = o.loss(), o.Tol, o.MaxEpochs, o.Bias, o.Seed
	if o.Kind.takes("epsilon") {
		so.Epsilon = o.Epsilon
	}
	return so
}

// calibrates reports whether probabilities are fitted to margins of held-out documents.
func (o *Options) calibrates() bool { return o.Calibrate && o.Kind.takes("calibrate") }

func (o *Options) threads() int { return par.Threads(o.Threads) }

// counted reports whether occurrences matter, not only presence.
func (v Values) counted() bool { return v != Binary && v != ByWord }

// valuesOf returns what values are of text: without n-grams within words, ByWord is Binary.
func (o *Options) valuesOf(text hashing.Options) Values {
	if o.Values == ByWord && !text.ByWord() {
		return Binary
	}
	return o.Values
}

// logs reports whether values have 1 + log(count) for count.
func (v Values) logs() bool { return v == LogCount || v == LogTFIDF }

// idf reports whether values are weighted by inverse document frequencies.
func (v Values) idf() bool { return v == TFIDF || v == LogTFIDF }

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
