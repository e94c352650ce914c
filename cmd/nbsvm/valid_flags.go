package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/packed"
)

// validFlags say how --valid is read where it is not read like the documents to train on.
type validFlags struct {
	ValidFormat     corpus.Format `group:"input" placeholder:"FORMAT" help:"Format of --valid (default: as of the documents to train on)."`
	ValidTextField  string        `group:"input" placeholder:"NAME" help:"Field of the text in --valid, likewise."`
	ValidLabelField string        `group:"input" placeholder:"NAME" help:"Field of the label in --valid, likewise."`
}

// given says whether one of the flags is.
func (v *validFlags) given() bool { return *v != validFlags{} }

// validFiles are those of --valid, which may be given several times.
type validFiles []string

func (v validFiles) String() string { return strings.Join(v, ", ") }

// stdin says whether standard input is among them.
func (v validFiles) stdin() bool { return slices.Contains(v, "-") }

// among is one of them that is among some inputs, empty if none is.
func (v validFiles) among(inputs []string) string {
	for _, path := range v {
		valid, err := os.Stat(path)
		if err != nil || !valid.Mode().IsRegular() {
			continue
		}
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(other, valid) {
				return path
			}
		}
	}
	return ""
}

// validPaths are the files of a flag --valid, of whatever command.
func validPaths(flag *kong.Flag) []string {
	switch value := flag.Target.Interface().(type) {
	case validFiles:
		return value
	case string:
		return []string{value}
	}
	return nil
}

// validInput is --valid as an input. If it is read in its own way, nothing is taken over of formats and fields.
func (v *validFlags) validInput(in corpus.Input, files validFiles) corpus.Input {
	in = in.With(files...)
	if v.given() {
		in.Format, in.TextField, in.LabelField, in.WeightField = v.ValidFormat, v.ValidTextField, v.ValidLabelField, ""
		in.Header, in.Delimiter = nil, 0
	}
	return in
}

// explain adds to an error in the documents of --valid how other fields are read.
func (v *validFlags) explain(err error, files validFiles) error {
	if v.given() || errors.Is(err, context.Canceled) || slices.ContainsFunc(files, packed.Is) {
		return err
	}
	return fmt.Errorf("%w; it is read like the documents to train on: --valid-format, --valid-text-field and --valid-label-field say otherwise", err)
}
