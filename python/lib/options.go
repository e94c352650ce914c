package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// options are those of training by the names of the command's flags. What is not given keeps the preset's value.
type options struct {
	Preset string `json:"preset"`

	Tokenizer    *hashing.Tokenizer `json:"tokenizer"`
	Ngrams       *orders            `json:"ngrams"`
	Features     string             `json:"features"`
	Lowercase    *bool              `json:"lowercase"`
	Punctuation  *bool              `json:"punctuation"`
	StripHTML    *bool              `json:"strip_html"`
	Bits         *int               `json:"bits"`
	MinDF        *int               `json:"min_df"`
	MaxDF        *float64           `json:"max_df"`
	Values       *nbsvm.Values      `json:"values"`
	SublinearTF  *bool              `json:"sublinear_tf"`
	Prenormalize *bool              `json:"prenormalize"`
	Normalize    *bool              `json:"normalize"`

	Model       *nbsvm.Kind   `json:"model"`
	Loss        *string       `json:"loss"`
	C           *float64      `json:"C"`
	Alpha       *float64      `json:"alpha"`
	Beta        *beta         `json:"beta"`
	Bias        *float64      `json:"bias"`
	ClassWeight *classWeights `json:"class_weight"`
	Calibrate   *bool         `json:"calibrate"`
	Tol         *float64      `json:"tol"`
	MaxEpochs   *int          `json:"max_epochs"`
	Seed        *uint64       `json:"seed"`
	KeepRatio   *bool         `json:"keep_ratio"`
	Names       *int          `json:"names"`
	Memory      *int64        `json:"memory"`
	Threads     int           `json:"threads"`
}

// orders are a range of n-grams, [1, 2] or "1-2", or "auto".
type orders struct {
	lo, hi int
	auto   bool
}

func (o *orders) UnmarshalJSON(data []byte) error {
	var pair [2]int
	switch text := string(bytes.Trim(data, `"`)); {
	case text == "auto":
		o.auto = true
		return nil
	case json.Unmarshal(data, &pair) == nil:
		o.lo, o.hi = pair[0], pair[1]
		return nil
	default:
		if n, err := fmt.Sscanf(text, "%d-%d", &o.lo, &o.hi); err != nil || n != 2 {
			return fmt.Errorf("ngrams are %s: want a range of orders such as (1, 2) or \"1-2\", or \"auto\"", data)
		}
		return nil
	}
}

// beta is a number, or "auto".
type beta struct {
	value float64
	auto  bool
}

func (b *beta) UnmarshalJSON(data []byte) error {
	if string(data) == `"auto"` {
		*b = beta{1, true}
		return nil
	}
	if err := json.Unmarshal(data, &b.value); err != nil {
		return fmt.Errorf("beta is %s: want a number, or \"auto\"", data)
	}
	return nil
}

// classWeights are "balanced", or an object of labels.
type classWeights struct{ nbsvm.ClassWeight }

func (c *classWeights) UnmarshalJSON(data []byte) error {
	if string(data) == `"balanced"` {
		c.Balanced = true
		return nil
	}
	if err := json.Unmarshal(data, &c.Weights); err != nil {
		return fmt.Errorf("class_weight is %s: want \"balanced\", or labels with their factors", data)
	}
	return nil
}

// build makes the library's options. Those of a packed corpus, if the input is one, are to be started from, unless
// there is a preset.
func (f *options) build(in nbsvm.Input) (o nbsvm.Options, err error) {
	preset, err := nbsvm.PresetNamed(cmp.Or(f.Preset, nbsvm.Presets()[0].Name))
	if err != nil {
		return o, err
	}
	o = preset.Options()
	usualC := o.C == o.DefaultC()
	if f.Preset == "" {
		if o, err = o.FollowPacked(in); err != nil {
			return o, err
		}
	}
	set(&o.Text.Lowercase, f.Lowercase)
	set(&o.Text.Punctuation, f.Punctuation)
	set(&o.Text.StripHTML, f.StripHTML)
	set(&o.Text.Bits, f.Bits)
	if err := f.ngrams(&o); err != nil {
		return o, err
	}
	set(&o.MinDF, f.MinDF)
	set(&o.MaxDF, f.MaxDF)
	set(&o.Values, f.Values)
	set(&o.SublinearTF, f.SublinearTF)
	set(&o.Prenormalize, f.Prenormalize)
	set(&o.Normalize, f.Normalize)
	if f.Model != nil {
		o.Kind, o.Loss = *f.Model, "" // the preset's loss may not suit the model
	}
	set(&o.Loss, f.Loss)
	if usualC {
		o.C = o.DefaultC()
	}
	set(&o.C, f.C)
	set(&o.Alpha, f.Alpha)
	if f.Beta != nil {
		o.Beta, o.AutoBeta = f.Beta.value, f.Beta.auto
	}
	set(&o.Bias, f.Bias)
	if f.ClassWeight != nil {
		o.ClassWeight = f.ClassWeight.ClassWeight
	}
	set(&o.Calibrate, f.Calibrate)
	set(&o.Tol, f.Tol)
	set(&o.MaxEpochs, f.MaxEpochs)
	set(&o.Seed, f.Seed)
	set(&o.KeepRatio, f.KeepRatio)
	set(&o.NamesLimit, f.Names)
	set(&o.Memory, f.Memory)
	o.Threads = f.Threads
	return o, o.Validate()
}

// Orders of n-grams of characters where none are given, as the command has them.
const (
	longestOfChars   = 5
	shortestOfSecond = 2 // beside words
)

// ngrams says what n-grams are taken.
func (f *options) ngrams(o *nbsvm.Options) (err error) {
	if f.Features != "" {
		if f.Tokenizer != nil || f.Ngrams != nil {
			return fmt.Errorf("nbsvm: features says what tokenizer and ngrams say of one kind of n-grams: leave these out")
		}
		o.AutoNgrams = false
		families := make([]hashing.Family, 0, 2)
		parts := strings.Split(f.Features, ",")
		for _, part := range parts {
			var one hashing.Family
			if err := one.UnmarshalText([]byte(strings.TrimSpace(part))); err != nil {
				return err
			}
			switch {
			case one.NgramHi > 0:
			case !one.Tokenizer.Characters():
				one.NgramLo, one.NgramHi = 1, 2
				o.AutoNgrams = o.AutoNgrams || one.Tokenizer == hashing.Word
			case len(parts) == 1:
				one.NgramLo, one.NgramHi = 1, longestOfChars
			default:
				one.NgramLo, one.NgramHi = shortestOfSecond, longestOfChars
			}
			families = append(families, one)
		}
		o.Text, err = o.Text.WithFamilies(families...)
		return err
	}
	if f.Tokenizer != nil {
		o.Text.Tokenizer, o.Text.More = *f.Tokenizer, hashing.MoreFamilies{}
	}
	switch {
	case f.Ngrams == nil:
	case f.Ngrams.auto:
		o.AutoNgrams = true
		if o.Text.Tokenizer == hashing.Word {
			o.Text.NgramLo, o.Text.NgramHi = 1, 2
		}
	default:
		o.AutoNgrams = false
		o.Text.NgramLo, o.Text.NgramHi = f.Ngrams.lo, f.Ngrams.hi
	}
	if o.AutoNgrams && o.Text.Tokenizer.Characters() {
		o.AutoNgrams = false
		o.Text.NgramLo, o.Text.NgramHi = 1, longestOfChars
	}
	return nil
}

// set overwrites dst if a value was given.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}
