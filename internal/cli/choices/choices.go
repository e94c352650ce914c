// Package choices applies what a user has chosen to options of training that keep their other values.
package choices

import (
	"errors"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Choices are options that may each be left out, to keep the value of a preset. Names in JSON are those of the
// command's flags.
type Choices struct {
	Tokenizer *hashing.Tokenizer `json:"tokenizer"`
	Ngrams    *Orders            `json:"-"`
	// Features are several kinds of n-grams, in place of Tokenizer and Ngrams. Those without orders are given some.
	Features     []hashing.Family `json:"-"`
	Lowercase    *bool            `json:"lowercase"`
	Punctuation  *bool            `json:"punctuation"`
	StripHTML    *bool            `json:"strip_html"`
	Bits         *int             `json:"bits"`
	MinDF        *int             `json:"min_df"`
	MaxDF        *float64         `json:"max_df"`
	Values       *nbsvm.Values    `json:"values"`
	SublinearTF  *bool            `json:"sublinear_tf"`
	Prenormalize *bool            `json:"prenormalize"`
	Normalize    *bool            `json:"normalize"`

	Kind        *nbsvm.Kind        `json:"model"`
	Loss        *string            `json:"loss"`
	C           *float64           `json:"C"`
	Alpha       *float64           `json:"alpha"`
	Beta        *Beta              `json:"-"`
	Bias        *float64           `json:"bias"`
	ClassWeight *nbsvm.ClassWeight `json:"-"`
	Calibrate   *bool              `json:"calibrate"`
	Tol         *float64           `json:"tol"`
	MaxEpochs   *int               `json:"max_epochs"`
	Seed        *uint64            `json:"seed"`
	Gamma       *float64           `json:"gamma"`
	Neighbours  *int               `json:"neighbours"`
	Similarity  *nbsvm.Similarity  `json:"similarity"`
	Votes       *nbsvm.Votes       `json:"votes"`
	HoldOut     *float64           `json:"hold_out"`
	Rounds      *int               `json:"rounds"`
	Depth       *int               `json:"depth"`
	Rate        *float64           `json:"rate"`
	Lambda      *float64           `json:"reg_lambda"` // lambda is a keyword of Python, whose arguments come as JSON
	MinGain     *float64           `json:"min_gain"`
	MinChild    *float64           `json:"min_child_weight"`
	Subsample   *float64           `json:"subsample"`
	ColSample   *float64           `json:"colsample"`
	Bins        *int               `json:"bins"`
	Patience    *int               `json:"patience"`
	KeepRatio   *bool              `json:"keep_ratio"`
	// NormalizeWeights is for cnb.
	NormalizeWeights *bool  `json:"normalize_weights"`
	NamesLimit       *int   `json:"names"`
	Memory           *int64 `json:"memory"`

	Hierarchy       *string  `json:"hierarchy"`
	HierarchyMethod *string  `json:"hierarchy_method"`
	HierarchyBeam   *int     `json:"hierarchy_beam"`
	HierarchyStop   *float64 `json:"hierarchy_stop"`
}

// Orders are a range of orders of n-grams, or what suits the documents.
type Orders struct {
	Lo, Hi int
	Auto   bool
}

// Beta is nbsvm.Options.Beta, or what suits the number of classes.
type Beta struct {
	Value float64
	Auto  bool
}

// Apply returns the options with what is chosen. They are not validated. It fails on features that can't be together, or
// that are given beside a tokenizer or orders.
func (c *Choices) Apply(o nbsvm.Options) (_ nbsvm.Options, err error) {
	usualC, usualEpochs, usualValues := o.C == o.DefaultC(), o.MaxEpochs == o.DefaultMaxEpochs(), usualValues(&o)
	if o, err = c.applyText(o); err != nil {
		return o, err
	}
	set(&o.MinDF, c.MinDF)
	set(&o.MaxDF, c.MaxDF)
	set(&o.Prenormalize, c.Prenormalize)
	set(&o.Normalize, c.Normalize)
	if c.Kind != nil {
		o.Kind, o.Loss = *c.Kind, "" // the loss that there was may not suit the model
	}
	set(&o.Similarity, c.Similarity)
	if usualValues {
		o.Values, o.SublinearTF = o.DefaultValues()
		o.SublinearTF = o.SublinearTF && (c.Values == nil || *c.Values != nbsvm.Binary)
	}
	set(&o.Values, c.Values)
	set(&o.SublinearTF, c.SublinearTF)
	set(&o.Loss, c.Loss)
	if usualC {
		o.C = o.DefaultC()
	}
	set(&o.C, c.C)
	set(&o.Alpha, c.Alpha)
	if c.Beta != nil {
		o.Beta, o.AutoBeta = c.Beta.Value, c.Beta.Auto
		if o.AutoBeta {
			o.Beta = 1
		}
	}
	set(&o.Bias, c.Bias)
	set(&o.ClassWeight, c.ClassWeight)
	set(&o.Calibrate, c.Calibrate)
	set(&o.Tol, c.Tol)
	if usualEpochs {
		o.MaxEpochs = o.DefaultMaxEpochs()
	}
	set(&o.MaxEpochs, c.MaxEpochs)
	set(&o.Gamma, c.Gamma)
	set(&o.NormalizeWeights, c.NormalizeWeights)
	set(&o.Neighbours, c.Neighbours)
	set(&o.Votes, c.Votes)
	set(&o.HoldOut, c.HoldOut)
	set(&o.Trees.Rounds, c.Rounds)
	set(&o.Trees.Depth, c.Depth)
	set(&o.Trees.Rate, c.Rate)
	set(&o.Trees.Lambda, c.Lambda)
	set(&o.Trees.MinGain, c.MinGain)
	set(&o.Trees.MinChildWeight, c.MinChild)
	set(&o.Trees.Subsample, c.Subsample)
	set(&o.Trees.ColSample, c.ColSample)
	set(&o.Trees.Bins, c.Bins)
	set(&o.Trees.Patience, c.Patience)
	set(&o.Hierarchy.Separator, c.Hierarchy)
	set(&o.Hierarchy.Method, c.HierarchyMethod)
	set(&o.Hierarchy.Beam, c.HierarchyBeam)
	set(&o.Hierarchy.Stop, c.HierarchyStop)
	set(&o.Seed, c.Seed)
	set(&o.KeepRatio, c.KeepRatio)
	set(&o.NamesLimit, c.NamesLimit)
	set(&o.Memory, c.Memory)
	return o, nil
}

// usualValues reports whether values are those that suit the kind of model.
func usualValues(o *nbsvm.Options) bool {
	values, sublinear := o.DefaultValues()
	return o.Values == values && o.SublinearTF == sublinear
}

// applyText is Apply for what says which n-grams there are.
func (c *Choices) applyText(o nbsvm.Options) (_ nbsvm.Options, err error) {
	set(&o.Text.Lowercase, c.Lowercase)
	set(&o.Text.Punctuation, c.Punctuation)
	set(&o.Text.StripHTML, c.StripHTML)
	set(&o.Text.Bits, c.Bits)
	if len(c.Features) > 0 {
		if c.Tokenizer != nil || c.Ngrams != nil {
			return o, errors.New("nbsvm: features replaces tokenizer and ngrams: leave these out")
		}
		o.Text, o.AutoNgrams, err = withFamilies(o.Text, c.Features)
		return o, err
	}
	if c.Tokenizer != nil {
		o.Text.Tokenizer, o.Text.More = *c.Tokenizer, hashing.MoreFamilies{}
	}
	switch {
	case c.Ngrams == nil:
	case !c.Ngrams.Auto:
		o.AutoNgrams = false
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

// set overwrites dst if a value was given.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}
