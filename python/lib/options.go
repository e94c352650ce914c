package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
)

// options are the options of training, with the names of the command's flags. Omitted ones keep the preset's value.
type options struct {
	choices.Choices
	Preset      string        `json:"preset"`
	Ngrams      *orders       `json:"ngrams"`
	Features    string        `json:"features"`
	Beta        *beta         `json:"beta"`
	ClassWeight *classWeights `json:"class_weight"`
	Threads     int           `json:"threads"`
}

// orders are a range of n-grams, [1, 2] or "1-2", or "auto".
type orders struct{ choices.Orders }

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
			return fmt.Errorf("nbsvm: ngrams must be a range of orders such as (1, 2) or \"1-2\", or \"auto\"; got %s", data)
		}
		return nil
	}
}

// beta is a number, or "auto".
type beta struct{ choices.Beta }

func (b *beta) UnmarshalJSON(data []byte) error {
	if string(data) == `"auto"` {
		b.Auto = true
		return nil
	}
	if err := json.Unmarshal(data, &b.Value); err != nil {
		return fmt.Errorf("nbsvm: beta must be a number or \"auto\", got %s", data)
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
		return fmt.Errorf("nbsvm: class_weight must be \"balanced\" or a dict of labels and factors, got %s", data)
	}
	return nil
}

// build makes the library's options. They start from the preset or, if there is none and the input is a packed corpus,
// from those of the corpus.
func (f *options) build(in corpus.Input) (o nbsvm.Options, err error) {
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
	if ignored := f.ignored(o.Kind); len(ignored) > 0 {
		return o, fmt.Errorf("nbsvm: %s has no effect on model %s: leave it out, or choose another model", ignored[0], o.Kind)
	}
	o.Threads = f.Threads
	return o, o.Validate()
}

// ignored lists the given options that have no effect on a kind of model.
func (f *options) ignored(kind nbsvm.Kind) (names []string) {
	given := map[string]bool{
		"C": f.C != nil, "loss": f.Loss != nil, "tol": f.Tol != nil, "max-epochs": f.MaxEpochs != nil, "bias": f.Bias != nil,
		"class-weight": f.ClassWeight != nil, "calibrate": f.Calibrate != nil, "normalize": f.Normalize != nil,
		"alpha": f.Alpha != nil, "beta": f.Beta != nil, "keep-ratio": f.KeepRatio != nil,
		"normalize-weights": f.NormalizeWeights != nil,
		"gamma":             f.Gamma != nil, "hold-out": f.HoldOut != nil,
		"rounds": f.Rounds != nil, "depth": f.Depth != nil, "rate": f.Rate != nil, "lambda": f.Lambda != nil,
		"min-gain": f.MinGain != nil, "min-child-weight": f.MinChild != nil, "subsample": f.Subsample != nil,
		"colsample": f.ColSample != nil, "bins": f.Bins != nil, "patience": f.Patience != nil,
		"neighbours": f.Neighbours != nil, "similarity": f.Similarity != nil, "votes": f.Votes != nil,
	}
	for _, name := range kind.Ignores() {
		if given[name] {
			if name == "lambda" {
				name = "reg_lambda"
			}
			names = append(names, strings.ReplaceAll(name, "-", "_"))
		}
	}
	return names
}

// nbsvm_ignored lists, as JSON, the given options that have no effect on the requested kind of model.
//
//export nbsvm_ignored
func nbsvm_ignored(text unsafe.Pointer, size C.size_t, out **C.char, outSize *C.size_t) *C.char {
	return try(func() error {
		var f options
		if err := decode(view[byte](text, int(size)), &f); err != nil {
			return err
		}
		preset, err := nbsvm.PresetNamed(cmp.Or(f.Preset, nbsvm.Presets()[0].Name))
		if err != nil {
			return err
		}
		kind := preset.Options().Kind
		if f.Kind != nil {
			kind = *f.Kind
		}
		return replyJSON(append([]string{}, f.ignored(kind)...), out, outSize)
	})
}

// decode reads Python's arguments as JSON. Its errors name the argument and the type that it must have.
func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		must := map[reflect.Kind]string{
			reflect.Float64: "a number", reflect.Bool: "True or False", reflect.String: "a str",
			reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Uint64: "a whole number of 0 or more",
		}[wrong.Type.Kind()]
		name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return fmt.Errorf("nbsvm: %s must be %s, got a %s", name, cmp.Or(must, "of another type"), wrong.Value)
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "json: ")
		return errors.New("nbsvm: " + strings.Replace(text, "unknown field", "unknown argument", 1))
	}
	return nil
}

// choices are the given options.
func (f *options) choices() (choices.Choices, error) {
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
