package nbsvm

import (
	"cmp"
	"strings"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// settingOf returns the part of options that a search chooses.
func settingOf(o Options, ngrams string) TuneSetting {
	o = o.forKind()
	s := TuneSetting{
		Ngrams: ngrams, Values: o.Values, Prenormalize: o.Prenormalize, Normalize: o.Normalize,
		MinDF: cmp.Or(o.MinDF, leastMinDF), Kind: o.Kind.ofText(), Loss: o.Loss, C: o.C, Alpha: o.Alpha, Beta: o.Beta,
		Bias: o.Bias, Balanced: o.ClassWeight.Balanced,
	}
	if o.Kind.Online() {
		s.Epochs = o.MaxEpochs
	}
	if s.Kind.takes("rounds") {
		s.Trees = o.Trees
	}
	if o.Kind == KNN {
		s.Neighbours = o.Neighbours
	}
	return s
}

// of returns the setting for another kind of model, with the values that suit it.
func (s TuneSetting) of(kind Kind) TuneSetting {
	usual := DefaultOptions()
	o, _ := s.Options(usual) // only n-grams may be wrong
	o.Kind, o.Loss, o.Trees = kind, "", usual.Trees
	o.Neighbours = usual.Neighbours
	o.Values, o.C, o.MaxEpochs = "", 0, 0
	return settingOf(o.forKind(), s.Ngrams)
}

// Options returns o with what the setting chooses.
func (s TuneSetting) Options(o Options) (Options, error) {
	if s.Ngrams != "" {
		families, err := parseFamilies(s.Ngrams)
		if err != nil {
			return o, err
		}
		if o.Text.Families, err = hashing.NewFamilies(families...); err != nil {
			return o, err
		}
	}
	o.Values, o.Prenormalize, o.Normalize = s.Values, s.Prenormalize, s.Normalize
	if o.MinDF > 0 || s.MinDF != leastMinDF {
		o.MinDF = s.MinDF
	}
	if o.Kind != AutoKind || s.Kind != NBSVM || s.Ngrams == "" { // text settles the kind
		o.Kind = s.Kind
	}
	o.Loss, o.C, o.Alpha, o.Beta, o.Bias = s.Loss, s.C, s.Alpha, s.Beta, s.Bias
	o.Calibrate = o.Calibrate && s.Kind.takes("calibrate")
	if s.Kind.Online() {
		o.MaxEpochs = s.Epochs
	}
	if s.Kind.takes("rounds") {
		o.Trees = s.Trees
	}
	if s.Kind == KNN {
		o.Neighbours = s.Neighbours
	}
	switch {
	case s.Balanced:
		o.ClassWeight = ClassWeight{Balanced: true}
	case o.ClassWeight.Balanced: // which the setting goes without
		o.ClassWeight = ClassWeight{}
	}
	return o, nil
}

func parseFamilies(text string) (families []hashing.Family, err error) {
	for part := range strings.SplitSeq(text, ",") {
		var f hashing.Family
		if err := f.UnmarshalText([]byte(strings.TrimSpace(part))); err != nil {
			return nil, err
		}
		families = append(families, f)
	}
	return families, nil
}

func formatFamilies(families []hashing.Family) string {
	var parts []string
	for _, f := range families {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, ",")
}

// flags returns the flags of nbsvm train that turn the defaults into the setting.
func (s TuneSetting) flags() (words []string) {
	usual := DefaultOptions().forKind()
	o, _ := s.Options(usual) // only n-grams may be wrong
	if s.Ngrams != "" {
		words = []string{"--ngrams", s.Ngrams}
		o.Text = usual.Text
	}
	return append(words, o.flags()...)
}

// cost estimates the number of n-grams per byte of English text.
func (s TuneSetting) cost() float64 {
	families, err := parseFamilies(s.Ngrams)
	if err != nil || s.Ngrams == "" {
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

// simpler reports whether a setting is clearly simpler than another: fewer n-grams are looked up in a text, or as many,
// and fewer options differ from the defaults.
func (s TuneSetting) simpler(than TuneSetting) bool {
	if a, b := s.cost(), than.cost(); a != b {
		return a < b
	}
	return len(s.flags()) < len(than.flags())
}
