package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
)

// trainFlags are the options of training.
type trainFlags struct{ choices.Choices }

// options are the library's. Flags that have no effect on the model are refused.
func (f *trainFlags) options(c *call, inputs []string) (nbsvm.Options, error) {
	o, err := f.build(c, inputs)
	if err != nil {
		return o, err
	}
	return o, f.checkIgnored(o.Kind)
}

// checkIgnored refuses flags that have no effect on a kind of model.
func (f *trainFlags) checkIgnored(kind nbsvm.Kind) error {
	if ignored := f.Ignored(kind); len(ignored) > 0 {
		return usageError{choices.NoEffect("--"+choices.Flag(ignored[0]), kind)}
	}
	return nil
}

// build makes the library's options. It does not tell flags without effect: a grid may have other models, which take
// them.
func (f *trainFlags) build(c *call, inputs []string) (nbsvm.Options, error) {
	o, err := f.Start(corpus.Input{Paths: inputs})
	if err != nil {
		return o, err
	}
	return f.apply(c, o)
}

// apply gives options the values of flags.
func (f *trainFlags) apply(c *call, o nbsvm.Options) (nbsvm.Options, error) {
	o, err := f.Apply(o)
	if err != nil { // which names an option first
		return o, usageError{errors.New("--" + strings.TrimPrefix(err.Error(), "nbsvm: "))}
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

// trainCommand is the command that makes a model again which was trained with these options. What it was trained on,
// models don't know: TRAIN stands for it.
func trainCommand(o *nbsvm.Options, read corpus.Reading, model string) string {
	words := append([]string{"nbsvm", "train", "TRAIN"}, readingWords(read)...)
	return wording.Shell(append(append(words, trainWords(o)...), "-o", model))
}

// trainAgain is the command that trains a model with these options on the inputs of this one.
func trainAgain(c *call, o *nbsvm.Options, output string, inputs []string) string {
	words := slices.Concat([]string{"nbsvm", "train"}, c.parsed.again("input"), trainWords(o))
	return wording.Shell(slices.Concat(words, []string{"-o", output}, inputs))
}

// readingWords are the flags of how documents are read.
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

// trainWords are the flags that give these options, where they are not the default.
func trainWords(o *nbsvm.Options) (words []string) {
	base := nbsvm.DefaultOptions()
	add := func(name, value string) { words = append(words, "--"+name+"="+value) }
	switched := func(name string, value, usual bool) {
		if value != usual {
			words = append(words, map[bool]string{true: "--", false: "--no-"}[value]+name)
		}
	}
	if all := o.Text.Families(); len(all) > 1 {
		var names []string
		for _, f := range all {
			if o.AutoNgrams && f.Tokenizer == hashing.Word {
				names = append(names, f.Tokenizer.String()) // its orders depend on the documents
				continue
			}
			names = append(names, f.String())
		}
		add("features", strings.Join(names, ","))
	} else {
		if o.Text.Tokenizer != base.Text.Tokenizer {
			add("tokenizer", o.Text.Tokenizer.String())
		}
		if !o.AutoNgrams {
			add("ngrams", fmt.Sprintf("%d-%d", o.Text.NgramLo, o.Text.NgramHi))
		}
	}
	switched("lowercase", o.Text.Lowercase, base.Text.Lowercase)
	switched("punctuation", o.Text.Punctuation, base.Text.Punctuation)
	switched("strip-html", o.Text.StripHTML, base.Text.StripHTML)
	if o.Text.Bits != base.Text.Bits {
		add("bits", strconv.Itoa(o.Text.Bits))
	}
	for _, word := range o.Flags() {
		if strings.HasPrefix(word, "--") {
			words = append(words, word)
		} else {
			words[len(words)-1] += "=" + word
		}
	}
	return words
}
