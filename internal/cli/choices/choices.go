// Package choices declares the options of training as users choose them: as flags of the command and as arguments of
// Python. Each option may be left out, and keeps the value of a preset then.
package choices

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// Choices are the options of training. The tag "option" names the fields of [nbsvm.Options] that an option sets, the
// tag "json" the argument of Python, and the tag "values" what the library takes.
type Choices struct {
	Preset Preset `json:"preset" group:"model" placeholder:"NAME" default:"${preset}" help:"Options to start from (default: ${preset})."`

	Text
	Ngrams       *Orders       `json:"ngrams" option:"Text.NgramLo,Text.NgramHi,AutoNgrams" group:"text" placeholder:"LO-HI" help:"Range of n-gram orders, or auto: words 1-3 if there are at least 3 MB of text per class, otherwise 1-2, with characters 2-5 beside them if there are 10 kB to 4 MB in all; characters alone 1-5; knn 1-1 (default: ${ngrams})."`
	Features     Families      `json:"-" option:"Text.More" not:"tokenizer,ngrams" group:"text" placeholder:"TOKENIZER:LO-HI,…" help:"Several kinds of n-grams in one model, such as word:1-2,char-wb:2-5. Replaces --tokenizer and --ngrams."`
	MinDF        *MinDF        `json:"min_df" option:"MinDF,AutoMinDF" values:"1 document or more" group:"text" name:"min-df" placeholder:"N" help:"Drop n-grams that fewer documents contain; auto: 2, or more of much text (default: ${min_df})."`
	MaxDF        *float64      `json:"max_df" option:"MaxDF" values:"a share of the documents up to 1, or a number of them above 1" group:"text" name:"max-df" placeholder:"X" help:"Drop n-grams that more documents contain: a share up to 1, a number above (default: ${max_df})."`
	Values       *nbsvm.Values `json:"values" option:"Values" choices:"binary,count,tfidf" group:"text" placeholder:"KIND" help:"Feature values: binary, count or tfidf (default: ${values}; ${rocchio_values} for rocchio and for knn with cosine, count for knn with bm25)."`
	SublinearTF  *bool         `json:"sublinear_tf" option:"SublinearTF" group:"text" name:"sublinear-tf" negatable:"" help:"Use 1+log(count) for count (default: ${sublinear_tf}; ${rocchio_sublinear_tf} for rocchio and for knn with cosine)."`
	Prenormalize *bool         `json:"prenormalize" option:"Prenormalize" group:"text" negatable:"" help:"Scale rows to unit length before the ratio is applied (default: ${prenormalize})."`
	Normalize    *bool         `json:"normalize" option:"Normalize" group:"text" negatable:"" help:"Scale rows to unit length after the ratio is applied (default: ${normalize})."`

	Model            *nbsvm.Kind       `json:"model" option:"Kind" group:"model" placeholder:"KIND" help:"Kind of model: ${models} (default: ${model}; the best of nbsvm, svm, and svm with --no-normalize by cross-validation for ready-made features)."`
	Loss             *string           `json:"loss" option:"Loss" choices:"hinge,squared-hinge,logistic" group:"model" placeholder:"NAME" help:"Loss: hinge, squared-hinge or logistic (default: logistic for model logistic, otherwise squared-hinge)."`
	C                *float64          `json:"C" option:"C" values:"from 1e-12 to 1e12" group:"model" name:"C" placeholder:"X" help:"Inverse regularization strength (default: ${C}; ${logistic_C} for logistic loss)."`
	Alpha            *float64          `json:"alpha" option:"Alpha" values:"from 1e-12 to 1e9" group:"model" placeholder:"X" help:"Smoothing of the counts in the ratio (default: ${alpha})."`
	AlphaBySize      *bool             `json:"alpha_by_size" option:"AlphaBySize" group:"model" name:"alpha-by-size" negatable:"" help:"For the smaller side of a ratio, multiply alpha by the square root of smaller/larger (default: ${alpha_by_size})."`
	Beta             *Beta             `json:"beta" option:"Beta,AutoBeta" values:"0, or from 1e-12 to 1" group:"model" placeholder:"X" help:"Interpolation of trained weights with their mean magnitude, or auto: 0.75 for two classes, 1 for more (default: ${beta})."`
	Bias             *float64          `json:"bias" option:"Bias" values:"0 (none), or from 1e-6 to 1e6" group:"model" placeholder:"X" help:"Value of the bias feature; 0 for no bias (default: ${bias})."`
	ClassWeight      *ClassWeight      `json:"class_weight" option:"ClassWeight" group:"model" placeholder:"W" help:"Factors for C by class: balanced, or LABEL=X,LABEL=X,… (default: 1 each)."`
	Calibrate        *bool             `json:"calibrate" option:"Calibrate" group:"model" negatable:"" help:"Fit probabilities on held-out folds (default: ${calibrate})."`
	MaxModel         *Size             `json:"max_model" option:"MaxModel" group:"model" name:"max-model" placeholder:"SIZE" help:"Largest size of the model's file, such as 100KB. A larger model is trained again on the n-grams that matter most, as many as fit, with weights of 8 bits (default: none)."`
	Negatives        *nbsvm.Negatives  `json:"negatives" option:"Negatives" choices:"auto,all,near" group:"model" placeholder:"NAME" help:"Documents that a class is trained against: all others; near: those that resemble the class or its nearest ones, and a sample; auto: near for hinge losses from 64 classes and 16 million documents times classes on (default: ${negatives})."`
	Tree             *nbsvm.Tree       `json:"tree" option:"Tree" choices:"auto,always,never" group:"model" placeholder:"NAME" help:"Grow a tree over the classes, and train each node against its siblings; auto: from 4096 classes on; for nbsvm from 64 classes and 2^26 documents times classes on (default: ${tree})."`
	Tol              *float64          `json:"tol" option:"Tol" values:"a relative duality gap from 0 to below 1" group:"model" placeholder:"X" help:"Stop at this relative duality gap (default: ${tol})."`
	MaxEpochs        *int              `json:"max_epochs" option:"MaxEpochs" values:"1 or more" group:"model" placeholder:"N" help:"Stop after at most N passes (default: ${max_epochs}; ${online_epochs} for perceptron and pa)."`
	Gamma            *float64          `json:"gamma" option:"Gamma" values:"from 0 to 1" group:"model" placeholder:"X" help:"rocchio: weight of the mean of the other classes (default: ${gamma})."`
	NormalizeWeights *bool             `json:"normalize_weights" option:"NormalizeWeights" group:"model" name:"normalize-weights" negatable:"" help:"cnb: divide the weights of a class by the sum of their magnitudes (default: ${normalize_weights})."`
	Neighbours       *int              `json:"neighbours" option:"Neighbours" values:"from 1 to 1048576" group:"model" placeholder:"K" help:"knn: number of nearest documents that vote (default: ${neighbours})."`
	Similarity       *nbsvm.Similarity `json:"similarity" option:"Similarity" choices:"cosine,bm25" group:"model" placeholder:"NAME" help:"knn: cosine or bm25 (default: ${similarity})."`
	Votes            *nbsvm.Votes      `json:"votes" option:"Votes" choices:"count,similarity" group:"model" placeholder:"NAME" help:"knn: weight of a vote: count (1 each) or similarity (default: ${votes})."`
	HoldOut          *float64          `json:"hold_out" option:"HoldOut" values:"0, or a share of the documents from 0.001 to 0.5" group:"model" name:"hold-out" placeholder:"X" help:"perceptron, pa, gbdt: choose the number of passes or rounds on this share of the documents, then train on all (default: ${hold_out})."`
	Seed             *uint64           `json:"seed" option:"Seed" values:"0 to 18446744073709551615" group:"model" placeholder:"N" help:"Seed of hashing, permutations and folds (default: ${seed})."`
	KeepRatio        *bool             `json:"keep_ratio" option:"KeepRatio" group:"model" negatable:"" help:"Store the ratio even if scoring does not need it, for export (default: ${keep_ratio})."`
	Memory           *Size             `json:"memory" option:"Memory" group:"run" placeholder:"SIZE" help:"Approximate memory limit, such as 512MiB or 8GiB. Rows that do not fit stay on disk and are read in every epoch (default: none)."`
	Names            *int              `json:"names" option:"NamesLimit" values:"0 or more" group:"model" placeholder:"N" help:"Number of n-grams whose text the model keeps for explain (default: ${names})."`
	Rounds           *int              `json:"rounds" option:"Trees.Rounds" values:"from 1 to 100000" group:"model" placeholder:"N" help:"gbdt: number of trees per class (default: ${rounds})."`
	Depth            *int              `json:"depth" option:"Trees.Depth" values:"from 1 to 32" group:"model" placeholder:"N" help:"gbdt: maximum depth of a tree (default: ${depth})."`
	Rate             *float64          `json:"rate" option:"Trees.Rate" values:"from 0.0001 to 1" group:"model" placeholder:"X" help:"gbdt: learning rate (default: ${rate})."`
	// lambda is a keyword of Python.
	Lambda    *float64 `json:"reg_lambda" option:"Trees.Lambda" values:"from 0 to 1e9" group:"model" placeholder:"X" help:"gbdt: L2 regularization of leaf values (default: ${lambda})."`
	MinGain   *float64 `json:"min_gain" option:"Trees.MinGain" values:"from 0 to 1e9" group:"model" name:"min-gain" placeholder:"X" help:"gbdt: minimum gain of a split (default: ${min_gain})."`
	MinChild  *float64 `json:"min_child_weight" option:"Trees.MinChildWeight" values:"from 0 to 1e9" group:"model" name:"min-child-weight" placeholder:"X" help:"gbdt: minimum sum of second derivatives on each side of a split (default: ${min_child_weight})."`
	Subsample *float64 `json:"subsample" option:"Trees.Subsample" values:"a share from 0.01 to 1" group:"model" placeholder:"X" help:"gbdt: share of the documents that each tree is trained on (default: ${subsample})."`
	ColSample *float64 `json:"colsample" option:"Trees.ColSample" values:"a share from 0.01 to 1" group:"model" name:"colsample" placeholder:"X" help:"gbdt: share of the features that each tree may use (default: ${colsample})."`
	Bins      *int     `json:"bins" option:"Trees.Bins" values:"from 1 to 255" group:"model" placeholder:"N" help:"gbdt: maximum number of bins per feature (default: ${bins})."`
	Patience  *int     `json:"patience" option:"Trees.Patience" values:"1 or more" group:"model" placeholder:"N" help:"gbdt: stop after N rounds without a lower loss on --valid or --hold-out (default: ${patience})."`

	Paths
}

