package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// validFlags say how --valid is read where it is not read like the documents to train on.
type validFlags struct {
	ValidFormat     corpus.Format `group:"input" placeholder:"FORMAT" help:"Format of --valid (default: as of the documents to train on)."`
	ValidTextField  string        `group:"input" placeholder:"NAME" help:"Field of the text in --valid, likewise."`
	ValidLabelField string        `group:"input" placeholder:"NAME" help:"Field of the label in --valid, likewise."`
}

// given says whether one of the flags is.
func (v *validFlags) given() bool { return *v != validFlags{} }

// validInput is --valid as an input. If it is read in its own way, nothing is taken over of formats and fields.
func (v *validFlags) validInput(in nbsvm.Input, path string) nbsvm.Input {
	in = in.With(path)
	if v.given() {
		in.Format, in.TextField, in.LabelField, in.WeightField = v.ValidFormat, v.ValidTextField, v.ValidLabelField, ""
		in.Header, in.Delimiter = nil, 0
	}
	return in
}

// explain adds to an error in the documents of --valid how other fields are read.
func (v *validFlags) explain(err error, path string) error {
	if v.given() || errors.Is(err, context.Canceled) || nbsvm.IsPacked(path) {
		return err
	}
	return fmt.Errorf("%w; it is read like the documents to train on: --valid-format, --valid-text-field and --valid-label-field say otherwise", err)
}
