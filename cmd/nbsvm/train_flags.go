package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
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
	Ngrams       *ngrams  `group:"text" placeholder:"LO-HI" help:"Orders of n-grams, or auto: 1-3 with 3 MB of text a class or more, else 1-2; of characters 1-5 (default: ${ngrams})."`
	Features     families `group:"text" placeholder:"TOKENIZER:LO-HI,…" help:"Several kinds of n-grams in one model, such as word:1-2,char-wb:2-5; in place of --tokenizer and --ngrams."`
	MinDF        *int     `group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams of fewer documents (default: ${min_df})."`
	MaxDF        *float64 `group:"text" name:"max-df" placeholder:"X" help:"Drop n-grams of more documents: a share of them up to 1, a number above (default: ${max_df})."`
	Values       *string  `group:"text" placeholder:"KIND" help:"binary, count or tfidf (default: ${values})."`
	SublinearTF  *bool    `group:"text" name:"sublinear-tf" negatable:"" help:"Take 1+log(count) for count (default: ${sublinear_tf})."`
	Prenormalize *bool    `group:"text" negatable:"" help:"Scale features to unit length before the ratio (default: ${prenormalize})."`
	Normalize    *bool    `group:"text" negatable:"" help:"Scale rows to unit length after the ratio (default: ${normalize})."`

	Model       *string  `group:"model" placeholder:"KIND" help:"${models} (default: ${model})."`
	Loss        *string  `group:"model" placeholder:"NAME" help:"hinge, squared-hinge or logistic (default: logistic for that model, else squared-hinge)."`
	C           *float64 `group:"model" name:"C" placeholder:"X" help:"Cost of errors against regularisation (default: ${C}; ${logistic_C} for logistic loss)."`
	Alpha       *float64 `group:"model" placeholder:"X" help:"Smoothing of counts (default: ${alpha})."`
	Beta        *beta    `group:"model" placeholder:"X" help:"Weight of trained weights against their mean magnitude, or auto: 0.75 for two classes, 1 for more (default: ${beta})."`
	Bias        *float64 `group:"model" placeholder:"X" help:"Value of the constant feature, 0 for none (default: ${bias})."`
	ClassWeight *string  `group:"model" placeholder:"W" help:"balanced, or LABEL=X,LABEL=X,…: factors for C by class (default: 1 each)."`
	Calibrate   *bool    `group:"model" negatable:"" help:"Fit probabilities, on held-out folds (default: ${calibrate})."`
	Tol         *float64 `group:"model" placeholder:"X" help:"Stop at this relative duality gap (default: ${tol})."`
	MaxEpochs   *int     `group:"model" placeholder:"N" help:"Stop after so many passes at the latest (default: ${max_epochs})."`
	Seed        *uint64  `group:"model" placeholder:"N" help:"Seed of hashing, permutations and folds (default: ${seed})."`
	KeepRatio   *bool    `group:"model" negatable:"" help:"Store the ratio even if scoring does without, for export (default: ${keep_ratio})."`
	Memory      *byteArg `group:"run" placeholder:"SIZE" help:"Memory to take, about: 512MiB, 8GiB, … (default: what it takes). Rows that don't fit stay on disk, and are read for every epoch."`
	Names       *int     `group:"model" placeholder:"N" help:"N-grams to name in the model, for explain (default: ${names})."`
}

// options are the library's. Flags that have no effect on the model are refused.
func (f *trainFlags) options(c *call, inputs []string) (nbsvm.Options, error) {
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
	usualC := o.C == o.DefaultC()
	if f.Preset == nbsvm.Presets()[0].Name {
		if o, err = o.FollowPacked(nbsvm.Input{Paths: inputs}); err != nil {
			return o, err
		}
	}
	f.tokenFlags.apply(&o.Text)
	f.Ngrams.explain(c)
	switch {
	case f.Ngrams != nil && !f.Ngrams.auto:
		o.AutoNgrams = false
		o.Text.NgramLo, o.Text.NgramHi = f.Ngrams.lo, f.Ngrams.hi
	case f.Ngrams != nil:
		o.AutoNgrams = true
		if o.Text.Tokenizer == hashing.Word {
			o.Text.NgramLo, o.Text.NgramHi = 1, 2
		}
	}
	if o.AutoNgrams && o.Text.Tokenizer.Characters() {
		o.AutoNgrams = false
		o.Text.NgramLo, o.Text.NgramHi = 1, longestOfChars
	}
	if len(f.Features) > 0 {
		if f.Tokenizer != nil || f.Ngrams != nil {
			return o, usageError{errors.New("--features says what --tokenizer and --ngrams say of one kind of n-grams: leave these out")}
		}
		if o.Text, o.AutoNgrams, err = f.Features.apply(o.Text); err != nil {
			return o, usageError{fmt.Errorf("--features: %w", err)}
		}
	}
	set(&o.MinDF, f.MinDF)
	set(&o.MaxDF, f.MaxDF)
	set((*string)(&o.Values), f.Values)
	set(&o.SublinearTF, f.SublinearTF)
	set(&o.Prenormalize, f.Prenormalize)
	set(&o.Normalize, f.Normalize)
	set((*string)(&o.Kind), f.Model)
	if f.Model != nil && f.Loss == nil {
		o.Loss = "" // the preset's may not suit the model
	}
	set(&o.Loss, f.Loss)
	if usualC {
		o.C = o.DefaultC()
	}
	set(&o.C, f.C)
	set(&o.Alpha, f.Alpha)
	if f.Beta != nil {
		o.AutoBeta = f.Beta.auto
		o.Beta = f.Beta.value
	}
	set(&o.Bias, f.Bias)
	set(&o.Calibrate, f.Calibrate)
	set(&o.Tol, f.Tol)
	set(&o.MaxEpochs, f.MaxEpochs)
	set(&o.Seed, f.Seed)
	set(&o.KeepRatio, f.KeepRatio)
	set(&o.NamesLimit, f.Names)
	set((*byteArg)(&o.Memory), f.Memory)
	if f.ClassWeight != nil {
		if o.ClassWeight, err = nbsvm.ParseClassWeight(*f.ClassWeight); err != nil {
			return o, usageError{fmt.Errorf("--class-weight: %w", err)}
		}
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

// apply returns the options with the families. auto leaves the orders of words to the documents.
func (f families) apply(o hashing.Options) (_ hashing.Options, auto bool, err error) {
	all := slices.Clone(f)
	for k := range all {
		switch {
		case all[k].NgramHi > 0:
		case !all[k].Tokenizer.Characters():
			all[k].NgramLo, all[k].NgramHi = 1, 2
			auto = auto || all[k].Tokenizer == hashing.Word
		case len(all) == 1:
			all[k].NgramLo, all[k].NgramHi = 1, longestOfChars
		default:
			all[k].NgramLo, all[k].NgramHi = 2, longestOfChars
		}
	}
	o, err = o.WithFamilies(all...)
	return o, auto, err
}

// longestOfChars is the longest n-gram of characters where no orders are given. It cross-validates best on short texts
// in English and Chinese, see docs/defaults.md.
const longestOfChars = 5

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
		b.value = 1
		return nil
	}
	var err error
	if b.value, err = strconv.ParseFloat(string(text), 64); err != nil {
		return fmt.Errorf("%q is neither a number nor auto", text)
	}
	return nil
}