// Tokens say what a token is.
type Tokens struct {
	Tokenizer *hashing.Tokenizer `json:"tokenizer" option:"Text.Tokenizer" choices:"word,char,char-wb,space" group:"text" placeholder:"NAME" help:"Kind of tokens: word, char, char-wb (characters within words) or space (default: ${tokenizer})."`
	Cleaning
}

// Cleaning says what of a text is read.
type Cleaning struct {
	Lowercase   *bool `json:"lowercase" option:"Text.Lowercase" group:"text" negatable:"" help:"Lower-case the text (default: ${lowercase})."`
	Punctuation *bool `json:"punctuation" option:"Text.Punctuation" group:"text" negatable:"" help:"Treat punctuation marks as tokens (default: ${punctuation})."`
	StripHTML   *bool `json:"strip_html" option:"Text.StripHTML" group:"text" name:"strip-html" negatable:"" help:"Remove HTML tags (default: ${strip_html})."`
}

// Buckets say into how many buckets n-grams are hashed.
type Buckets struct {
	Bits *int `json:"bits" option:"Text.Bits" values:"8 to 30" group:"text" placeholder:"N" help:"Hash n-grams into 2^N buckets (default: ${bits})."`
}

// Text says what a token is, and how many buckets there are for n-grams.
type Text struct {
	Tokens
	Buckets
}

