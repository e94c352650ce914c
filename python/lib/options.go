package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/train"
)

// options are those of training by the names of the command's flags. What is not given keeps the preset's value.
type options struct {
	train.Choices
	Preset      string        `json:"preset"`
	Ngrams      *orders       `json:"ngrams"`
	Features    string        `json:"features"`
	Beta        *beta         `json:"beta"`
	ClassWeight *classWeights `json:"class_weight"`
	Threads     int           `json:"threads"`
}

// orders are a range of n-grams, [1, 2] or "1-2", or "auto".
type orders struct{ train.Orders }

func (o *orders) UnmarshalJSON(data []byte) error {
	var pair [2]int
	switch text := string(bytes.Trim(data, `"`)); {
	case text == "auto":
		o.Auto = true
		return nil
	case json.Unmarshal(data, &pair) == nil:
		o.Lo, o.Hi = pair[0], pair[1]
		return nil
	default:
		if n, err := fmt.Sscanf(text, "%d-%d", &o.Lo, &o.Hi); err != nil || n != 2 {
			return fmt.Errorf("ngrams are %s: want a range of orders such as (1, 2) or \"1-2\", or \"auto\"", data)
		}
		return nil
	}
}

// beta is a number, or "auto".
type beta struct{ train.Beta }

func (b *beta) UnmarshalJSON(data []byte) error {
	if string(data) == `"auto"` {
		b.Auto = true
		return nil
	}
	if err := json.Unmarshal(data, &b.Value); err != nil {
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
	if f.Preset == "" {
		if o, err = o.FollowPacked(in); err != nil {
			return o, err
		}
	}
	choices, err := f.choices()
	if err != nil {
		return o, err
	}
	if o, err = choices.Apply(o); err != nil {
		return o, err
	}
	o.Threads = f.Threads
	return o, o.Validate()
}

// choices are what is given.
func (f *options) choices() (train.Choices, error) {
	c := f.Choices
	if f.Ngrams != nil {
		c.Ngrams = &f.Ngrams.Orders
	}
	if f.Beta != nil {
		c.Beta = &f.Beta.Beta
	}
	if f.ClassWeight != nil {
		c.ClassWeight = &f.ClassWeight.ClassWeight
	}
	if f.Features == "" {
		return c, nil
	}
	for part := range strings.SplitSeq(f.Features, ",") {
		var one hashing.Family
		if err := one.UnmarshalText([]byte(strings.TrimSpace(part))); err != nil {
			return c, err
		}
		c.Features = append(c.Features, one)
	}
	return c, nil
}
