package main

import (
	"errors"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// recordFlags make score write the input's records instead of rows of scores.
type recordFlags struct {
	Where string `group:"output" placeholder:"EXPR" help:"Write the records that pass, as they stand, instead of scores."`
}

// records says whether records are written.
func (f *recordFlags) records() bool { return f.Where != "" }

// check finds what contradicts the flags.
func (f *recordFlags) check(c *call, s *scoreCmd) error {
	switch {
	case !f.records():
	case s.OutputFormat != "" || c.JSON:
		return usageError{errors.New("--where writes records as they stand: --output-format and --json have no say in it")}
	case s.Top != nil || s.AllScores || s.Threshold != nil:
		return usageError{errors.New("--where writes no scores: --top, --all-scores and --threshold have no say in it")}
	}
	return nil
}

// render makes the records to write. Bad ones are left out.
func (f *recordFlags) render(c *nbsvm.Classifier, show shown) (nbsvm.Render, error) {
	label := -1
	if show.label != nil {
		label = show.label[0]
	}
	passes, err := parseWhere(f.Where, c, label)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p == nil || !passes(p) {
			return dst
		}
		return append(append(dst, d.Record...), d.EOL...)
	}, nil
}