// Paths say that labels are paths of a tree, and how these are learned.
type Paths struct {
	Hierarchy     *string  `json:"hierarchy" option:"Hierarchy.Separator" group:"model" placeholder:"SEP" help:"Labels are paths in a tree, such as sport/football, with parts separated by SEP."`
	HierarchyStop *float64 `json:"hierarchy_stop" option:"Hierarchy.Stop" values:"a probability from 0 to 1" group:"model" name:"hierarchy-stop" placeholder:"P" help:"Predict an inner node if no child on the best path has this share of its probability (default: ${hierarchy_stop})."`
}

// choice is an option with its value.
type choice struct {
	name   string        // of the argument in Python
	fields string        // of nbsvm.Options, joined by commas
	value  reflect.Value // a pointer, or a slice
}

// choicesOf lists the options in a struct and in those that it embeds.
func choicesOf(all reflect.Value) (list []choice) {
	for field, value := range all.Fields() {
		if field.Anonymous {
			list = append(list, choicesOf(value)...)
		} else if fields, is := field.Tag.Lookup("option"); is {
			list = append(list, choice{field.Tag.Get("json"), fields, value})
		}
	}
	return list
}

// fieldOf returns a field of options by its path, such as Trees.Depth.
func fieldOf(o *nbsvm.Options, path string) reflect.Value {
	value := reflect.ValueOf(o).Elem()
	for name := range strings.SplitSeq(path, ".") {
		value = value.FieldByName(name)
	}
	return value
}

