package flags

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// BadFile says what to do with a bad input of --out-dir.
type BadFile struct {
	OnBadFile string `needs:"out-dir" group:"output" enum:"fail,skip" default:"fail" placeholder:"WHAT" help:"With --out-dir, what to do with a damaged or wrong input: fail, or skip it and exit with status 3 (default: fail)."`
}

// PassOver reports whether an input is skipped because of the error.
func (f *BadFile) PassOver(err error) bool {
	return f.OnBadFile == "skip" && (corpus.IsBadFile(err) || errors.Is(err, corpus.ErrNoDocuments))
}
