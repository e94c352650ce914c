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
	Tokenizer   *hashing.Tokenizer `group:"text" placeholder:"NAME" help:"word, char, char-wb (within words) or space (default: ${tokenizer})."`
	Lowercase   *bool              `group:"text" negatable:"" help:"Lower-case text (default: ${lowercase})."`
	Punctuation *bool              `group:"text" negatable:"" help:"Punctuation marks are tokens (default: ${punctuation})."`
	StripHTML   *bool              `group:"text" name:"strip-html" negatable:"" help:"Drop HTML tags (default: ${strip_html})."`
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

// trainFlags are the options of training. What is not given keeps the preset's
// value, so every flag must be able to say that it was not given.
type trainFlags struct {
	Preset string `group:"model" placeholder:"NAME" default:"${preset}" help:"Options to start from (default: ${preset})."`

	tokenFlags
	Ngrams       *ngrams  `group:"text" placeholder:"LO-HI" help:"Orders of n-grams, or auto: 1-3 with 3 MB of text a class or more, else 1-2; of characters 1-5; knn 1-1 (default: ${ngrams})."`
	Features     families `group:"text" placeholder:"TOKENIZER:LO-HI,…" help:"Several kinds of n-grams in one model, such as word:1-2,char-wb:2-5; in place of --tokenizer and --ngrams."`
	MinDF        *int     `group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams of fewer documents (default: ${min_df})."`
	MaxDF        *float64 `group:"text" name:"max-df" placeholder:"X" help:"Drop n-grams of more documents: a share of them up to 1, a number above (default: ${max_df})."`
	Values       *string  `group:"text" placeholder:"KIND" help:"binary, count or tfidf (default: ${values}; ${rocchio_values} for rocchio and knn, but count for bm25)."`
	SublinearTF  *bool    `group:"text" name:"sublinear-tf" negatable:"" help:"Take 1+log(count) for count (default: ${sublinear_tf}; ${rocchio_sublinear_tf} for rocchio and knn, but not for bm25)."`
	Prenormalize *bool    `group:"text" negatable:"" help:"Scale features to unit length before the ratio (default: ${prenormalize})."`
	Normalize    *bool    `group:"text" negatable:"" help:"Scale rows to unit length after the ratio (default: ${normalize})."`

	Model            *string  `group:"model" placeholder:"KIND" help:"${models} (default: ${model})."`
	Loss             *string  `group:"model" placeholder:"NAME" help:"hinge, squared-hinge or logistic (default: logistic for that model, else squared-hinge)."`
	C                *float64 `group:"model" name:"C" placeholder:"X" help:"Cost of errors against regularisation (default: ${C}; ${logistic_C} for logistic loss)."`
	Alpha            *float64 `group:"model" placeholder:"X" help:"Smoothing of counts (default: ${alpha})."`
	Beta             *beta    `group:"model" placeholder:"X" help:"Weight of trained weights against their mean magnitude, or auto: 0.75 for two classes, 1 for more (default: ${beta})."`
	Bias             *float64 `group:"model" placeholder:"X" help:"Value of the constant feature, 0 for none (default: ${bias})."`
	ClassWeight      *string  `group:"model" placeholder:"W" help:"balanced, or LABEL=X,LABEL=X,…: factors for C by class (default: 1 each)."`
	Calibrate        *bool    `group:"model" negatable:"" help:"Fit probabilities, on held-out folds (default: ${calibrate})."`
	Tol              *float64 `group:"model" placeholder:"X" help:"Stop at this relative duality gap (default: ${tol})."`
	MaxEpochs        *int     `group:"model" placeholder:"N" help:"Stop after so many passes at the latest (default: ${max_epochs}; ${online_epochs} for perceptron and pa)."`
	Gamma            *float64 `group:"model" placeholder:"X" help:"rocchio: weight of the mean of other classes against that of the class (default: ${gamma})."`
	NormalizeWeights *bool    `group:"model" name:"normalize-weights" negatable:"" help:"cnb: divide the weights of a class by the sum of their magnitudes (default: ${normalize_weights})."`
	Neighbours       *int     `group:"model" placeholder:"K" help:"knn: how many documents vote, the nearest ones (default: ${neighbours})."`
	Similarity       *string  `choices:"cosine,bm25" group:"model" placeholder:"NAME" help:"knn: cosine or bm25 (default: ${similarity})."`
	Votes            *string  `choices:"count,similarity" group:"model" placeholder:"NAME" help:"knn: what a vote counts: count: 1; similarity: as much as the document is similar (default: ${votes})."`
	HoldOut          *float64 `group:"model" name:"hold-out" placeholder:"X" help:"perceptron, pa, gbdt: choose the number of passes or rounds on this share of the documents, then train on all (default: ${hold_out})."`
	Seed             *uint64  `group:"model" placeholder:"N" help:"Seed of hashing, permutations and folds (default: ${seed})."`
	KeepRatio        *bool    `group:"model" negatable:"" help:"Store the ratio even if scoring does without, for export (default: ${keep_ratio})."`
	Memory           *byteArg `group:"run" placeholder:"SIZE" help:"Memory to take, about: 512MiB, 8GiB, … (default: what it takes). Rows that don't fit stay on disk, and are read for every epoch."`
	Names            *int     `group:"model" placeholder:"N" help:"N-grams to name in the model, for explain (default: ${names})."`
	Rounds           *int     `group:"model" placeholder:"N" help:"gbdt: trees of every class, one after the other (default: ${rounds})."`
	Depth            *int     `group:"model" placeholder:"N" help:"gbdt: splits between the root of a tree and a leaf, at most (default: ${depth})."`
	Rate             *float64 `group:"model" placeholder:"X" help:"gbdt: learning rate, the factor of every leaf's value (default: ${rate})."`
	Lambda           *float64 `group:"model" placeholder:"X" help:"gbdt: L2 regularisation of leaves' values (default: ${lambda})."`
	MinGain          *float64 `group:"model" name:"min-gain" placeholder:"X" help:"gbdt: what a split gains at least (default: ${min_gain})."`
	MinChild         *float64 `group:"model" name:"min-child-weight" placeholder:"X" help:"gbdt: least sum of second derivatives on either side of a split (default: ${min_child_weight})."`
	Subsample        *float64 `group:"model" placeholder:"X" help:"gbdt: share of the documents that each tree is trained on (default: ${subsample})."`
	ColSample        *float64 `group:"model" name:"colsample" placeholder:"X" help:"gbdt: share of the features that each tree may split on (default: ${colsample})."`
	Bins             *int     `group:"model" placeholder:"N" help:"gbdt: values of a feature that are told apart, at most (default: ${bins})."`
	Patience         *int     `group:"model" placeholder:"N" help:"gbdt: stop after so many rounds that don't lower the loss on --valid or --hold-out (default: ${patience})."`

	hierarchyFlags
}