// Defaults are the library's defaults as help texts show them, by the names of Python's arguments.
func Defaults() map[string]string {
	o, all := nbsvm.DefaultOptions(), map[string]string{}
	for _, option := range choicesOf(reflect.ValueOf(&Choices{}).Elem()) {
		if strings.Contains(option.fields, ",") {
			all[option.name] = "auto"
			continue
		}
		switch value := fieldOf(&o, option.fields).Interface().(type) {
		case bool:
			all[option.name] = wording.OnOff(value)
		case float64:
			all[strings.TrimPrefix(option.name, "reg_")] = strconv.FormatFloat(value, 'g', -1, 64)
		default:
			all[option.name] = fmt.Sprint(value)
		}
	}
	return all
}

// Start returns the options to apply the choices to: those of the preset or, unless there is another than the first, of a
// packed corpus in the input.
func (c *Choices) Start(in corpus.Input) (o nbsvm.Options, err error) {
	preset, err := nbsvm.PresetNamed(cmp.Or(string(c.Preset), nbsvm.Presets()[0].Name))
	if err != nil {
		return o, err
	}
	if c.HasPreset() {
		return preset.Options(), nil
	}
	return preset.Options().FollowPacked(in)
}

// HasPreset says whether a preset other than the default is chosen.
func (c *Choices) HasPreset() bool {
	first := nbsvm.Presets()[0].Name
	return cmp.Or(string(c.Preset), first) != first
}

// StartFrom returns the options to update a model: its own.
func (c *Choices) StartFrom(model *nbsvm.Classifier) (o nbsvm.Options, err error) {
	if c.HasPreset() {
		return o, errors.New("nbsvm: preset has no effect for updating a model, which has its own options: leave it out")
	}
	if model.FastText() != nil {
		return o, errors.New("nbsvm: a model that fastText trained can't be updated: give one that nbsvm train has written")
	}
	made, err := model.Report()
	if err != nil {
		return o, err
	}
	o = made.Options
	o.From = model
	return o, nil
}

// Ignored lists the chosen options that have no effect on a kind of model, by the names of Python's arguments.
func (c *Choices) Ignored(kind nbsvm.Kind) (names []string) {
	ignored := kind.Ignores()
	for _, option := range choicesOf(reflect.ValueOf(c).Elem()) {
		if slices.Contains(ignored, Flag(option.name)) && !option.value.IsNil() {
			names = append(names, option.name)
		}
	}
	return names
}

// Flag is the name of the flag for an argument of Python.
func Flag(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "reg_"), "_", "-")
}

// NoEffect is the error that an option, as the user calls it, has no effect on a kind of model. It names the kinds that
// take it.
func NoEffect(option string, kind nbsvm.Kind) error {
	flag := Flag(strings.TrimPrefix(option, "--"))
	var takers []string
	for _, other := range nbsvm.Kinds() {
		if !slices.Contains(other.Ignores(), flag) {
			takers = append(takers, string(other))
		}
	}
	return fmt.Errorf("nbsvm: %s has no effect on model %s: leave it out, or choose another model (%s)", option, kind, strings.Join(takers, ", "))
}

// Apply returns the options with what is chosen. They are not validated. It fails on features that can't be together, or
// that are given beside a tokenizer or orders.
func (c *Choices) Apply(o nbsvm.Options) (_ nbsvm.Options, err error) {
	usualC, usualEpochs, usualValues := o.C == o.DefaultC(), o.MaxEpochs == o.DefaultMaxEpochs(), usualValues(&o)
	if o, err = c.applyText(o); err != nil {
		return o, err
	}
	// What suits the kind of model comes first, so that choices overwrite it.
	if c.Model != nil {
		o.Kind, o.Loss = *c.Model, "" // the loss that there was may not suit the model
	}
	if usual := nbsvm.DefaultOptions(); is(c.Model, usual.Kind) || is(c.Normalize, usual.Normalize) || is(c.Alpha, usual.Alpha) ||
		is(c.AlphaBySize, usual.AlphaBySize) {
		o.AutoKind = false // a default that is asked for is not left to the documents
	}
	if c.Similarity != nil {
		o.Similarity = *c.Similarity
	}
	if c.Loss != nil {
		o.Loss = *c.Loss
	}
	if usualValues {
		o.Values, o.SublinearTF = o.DefaultValues()
		o.SublinearTF = o.SublinearTF && (c.Values == nil || *c.Values != nbsvm.Binary)
	}
	if usualC {
		o.C = o.DefaultC()
	}
	if usualEpochs {
		o.MaxEpochs = o.DefaultMaxEpochs()
	}
	if c.MinDF != nil {
		if o.MinDF, o.AutoMinDF = c.MinDF.Value, c.MinDF.Auto; o.AutoMinDF {
			o.MinDF = nbsvm.DefaultOptions().MinDF
		}
	}
	if c.Beta != nil {
		o.Beta, o.AutoBeta = c.Beta.Value, c.Beta.Auto
		if o.AutoBeta {
			o.Beta = 1
		}
	}
	for _, option := range choicesOf(reflect.ValueOf(c).Elem()) {
		if option.value.Kind() == reflect.Pointer && !option.value.IsNil() && !strings.Contains(option.fields, ",") {
			field := fieldOf(&o, option.fields)
			field.Set(option.value.Elem().Convert(field.Type()))
		}
	}
	ignored := o.Kind.Ignores() // a preset may have what the model does not take
	o.KeepRatio = o.KeepRatio && !slices.Contains(ignored, "keep-ratio")
	if slices.Contains(ignored, "loss") {
		o.Loss = ""
	}
	return o, nil
}

