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
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// options are the options of training. Omitted ones keep the preset's value.
type options struct {
	choices.Choices
	Features string `json:"features"`
	Threads  int    `json:"threads"`
}

// build makes the library's options. They start from those of the model to update, if there is one, or else from
// the preset or, if it is the default and the input is a packed corpus, from those of the corpus.
func (f *options) build(in corpus.Input, from *nbsvm.Classifier) (o nbsvm.Options, err error) {
	if from != nil {
		o, err = f.StartFrom(from)
	} else {
		o, err = f.Start(in)
	}
	if err != nil {
		return o, err
	}
	if f.Features != "" {
		for part := range strings.SplitSeq(f.Features, ",") {
			var one hashing.Family
			if err := one.UnmarshalText([]byte(strings.TrimSpace(part))); err != nil {
				return o, err
			}
			f.Choices.Features = append(f.Choices.Features, one)
		}
	}
	if o, err = f.Apply(o); err != nil {
		return o, err
	}
	if ignored := f.Ignored(o.Kind); len(ignored) > 0 {
		return o, choices.NoEffect(ignored[0], o.Kind)
	}
	o.Threads = f.Threads
	return o, o.Validate()
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
		o, err := f.Start(corpus.Input{})
		if err != nil {
			return err
		}
		if f.Model != nil {
			o.Kind = *f.Model
		}
		return replyJSON(append([]string{}, f.Ignored(o.Kind)...), out, outSize)
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
		for _, doubt := range corpus.DoubtLabels(slices.Sorted(maps.Keys(labels)), func(string) string { return "" }) {
			messages = append(messages, doubt.Message)
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
			reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Uint64: "a whole number of 0 or more",
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
