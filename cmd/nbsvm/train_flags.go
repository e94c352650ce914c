package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
)

// wordFlags say what a token is.
type wordFlags struct {
	Tokenizer   *hashing.Tokenizer `group:"text" placeholder:"NAME" help:"Kind of tokens: word, char, char-wb (characters within words) or space (default: ${tokenizer})."`
	Lowercase   *bool              `group:"text" negatable:"" help:"Lower-case the text (default: ${lowercase})."`
	Punctuation *bool              `group:"text" negatable:"" help:"Treat punctuation marks as tokens (default: ${punctuation})."`
	StripHTML   *bool              `group:"text" name:"strip-html" negatable:"" help:"Remove HTML tags (default: ${strip_html})."`
}

// tokenFlags say what a token is, and how many buckets there are for n-grams.
type tokenFlags struct {
	wordFlags
	Bits *int `group:"text" placeholder:"N" help:"Hash n-grams into 2^N buckets (default: ${bits})."`
}

// apply overwrites what the flags give.
func (f *tokenFlags) apply(o *hashing.Options) {
	if f.Tokenizer != nil {
		o.Tokenizer, o.More = *f.Tokenizer, hashing.MoreFamilies{}
	}
	set(&o.Lowercase, f.Lowercase)
	set(&o.Punctuation, f.Punctuation)
	set(&o.StripHTML, f.StripHTML)
	set(&o.Bits, f.Bits)
}

// trainFlags are the options of training. Every flag can say that it was not given, and the preset's value stays then.
type trainFlags struct {
	Preset string `group:"model" placeholder:"NAME" default:"${preset}" help:"Options to start from (default: ${preset})."`

	tokenFlags
	Ngrams       *ngrams  `group:"text" placeholder:"LO-HI" help:"Range of n-gram orders, or auto: words 1-3 if there are at least 3 MB of text per class, otherwise 1-2; characters 1-5; knn 1-1 (default: ${ngrams})."`
	Features     families `group:"text" placeholder:"TOKENIZER:LO-HI,…" help:"Several kinds of n-grams in one model, such as word:1-2,char-wb:2-5. Replaces --tokenizer and --ngrams."`
	MinDF        *int     `group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams that fewer documents contain (default: ${min_df})."`
	MaxDF        *float64 `group:"text" name:"max-df" placeholder:"X" help:"Drop n-grams that more documents contain: a share up to 1, a number above (default: ${max_df})."`
	Values       *string  `group:"text" placeholder:"KIND" help:"Feature values: binary, count or tfidf (default: ${values}; ${rocchio_values} for rocchio and for knn with cosine, count for knn with bm25)."`
	SublinearTF  *bool    `group:"text" name:"sublinear-tf" negatable:"" help:"Use 1+log(count) for count (default: ${sublinear_tf}; ${rocchio_sublinear_tf} for rocchio and for knn with cosine)."`
	Prenormalize *bool    `group:"text" negatable:"" help:"Scale rows to unit length before the ratio is applied (default: ${prenormalize})."`
	Normalize    *bool    `group:"text" negatable:"" help:"Scale rows to unit length after the ratio is applied (default: ${normalize})."`

	Model            *string  `group:"model" placeholder:"KIND" help:"Kind of model: ${models} (default: ${model})."`
	Loss             *string  `group:"model" placeholder:"NAME" help:"Loss: hinge, squared-hinge or logistic (default: logistic for model logistic, otherwise squared-hinge)."`
	C                *float64 `group:"model" name:"C" placeholder:"X" help:"Inverse regularization strength (default: ${C}; ${logistic_C} for logistic loss)."`
	Alpha            *float64 `group:"model" placeholder:"X" help:"Smoothing of the counts in the ratio (default: ${alpha})."`
	Beta             *beta    `group:"model" placeholder:"X" help:"Interpolation of trained weights with their mean magnitude, or auto: 0.75 for two classes, 1 for more (default: ${beta})."`
	Bias             *float64 `group:"model" placeholder:"X" help:"Value of the bias feature; 0 for no bias (default: ${bias})."`
	ClassWeight      *string  `group:"model" placeholder:"W" help:"Factors for C by class: balanced, or LABEL=X,LABEL=X,… (default: 1 each)."`
	Calibrate        *bool    `group:"model" negatable:"" help:"Fit probabilities on held-out folds (default: ${calibrate})."`
	Tol              *float64 `group:"model" placeholder:"X" help:"Stop at this relative duality gap (default: ${tol})."`
	MaxEpochs        *int     `group:"model" placeholder:"N" help:"Stop after at most N passes (default: ${max_epochs}; ${online_epochs} for perceptron and pa)."`
	Gamma            *float64 `group:"model" placeholder:"X" help:"rocchio: weight of the mean of the other classes (default: ${gamma})."`
	NormalizeWeights *bool    `group:"model" name:"normalize-weights" negatable:"" help:"cnb: divide the weights of a class by the sum of their magnitudes (default: ${normalize_weights})."`
	Neighbours       *int     `group:"model" placeholder:"K" help:"knn: number of nearest documents that vote (default: ${neighbours})."`
	Similarity       *string  `choices:"cosine,bm25" group:"model" placeholder:"NAME" help:"knn: cosine or bm25 (default: ${similarity})."`
	Votes            *string  `choices:"count,similarity" group:"model" placeholder:"NAME" help:"knn: weight of a vote: count (1 each) or similarity (default: ${votes})."`
	HoldOut          *float64 `group:"model" name:"hold-out" placeholder:"X" help:"perceptron, pa, gbdt: choose the number of passes or rounds on this share of the documents, then train on all (default: ${hold_out})."`
	Seed             *uint64  `group:"model" placeholder:"N" help:"Seed of hashing, permutations and folds (default: ${seed})."`
	KeepRatio        *bool    `group:"model" negatable:"" help:"Store the ratio even if scoring does not need it, for export (default: ${keep_ratio})."`
	Memory           *byteArg `group:"run" placeholder:"SIZE" help:"Approximate memory limit, such as 512MiB or 8GiB. Rows that do not fit stay on disk and are read in every epoch (default: none)."`
	Names            *int     `group:"model" placeholder:"N" help:"Number of n-grams whose text the model keeps for explain (default: ${names})."`
	Rounds           *int     `group:"model" placeholder:"N" help:"gbdt: number of trees per class (default: ${rounds})."`
	Depth            *int     `group:"model" placeholder:"N" help:"gbdt: maximum depth of a tree (default: ${depth})."`
	Rate             *float64 `group:"model" placeholder:"X" help:"gbdt: learning rate (default: ${rate})."`
	Lambda           *float64 `group:"model" placeholder:"X" help:"gbdt: L2 regularization of leaf values (default: ${lambda})."`
	MinGain          *float64 `group:"model" name:"min-gain" placeholder:"X" help:"gbdt: minimum gain of a split (default: ${min_gain})."`
	MinChild         *float64 `group:"model" name:"min-child-weight" placeholder:"X" help:"gbdt: minimum sum of second derivatives on each side of a split (default: ${min_child_weight})."`
	Subsample        *float64 `group:"model" placeholder:"X" help:"gbdt: share of the documents that each tree is trained on (default: ${subsample})."`
	ColSample        *float64 `group:"model" name:"colsample" placeholder:"X" help:"gbdt: share of the features that each tree may use (default: ${colsample})."`
	Bins             *int     `group:"model" placeholder:"N" help:"gbdt: maximum number of bins per feature (default: ${bins})."`
	Patience         *int     `group:"model" placeholder:"N" help:"gbdt: stop after N rounds without a lower loss on --valid or --hold-out (default: ${patience})."`

	hierarchyFlags
}