// is reports whether a value was chosen.
func is[T comparable](choice *T, value T) bool { return choice != nil && *choice == value }

// usualValues reports whether values are those that suit the kind of model.
func usualValues(o *nbsvm.Options) bool {
	values, sublinear := o.DefaultValues()
	return o.Values == values && o.SublinearTF == sublinear
}

// applyText is Apply for the tokens and the orders of n-grams.
func (c *Choices) applyText(o nbsvm.Options) (_ nbsvm.Options, err error) {
	if len(c.Features) > 0 {
		if c.Tokenizer != nil || c.Ngrams != nil {
			return o, errors.New("nbsvm: features replaces tokenizer and ngrams: leave these out")
		}
		if o.Text, o.AutoNgrams, err = withFamilies(o.Text, c.Features); err != nil {
			err = fmt.Errorf("nbsvm: features: %w", err)
		}
		return o, err
	}
	if c.Tokenizer != nil {
		o.Text.Tokenizer, o.Text.More = *c.Tokenizer, hashing.MoreFamilies{}
	}
	switch {
	case c.Ngrams == nil:
	case !c.Ngrams.Auto:
		o.AutoNgrams, o.Text.More = false, hashing.MoreFamilies{}
		o.Text.NgramLo, o.Text.NgramHi = c.Ngrams.Lo, c.Ngrams.Hi
	default:
		o.AutoNgrams = true
		if o.Text.Tokenizer == hashing.Word {
			o.Text.NgramLo, o.Text.NgramHi = 1, 2
		}
	}
	if o.AutoNgrams && o.Text.Tokenizer.Characters() {
		o.AutoNgrams = false
		o.Text.NgramLo, o.Text.NgramHi = 1, longestOfChars
	}
	return o, nil
}

// Advice explains how a choice made a model that is usually worse than the default one; it is empty if none did.
func (c *Choices) Advice(r *nbsvm.Report) string {
	o := &r.Options
	words := o.Text.Tokenizer == hashing.Word && o.Text.More == (hashing.MoreFamilies{})
	if c.Ngrams == nil || c.Ngrams.Auto || !words || !dataset.LittleText(r.Bytes) {
		return ""
	}
	return fmt.Sprintf("--ngrams alone means n-grams of words; with so little text (%s), character n-grams beside them "+
		"usually work better: --features word:%d-%d,char:2-5", wording.Bytes(r.Bytes), o.Text.NgramLo, o.Text.NgramHi)
}

// longestOfChars is the longest n-gram of characters where no orders are given. It cross-validates best on short texts
// in English and Chinese, see docs/explanation/defaults.md.
const longestOfChars = 5

// withFamilies returns options with families, those without orders being given some. auto leaves the orders of words to
// the documents.
func withFamilies(o hashing.Options, families []hashing.Family) (_ hashing.Options, auto bool, err error) {
	families = slices.Clone(families)
	for k := range families {
		switch f := &families[k]; {
		case f.NgramHi > 0:
		case !f.Tokenizer.Characters():
			f.NgramLo, f.NgramHi = 1, 2
			auto = auto || f.Tokenizer == hashing.Word
		case len(families) == 1:
			f.NgramLo, f.NgramHi = 1, longestOfChars
		default:
			f.NgramLo, f.NgramHi = 2, longestOfChars
		}
	}
	o, err = o.WithFamilies(families...)
	return o, auto, err
}
