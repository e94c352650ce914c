package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

// optionFlags are flags for options of training.
type optionFlags struct{ fields []*flags.Field }

// declare makes flags for options, or for all if none is named.
func (f *optionFlags) declare(names ...string) []*flags.Field {
	for _, p := range inside.Options() {
		if names != nil && !slices.Contains(names, p.Name) {
			continue
		}
		tag := fmt.Sprintf("help:%q group:%q placeholder:%q values:%q option:%q",
			p.Help, p.Group, p.Placeholder, p.Range, p.Fields)
		value := reflect.ValueOf(new(*string))
		if p.Switch {
			tag += ` negatable:""`
			value = reflect.ValueOf(new(*bool))
		}
		field := flags.New(p.Name, reflect.StructTag(tag), value.Elem())
		if field.Choices = p.Words; p.Name == "model" {
			field.Choices = append([]string{string(nbsvm.AutoKind)}, kindNames()...)
		}
		f.fields = append(f.fields, field)
	}
	return f.fields
}

// kindNames lists the kinds of model.
func kindNames() (names []string) {
	for _, kind := range nbsvm.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// predict has the model predict the numbers of a target, if there is one and no flag names the model.
func (f *optionFlags) predict(target string) {
	for _, flag := range f.fields {
		if name, is := flag.Value.Interface().(*string); is && name == nil && flag.Name == "model" && target != "" {
			flag.Value.Set(reflect.ValueOf(new(string(nbsvm.NBSVR))))
		}
	}
}

// values returns the values of the flags that were given.
func (f *optionFlags) values() map[string]string {
	given := map[string]string{}
	for _, flag := range f.fields {
		switch value := flag.Value.Interface().(type) {
		case *string:
			if value != nil {
				given[flag.Name] = *value
			}
		case *bool:
			if value != nil {
				given[flag.Name] = strconv.FormatBool(*value)
			}
		}
	}
	return given
}

// preset is the name of a preset.
type preset string

// UnmarshalText refuses unknown names.
func (p *preset) UnmarshalText(text []byte) error {
	*p = preset(text)
	_, err := nbsvm.PresetNamed(string(text))
	return err
}

// isFirst reports whether the preset is that which gives the defaults.
func (p preset) isFirst() bool { return string(p) == nbsvm.Presets()[0].Name }

// options returns the options of the preset or, if that is the default one, those of a packed corpus among the inputs.
func (p preset) options(inputs []string) (o nbsvm.Options, err error) {
	found, err := nbsvm.PresetNamed(string(p))
	if err != nil || !p.isFirst() {
		return found.Options(), err
	}
	o = found.Options()
	err = inside.FollowPacked(&o, corpus.Input{Paths: inputs})
	return o, err
}

// trainFlags are the options of training.
type trainFlags struct {
	Preset preset `choices:"${presets}" group:"model" placeholder:"NAME" default:"${preset}" help:"Options to start from (default: ${preset})."`

	optionFlags
}

// MoreFields implements the interface of package flags.
func (f *trainFlags) MoreFields() []*flags.Field { return f.declare() }

// options returns the library's. Flags that have no effect on the model are refused.
func (f *trainFlags) options(c *call, inputs []string) (nbsvm.Options, error) {
	o, err := f.build(c, inputs, f.values())
	if err != nil {
		return o, err
	}
	return o, f.checkIgnored(o.Kind)
}

// checkIgnored refuses flags that have no effect on a kind of model.
func (f *trainFlags) checkIgnored(kind nbsvm.Kind) error {
	for _, flag := range f.fields {
		if _, given := f.values()[flag.Name]; !given {
			continue
		}
		if err := inside.CheckTakes(string(kind), flag.Name); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// build makes the library's options from values of flags. It does not tell flags without effect: a grid may have other
// models, which take them.
func (f *trainFlags) build(c *call, inputs []string, values map[string]string) (nbsvm.Options, error) {
	o, err := f.Preset.options(inputs)
	if err != nil {
		return o, err
	}
	return with(c, o, values)
}

// with gives options the values of flags.
func with(c *call, o nbsvm.Options, values map[string]string) (nbsvm.Options, error) {
	o, err := o.With(values)
	if err != nil {
		return o, usageError{err}
	}
	o.Threads = c.Threads
	if err := o.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// set overwrites dst if a value was given.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}

// trainCommand returns the command that makes a model again which was trained with these options. What it was trained
// on, models don't know: TRAIN stands for it.
func trainCommand(o *nbsvm.Options, read corpus.Reading, model string) string {
	words := []string{"nbsvm", "train", "TRAIN"}
	if read.Format == corpus.Lines { // which has no labels
		words[2] = "--class=LABEL=TRAIN"
	}
	words = append(words, readingWords(read)...)
	return display.Shell(append(append(words, trainWords(o)...), "-o", model))
}

// trainAgain returns the command that trains a model with these options on the inputs of this one.
func trainAgain(c *call, o *nbsvm.Options, output string, inputs []string) string {
	words := slices.Concat([]string{"nbsvm", "train"}, c.parsed.again("input"), trainWords(o))
	return display.Shell(slices.Concat(words, []string{"-o", output}, inputs))
}

// readingWords returns the flags of how documents are read.
func readingWords(in corpus.Reading) (words []string) {
	add := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name+"="+value)
		}
	}
	add("format", string(in.Format))
	add("text-field", in.TextField)
	add("label-field", in.LabelField)
	add("weight-field", in.WeightField)
	add("label-sep", in.LabelSep)
	if in.Header != "" {
		words = append(words, map[string]string{"yes": "--header", "no": "--no-header"}[in.Header])
	}
	add("delimiter", strings.ReplaceAll(in.Delimiter, "\t", "tab"))
	return words
}

// trainWords returns the flags that give these options, where they are not the default.
func trainWords(o *nbsvm.Options) (words []string) {
	for _, word := range inside.Flags(o) {
		if strings.HasPrefix(word, "--") {
			words = append(words, word)
		} else {
			words[len(words)-1] += "=" + word
		}
	}
	return words
}

// byteSize is a number of bytes, with or without a unit.
type byteSize int64

// UnmarshalText reads a size such as 512MiB.
func (s *byteSize) UnmarshalText(text []byte) error {
	n, err := display.ParseBytes(string(text))
	*s = byteSize(n)
	return err
}
