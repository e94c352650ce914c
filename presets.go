package nbsvm

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// Preset is a named starting point for options, for one kind of task.
type Preset struct {
	Name  string
	About string
	apply func(*Options)
}

// Options returns DefaultOptions with the changes of the preset.
func (p Preset) Options() Options {
	o := DefaultOptions()
	if p.apply != nil {
		p.apply(&o)
	}
	return o
}

// Presets returns all presets, the default first.
func Presets() []Preset {
	return []Preset{
		{"default", "words, rows of unit length: sentiment and topics alike", func(*Options) {}},
		{"sentiment", "tf-idf of uni- to trigrams, for long opinionated texts", func(o *Options) {
			o.Text.Families = hashing.Families{{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 3}}
			o.Values, o.Prenormalize, o.Normalize = LogTFIDF, true, false
			o.Alpha, o.C, o.Beta = 0.1, 4, 1
		}},
		{"language", "characters, n-grams of 1 to 4: language identification and noisy text", func(o *Options) {
			o.Text.Families[0].Tokenizer = hashing.Char
			o.Text.Families = hashing.Families{{Tokenizer: hashing.Char, NgramLo: 1, NgramHi: 4}}
		}},
		{"paper", "NBSVM as published (Wang and Manning 2012): binary uni- and bigrams, C 1, beta 0.25, no bias", func(o *Options) {
			o.Text.Families = hashing.DefaultOptions().Families
			o.MinDF, o.Normalize, o.AlphaBySize, o.Beta, o.Bias = 1, false, false, 0.25, 0
		}},
		{"tfidf", "NB-weighted logistic regression on tf-idf, as in scikit-learn recipes: min-df 6, max-df 0.99, alpha 0.1, C 12", func(o *Options) {
			o.Text.Families = hashing.DefaultOptions().Families
			o.MinDF, o.MaxDF, o.Beta = 6, 0.99, 1
			o.Values, o.Prenormalize, o.Normalize = LogTFIDF, true, false
			o.Alpha, o.AlphaBySize, o.C, o.Loss = 0.1, false, 12, "logistic"
		}},
	}
}

// PresetNamed returns the preset with a name: default, sentiment, language, paper or tfidf.
func PresetNamed(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("nbsvm: unknown preset %q: use one of %q", name, names)
}
