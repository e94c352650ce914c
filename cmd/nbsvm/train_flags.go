package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
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
	if ignored := f.Ignored(o.Kind); len(ignored) > 0 {
		return o, usageError{choices.NoEffect("--"+choices.Flag(ignored[0]), o.Kind)}
	}
	return o, nil
}

// build makes the library's options. It does not tell flags without effect: a grid may have other models, which take
// them.
func (f *trainFlags) build(c *call, inputs []string) (nbsvm.Options, error) {
	o, err := f.Start(corpus.Input{Paths: inputs})
	if err != nil {
		return o, err
	}
	if o, err = f.Apply(o); err != nil { // which names an option first
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

// rateArg is a number of bytes a second.
type rateArg choices.Size

func (r *rateArg) UnmarshalText(text []byte) error {
	if (*choices.Size)(r).UnmarshalText([]byte(strings.TrimSuffix(string(text), "/s"))) != nil {
		return fmt.Errorf("%q is not a speed such as 100MB/s", text)
	}
	return nil
}