// hierarchyFlags say that labels are paths of a tree, and how these are learned.
type hierarchyFlags struct {
	Hierarchy       *string  `group:"model" placeholder:"SEP" help:"Labels are paths in a tree, such as sport/football, with parts separated by SEP."`
	HierarchyMethod *string  `group:"model" name:"hierarchy-method" placeholder:"NAME" help:"sum: train each node against all other documents; top-down: against its siblings (default: sum)."`
	HierarchyBeam   *int     `group:"model" name:"hierarchy-beam" placeholder:"N" help:"Search the best path among the N best nodes of each depth; 0 for all (default: ${hierarchy_beam})."`
	HierarchyStop   *float64 `group:"model" name:"hierarchy-stop" placeholder:"P" help:"Predict an inner node if no child on the best path has this share of its probability (default: ${hierarchy_stop})."`
}

// choose adds the flags that are given.
func (f *hierarchyFlags) choose(c *choices.Choices) error {
	if f.Hierarchy != nil && *f.Hierarchy == "" {
		return usageError{errors.New("--hierarchy is empty: give the separator of the parts of labels, such as /")}
	}
	c.Hierarchy, c.HierarchyMethod = f.Hierarchy, f.HierarchyMethod
	c.HierarchyBeam, c.HierarchyStop = f.HierarchyBeam, f.HierarchyStop
	return nil
}

// options are the library's. Flags that have no effect on the model are refused.
func (f *trainFlags) options(c *call, inputs []string) (nbsvm.Options, error) {
	if f.Model != nil && strings.Contains(*f.Model, ",") {
		return nbsvm.Options{}, usageError{fmt.Errorf("--model %s: train takes one kind of model; to compare several: nbsvm cv --model %[1]s FILE", *f.Model)}
	}
	o, err := f.build(c, inputs)
	if err != nil {
		return o, err
	}
	for _, name := range o.Kind.Ignores() {
		if c.given[name] {
			return o, noEffect(name, o.Kind)
		}
	}
	return o, nil
}

// noEffect refuses a flag that has no effect on a kind of model, and names the kinds that take it.
func noEffect(flag string, kind nbsvm.Kind) error {
	var takers []string
	for _, other := range nbsvm.Kinds() {
		if !slices.Contains(other.Ignores(), flag) {
			takers = append(takers, string(other))
		}
	}
	return usageError{fmt.Errorf("--%s has no effect on model %s: leave it out, or choose another --model (%s)",
		flag, kind, strings.Join(takers, ", "))}
}

