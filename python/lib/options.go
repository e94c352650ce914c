package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

// options are the options of training, as Python's arguments. Omitted ones keep the preset's value.
type options struct {
	preset  string
	threads int
	values  map[string]string
	weights map[string]float64 // of class_weight, if it is a dict
}

// UnmarshalJSON takes values as texts, which [nbsvm.Options.With] reads.
func (f *options) UnmarshalJSON(data []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	f.values = map[string]string{}
	for _, argument := range slices.Sorted(maps.Keys(given)) {
		value, must := given[argument], ""
		var err error
		switch name := strings.ReplaceAll(strings.TrimPrefix(argument, "reg_"), "_", "-"); {
		case string(value) == "null":
		case argument == "preset":
			must, err = "a str", json.Unmarshal(value, &f.preset)
		case argument == "threads":
			must, err = "a whole number", json.Unmarshal(value, &f.threads)
		case argument == "class_weight" && value[0] == '{':
			must, err = `"balanced" or a dict of labels and factors`, json.Unmarshal(value, &f.weights)
		case argument == "ngrams" && value[0] == '[':
			var orders [2]int
			must, err = `a range such as (1, 2), or "auto"`, json.Unmarshal(value, &orders)
			f.values[name] = fmt.Sprintf("%d-%d", orders[0], orders[1])
		case argument == "range" && value[0] == '[':
			f.values[name] = strings.Trim(string(value), "[]")
		case value[0] == '"':
			var text string
			must, err = "a str", json.Unmarshal(value, &text)
			f.values[name] = text
		default:
			f.values[name] = string(value)
		}
		if err != nil {
			return fmt.Errorf("nbsvm: %s must be %s, got %s", argument, must, value)
		}
	}
	return nil
}

var usualPreset = nbsvm.Presets()[0].Name

// start returns the options that the arguments change: those of the preset or, if it is the default and the input is a
// packed corpus, of the corpus.
func (f *options) start(in corpus.Input) (o nbsvm.Options, err error) {
	preset, err := nbsvm.PresetNamed(cmp.Or(f.preset, usualPreset))
	if o = preset.Options(); err == nil && preset.Name == usualPreset {
		err = inside.FollowPacked(&o, in)
	}
	return o, err
}

// build makes the library's options. They start from those of the model to update, if there is one, or else from
// the preset.
func (f *options) build(in corpus.Input, from *nbsvm.Classifier) (o nbsvm.Options, err error) {
	switch {
	case from == nil:
		o, err = f.start(in)
	case cmp.Or(f.preset, usualPreset) != usualPreset:
		err = errors.New("nbsvm: preset has no effect for updating a model, which has its own options: leave it out")
	default:
		o, err = from.UpdateOptions()
	}
	if err != nil {
		return o, err
	}
	if _, given := f.values["model"]; !given && from == nil && in.Numbers {
		o.Kind = nbsvm.NBSVR
	}
	if o, err = o.With(f.values); err != nil {
		return o, err
	}
	if f.weights != nil {
		o.ClassWeight = nbsvm.ClassWeight{Weights: f.weights}
	}
	if err := inside.CheckTakes(string(o.Kind), f.names()...); err != nil {
		return o, err
	}
	o.Threads = f.threads
	return o, o.Validate()
}

// names are those of the options that were given.
func (f *options) names() []string {
	names := slices.Sorted(maps.Keys(f.values))
	if f.weights != nil {
		names = append(names, "class-weight")
	}
	return names
}

// requested returns the options in a text, and the kind of model that they ask for.
func requested(text unsafe.Pointer, size C.size_t) (f options, kind nbsvm.Kind, err error) {
	if err = decode(view[byte](text, int(size)), &f); err != nil {
		return f, "", err
	}
	o, err := f.start(corpus.Input{})
	if model, given := f.values["model"]; given {
		o.Kind = nbsvm.Kind(model)
	}
	return f, o.Kind, err
}

// nbsvm_numbers sets found to 1 if the requested kind of model predicts numbers, and else to 0.
//
//export nbsvm_numbers
func nbsvm_numbers(text unsafe.Pointer, size C.size_t, found *C.int32_t) *C.char {
	return try(func() error {
		_, kind, err := requested(text, size)
		if *found = 0; kind.Numbers() {
			*found = 1
		}
		return err
	})
}

// nbsvm_ignored lists, as JSON, the given options that have no effect on the requested kind of model.
//
//export nbsvm_ignored
func nbsvm_ignored(text unsafe.Pointer, size C.size_t, out **C.char, outSize *C.size_t) *C.char {
	return try(func() error {
		f, kind, err := requested(text, size)
		if err != nil {
			return err
		}
		ignored := []string{}
		for _, name := range f.names() {
			if inside.CheckTakes(string(kind), name) != nil {
				ignored = append(ignored, strings.ReplaceAll(name, "-", "_"))
			}
		}
		return replyJSON(ignored, out, outSize)
	})
}

// nbsvm_doubts lists, as JSON, what is doubtful about labels. They are an object that tells how many texts have each.
//
//export nbsvm_doubts
func nbsvm_doubts(text unsafe.Pointer, size C.size_t, out **C.char, outSize *C.size_t) *C.char {
	return try(func() error {
		labels := map[string]uint64{}
		if err := decode(view[byte](text, int(size)), &labels); err != nil {
			return err
		}
		messages := append([]string{}, dataset.DoubtNames(labels)...)
		for _, found := range doubt.Labels(slices.Sorted(maps.Keys(labels)), nil) {
			messages = append(messages, found.Message)
		}
		return replyJSON(messages, out, outSize)
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
			reflect.Int: "a whole number", reflect.Int64: "a whole number",
			reflect.Uint64: "a whole number of 0 or more",
		}[wrong.Type.Kind()]
		name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return fmt.Errorf("nbsvm: %s must be %s, got a %s", name, cmp.Or(must, "of another type"), wrong.Value)
	}
	if err != nil {
		text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "nbsvm: ")
		return errors.New("nbsvm: " + strings.Replace(text, "unknown field", "unknown argument", 1))
	}
	return nil
}