// options are the library's. Flags that have no effect on the model are refused.
func (f *trainFlags) options(c *call, inputs []string) (nbsvm.Options, error) {
	if f.Model != nil && strings.Contains(*f.Model, ",") {
		return nbsvm.Options{}, usageError{fmt.Errorf("--model is %s, and one kind of model is trained; to compare several: nbsvm cv --model %[1]s FILE", *f.Model)}
	}
	o, err := f.build(c, inputs)
	if err != nil {
		return o, err
	}
	for _, name := range o.Kind.Ignores() {
		if f.gives(name) {
			return o, noEffect(name, o.Kind)
		}
	}
	return o, nil
}

// noEffect refuses a flag that has no effect on a kind of model.
func noEffect(flag string, kind nbsvm.Kind) error {
	return usageError{fmt.Errorf("--%s has no effect on model %s: leave it out, or choose another --model", flag, kind)}
}

// gives says whether a flag is given that has an effect on some kinds of model only.
func (f *trainFlags) gives(name string) bool {
	switch name {
	case "max-epochs":
		return f.MaxEpochs != nil
	case "class-weight":
		return f.ClassWeight != nil
	case "keep-ratio":
		return f.KeepRatio != nil
	}
	return gridAxes[name].given(f)
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
	f.Ngrams.explain(c)
	if len(f.Features) > 0 && (f.Tokenizer != nil || f.Ngrams != nil) {
		return o, usageError{errors.New("--features says what --tokenizer and --ngrams say of one kind of n-grams: leave these out")}
	}
	if err := f.hierarchyFlags.check(); err != nil {
		return o, err
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
	f.hierarchyFlags.choose(&chosen)
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

// parse reads families joined by plus signs, as a value of a grid can't have commas.
func (f *families) parse(text string) error {
	*f = nil
	for part := range strings.SplitSeq(text, "+") {
		var one hashing.Family
		if err := one.UnmarshalText([]byte(part)); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

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
	alone  bool // one order, which may be meant for all up to it
}

func (n *ngrams) UnmarshalText(text []byte) error {
	if n.auto = string(text) == "auto"; n.auto {
		return nil
	}
	lo, hi, ranged := strings.Cut(string(text), "-")
	if !ranged {
		hi = lo
	}
	n.alone = !ranged && lo != "1"
	var err error
	if n.lo, err = strconv.Atoi(lo); err == nil {
		n.hi, err = strconv.Atoi(hi)
	}
	if err != nil {
		return fmt.Errorf("%q is no range of orders like 1-2, nor auto", text)
	}
	return nil
}

// explain says, once, what --ngrams 2 is: users of other programs take it for 1-2.
func (n *ngrams) explain(c *call) {
	if n == nil || !n.alone {
		return
	}
	n.alone = false
	if !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --ngrams %d is n-grams of order %d alone; those up to it are --ngrams 1-%d\n", n.lo, n.lo, n.lo)
	}
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
		return fmt.Errorf("%q is neither a number nor auto", text)
	}
	return nil
}