// build makes the library's options. Those of a packed corpus, if the input is one, are to be
// started from, unless there is another preset.
func (f *trainFlags) build(c *call, inputs []string) (nbsvm.Options, error) {
	preset, err := nbsvm.PresetNamed(f.Preset)
	if err != nil {
		return nbsvm.Options{}, usageError{err}
	}
	o := preset.Options()
	if f.Preset == nbsvm.Presets()[0].Name {
		if o, err = o.FollowPacked(corpus.Input{Paths: inputs}); err != nil {
			return o, err
		}
	}
	if len(f.Features) > 0 && (f.Tokenizer != nil || f.Ngrams != nil) {
		return o, usageError{errors.New("--features replaces --tokenizer and --ngrams: leave these out")}
	}
	chosen, err := f.choices()
	if err != nil {
		return o, err
	}
	if o, err = chosen.Apply(o); err != nil {
		return o, usageError{fmt.Errorf("--features: %w", err)}
	}
	// Flags without effect are told by options and by checkEffect: a grid may have other models, which take them.
	ignored := o.Kind.Ignores()
	o.KeepRatio = o.KeepRatio && !slices.Contains(ignored, "keep-ratio")
	if slices.Contains(ignored, "loss") {
		o.Loss = ""
	}
	o.Threads = c.Threads
	if err := o.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// choices are what is given.
func (f *trainFlags) choices() (choices.Choices, error) {
	chosen := choices.Choices{
		Tokenizer: f.Tokenizer, Features: f.Features, Lowercase: f.Lowercase, Punctuation: f.Punctuation, StripHTML: f.StripHTML,
		Bits: f.Bits, MinDF: f.MinDF, MaxDF: f.MaxDF, Values: (*nbsvm.Values)(f.Values), SublinearTF: f.SublinearTF,
		Prenormalize: f.Prenormalize, Normalize: f.Normalize, Kind: (*nbsvm.Kind)(f.Model), Loss: f.Loss, C: f.C, Alpha: f.Alpha,
		Bias: f.Bias, Calibrate: f.Calibrate, Tol: f.Tol, MaxEpochs: f.MaxEpochs, Gamma: f.Gamma,
		Neighbours: f.Neighbours, Similarity: (*nbsvm.Similarity)(f.Similarity), Votes: (*nbsvm.Votes)(f.Votes),
		NormalizeWeights: f.NormalizeWeights, HoldOut: f.HoldOut, Seed: f.Seed, KeepRatio: f.KeepRatio,
		Rounds: f.Rounds, Depth: f.Depth, Rate: f.Rate, Lambda: f.Lambda, MinGain: f.MinGain, MinChild: f.MinChild,
		Subsample: f.Subsample, ColSample: f.ColSample, Bins: f.Bins, Patience: f.Patience,
		NamesLimit: f.Names, Memory: (*int64)(f.Memory),
	}
	if f.Ngrams != nil {
		chosen.Ngrams = &choices.Orders{Lo: f.Ngrams.lo, Hi: f.Ngrams.hi, Auto: f.Ngrams.auto}
	}
	if f.Beta != nil {
		chosen.Beta = &choices.Beta{Value: f.Beta.value, Auto: f.Beta.auto}
	}
	if err := f.hierarchyFlags.choose(&chosen); err != nil {
		return chosen, err
	}
	if f.ClassWeight != nil {
		weights, err := nbsvm.ParseClassWeight(*f.ClassWeight)
		if err != nil {
			return chosen, usageError{fmt.Errorf("--class-weight: %w", err)}
		}
		chosen.ClassWeight = &weights
	}
	return chosen, nil
}

// families are kinds of n-grams, those without orders to be given some.
type families []hashing.Family

// set overwrites dst if a value was given.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}

// ngrams is a range of orders, "1-3" or "2", or auto.
type ngrams struct {
	lo, hi int
	auto   bool
}

func (n *ngrams) UnmarshalText(text []byte) error {
	if n.auto = string(text) == "auto"; n.auto {
		return nil
	}
	lo, hi, ranged := strings.Cut(string(text), "-")
	if !ranged {
		hi = lo
	}
	var err error
	if n.lo, err = strconv.Atoi(lo); err == nil {
		n.hi, err = strconv.Atoi(hi)
	}
	if err != nil {
		return fmt.Errorf("%q must be a range such as 1-2, or auto", text)
	}
	return nil
}

// beta is a number, or auto.
type beta struct {
	value float64
	auto  bool
}

func (b *beta) UnmarshalText(text []byte) error {
	if b.auto = string(text) == "auto"; b.auto {
		return nil
	}
	var err error
	if b.value, err = strconv.ParseFloat(string(text), 64); err != nil {
		return fmt.Errorf("%q must be a number, or auto", text)
	}
	return nil
}
