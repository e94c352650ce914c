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

// UnmarshalJSON refuses unknown arguments, and values of another type than an option has.
func (f *options) UnmarshalJSON(data []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	f.values = map[string]string{}
	table := inside.Options()
	for _, argument := range slices.Sorted(maps.Keys(given)) {
		value := given[argument]
		switch name := strings.ReplaceAll(strings.TrimPrefix(argument, "reg_"), "_", "-"); {
		case string(value) == "null":
		case argument == "preset":
			if json.Unmarshal(value, &f.preset) != nil {
				return wrongType(argument, "a str", value)
			}
		case argument == "threads":
			if json.Unmarshal(value, &f.threads) != nil {
				return wrongType(argument, "a whole number", value)
			}
		case argument == "class_weight" && value[0] == '{':
			if json.Unmarshal(value, &f.weights) != nil {
				return fmt.Errorf("nbsvm: class_weight must be \"balanced\" or a dict of labels and factors, got %s", value)
			}
		case argument == "ngrams" && value[0] == '[':
			var orders [2]int
			if json.Unmarshal(value, &orders) != nil {
				return fmt.Errorf("nbsvm: ngrams must be a range such as (1, 2), or \"auto\", got %s", value)
			}
			f.values[name] = fmt.Sprintf("%d-%d", orders[0], orders[1])
		default:
			at := slices.IndexFunc(table, func(p inside.Option) bool { return p.Name == name })
			if at < 0 || strings.Contains(argument, "-") {
				return fmt.Errorf("nbsvm: unknown argument %q", argument)
			}
			text, err := textOf(argument, value, typeOf(&table[at]))
			if err != nil {
				return err
			}
			f.values[name] = text
		}
	}
	return nil
}

// typeOf is the type of Python that an option's values have; "" for several.
func typeOf(p *inside.Option) string {
	if strings.Contains(p.Fields, ",") { // one of them says that the value is "auto"
		return ""
	}
	switch field := fieldOf(reflect.TypeFor[nbsvm.Options](), p.Fields); {
	case field.Kind() == reflect.Bool:
		return "True or False"
	case field.Kind() == reflect.Float64:
		return "a number"
	case field.Kind() == reflect.Int:
		return "a whole number"
	case field.Kind() == reflect.Uint64:
		return "a whole number of 0 or more"
	case field.Kind() == reflect.Int64: // a number of bytes, or a size such as 8GiB
		return ""
	}
	return "a str"
}

// fieldOf is the type of a field by its path, such as Trees.Depth.
func fieldOf(in reflect.Type, path string) reflect.Type {
	for name := range strings.SplitSeq(path, ".") {
		field, _ := in.FieldByName(name)
		in = field.Type
	}
	return in
}

// textOf is a JSON value as options are typed.
func textOf(argument string, value json.RawMessage, kind string) (text string, err error) {
	isText := value[0] == '"'
	switch {
	case kind == "a str" && !isText, kind == "True or False" && value[0] != 't' && value[0] != 'f',
		kind == "a number" && !isNumber(value), strings.HasPrefix(kind, "a whole number") && (!isNumber(value) || bytes.ContainsAny(value, ".eE")):
		return "", wrongType(argument, kind, value)
	case isText:
		err = json.Unmarshal(value, &text)
		return text, err
	}
	return string(value), nil
}

func isNumber(value json.RawMessage) bool {
	return value[0] == '-' || value[0] >= '0' && value[0] <= '9'
}

// wrongType is the error of a value of another type.
func wrongType(argument, must string, value json.RawMessage) error {
	got := "number"
	switch value[0] {
	case '"':
		got = "string"
	case 't', 'f':
		got = "bool"
	case '[':
		got = "array"
	case '{':
		got = "object"
	}
	return fmt.Errorf("nbsvm: %s must be %s, got a %s", argument, must, got)
}

// start returns the options that the arguments change: those of the preset or, if it is the default and the input is a
// packed corpus, of the corpus.
func (f *options) start(in corpus.Input) (o nbsvm.Options, err error) {
	first := nbsvm.Presets()[0].Name
	preset, err := nbsvm.PresetNamed(cmp.Or(f.preset, first))
	if err != nil {
		return o, err
	}
	if cmp.Or(f.preset, first) != first {
		return preset.Options(), nil
	}
	o = preset.Options()
	err = inside.FollowPacked(&o, in)
	return o, err
}

// build makes the library's options. They start from those of the model to update, if there is one, or else from
// the preset.
func (f *options) build(in corpus.Input, from *nbsvm.Classifier) (o nbsvm.Options, err error) {
	switch {
	case from == nil:
		o, err = f.start(in)
	case cmp.Or(f.preset, nbsvm.Presets()[0].Name) != nbsvm.Presets()[0].Name:
		err = errors.New("nbsvm: preset has no effect for updating a model, which has its own options: leave it out")
	default:
		o, err = from.UpdateOptions()
	}
	if err != nil {
		return o, err
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

// nbsvm_ignored lists, as JSON, the given options that have no effect on the requested kind of model.
//
//export nbsvm_ignored
func nbsvm_ignored(text unsafe.Pointer, size C.size_t, out **C.char, outSize *C.size_t) *C.char {
	return try(func() error {
		var f options
		if err := decode(view[byte](text, int(size)), &f); err != nil {
			return err
		}
		o, err := f.start(corpus.Input{})
		if err != nil {
			return err
		}
		kind := o.Kind
		if model, given := f.values["model"]; given {
			kind = nbsvm.Kind(model)
		}
		ignored := []string{}
		for _, name := range f.names() {
			if inside.CheckTakes(string(kind), name) != nil {
				ignored = append(ignored, argumentOf(name))
			}
		}
		return replyJSON(ignored, out, outSize)
	})
}

// argumentOf is what Python calls an option.
func argumentOf(option string) string {
	return strings.ReplaceAll(option, "-", "_")
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
		for _, found := range doubt.Labels(slices.Sorted(maps.Keys(labels)), func(string) string { return "" }) {
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
