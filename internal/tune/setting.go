package tune

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/train"
)

// Setting is what a search chooses of the options of training.
type Setting struct {
	Features     string       `json:"features"` // families of n-grams, joined by commas; empty if there is no choice
	Values       train.Values `json:"values"`
	SublinearTF  bool         `json:"sublinear_tf"`
	Prenormalize bool         `json:"prenormalize"`
	Normalize    bool         `json:"normalize"`
	MinDF        int          `json:"min_df"`
	Kind         train.Kind   `json:"model"`
	Loss         string       `json:"loss"`
	C            float64      `json:"C"`
	Alpha        float64      `json:"alpha"`
	Beta         float64      `json:"beta"`
	AutoBeta     bool         `json:"auto_beta"`
	Bias         float64      `json:"bias"`
	Balanced     bool         `json:"balanced"`
}

// settingOf is the part of options that a search chooses.
func settingOf(o train.Options, features string) Setting {
	return Setting{
		Features: features, Values: o.Values, SublinearTF: o.SublinearTF, Prenormalize: o.Prenormalize, Normalize: o.Normalize,
		MinDF: o.MinDF, Kind: o.Kind, Loss: o.Loss, C: o.C, Alpha: o.Alpha, Beta: o.Beta, AutoBeta: o.AutoBeta, Bias: o.Bias,
		Balanced: o.ClassWeight.Balanced,
	}
}

// Options are others with what the setting chooses.
func (s Setting) Options(o train.Options) (train.Options, error) {
	if s.Features != "" {
		families, err := parseFeatures(s.Features)
		if err != nil {
			return o, err
		}
		if o.Text, err = o.Text.WithFamilies(families...); err != nil {
			return o, err
		}
		o.AutoNgrams = false
	}
	o.Values, o.SublinearTF, o.Prenormalize, o.Normalize = s.Values, s.SublinearTF, s.Prenormalize, s.Normalize
	o.MinDF, o.Kind, o.Loss, o.C, o.Alpha = s.MinDF, s.Kind, s.Loss, s.C, s.Alpha
	o.Beta, o.AutoBeta, o.Bias = s.Beta, s.AutoBeta, s.Bias
	if s.Balanced {
		o.ClassWeight = train.ClassWeight{Balanced: true}
	}
	return o, nil
}

func parseFeatures(text string) (families []hashing.Family, err error) {
	for part := range strings.SplitSeq(text, ",") {
		var f hashing.Family
		if err := f.UnmarshalText([]byte(part)); err != nil {
			return nil, err
		}
		families = append(families, f)
	}
	return families, nil
}

func formatFeatures(families []hashing.Family) string {
	var parts []string
	for _, f := range families {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, ",")
}

// Flags are those of nbsvm train that make the setting of the defaults.
func (s Setting) Flags() []string {
	d := settingOf(train.DefaultOptions(), "")
	var flags []string
	add := func(differs bool, name string, value any) {
		if differs {
			flags = append(flags, "--"+name, fmt.Sprint(value))
		}
	}
	toggle := func(on, byDefault bool, name string) {
		switch {
		case on == byDefault:
		case on:
			flags = append(flags, "--"+name)
		default:
			flags = append(flags, "--no-"+name)
		}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	add(s.Features != d.Features, "features", s.Features)
	add(s.MinDF != d.MinDF, "min-df", s.MinDF)
	add(s.Values != d.Values, "values", s.Values)
	toggle(s.SublinearTF, d.SublinearTF, "sublinear-tf")
	toggle(s.Prenormalize, d.Prenormalize, "prenormalize")
	toggle(s.Normalize, d.Normalize, "normalize")
	add(s.Kind != d.Kind, "model", s.Kind)
	if solved(s.Kind) {
		add(s.Loss != d.Loss, "loss", s.Loss)
		add(s.C != s.defaultC(), "C", number(s.C))
		add(s.Bias != d.Bias, "bias", number(s.Bias))
		add(s.Balanced, "class-weight", "balanced")
	}
	if s.Kind != train.SVM && s.Kind != train.Logistic {
		add(s.Alpha != d.Alpha, "alpha", number(s.Alpha))
	}
	if s.Kind == train.NBSVM && !s.AutoBeta {
		flags = append(flags, "--beta", number(s.Beta))
	}
	return flags
}

// defaultC is the C that nbsvm train takes for the loss where none is given.
func (s Setting) defaultC() float64 {
	o := train.Options{Kind: s.Kind, Loss: s.Loss}
	return o.DefaultC()
}

func solved(k train.Kind) bool { return k == train.NBSVM || k == train.SVM || k == train.Logistic }

// cost is about how many n-grams a byte of English text has.
func (s Setting) cost() float64 {
	families, err := parseFeatures(s.Features)
	if err != nil || s.Features == "" {
		return 0
	}
	cost := 0.0
	for _, f := range families {
		each := 0.2
		if f.Tokenizer.Characters() {
			each = 1
		}
		cost += float64(each * float64(f.NgramHi-f.NgramLo+1))
	}
	return cost
}

// simpler says whether a setting is clearly simpler than another: fewer n-grams are looked up in a text, or as many,
// and fewer options differ from the defaults.
func (s Setting) simpler(than Setting) bool {
	if a, b := s.cost(), than.cost(); a != b {
		return a < b
	}
	return len(s.Flags()) < len(than.Flags())
}
