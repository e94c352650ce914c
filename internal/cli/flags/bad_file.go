package flags

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// BadFile says what becomes of bad files, of each of which an output is to be made.
type BadFile struct {
	OnBadFile string `group:"output" enum:"fail,skip" default:"fail" placeholder:"WHAT" help:"With --out-dir, what to do with a damaged or wrong input: fail, or skip it and exit with status 3 (default: fail)."`
}

// PassOver tells whether an input is passed over, by the error that making its output failed with.
func (f *BadFile) PassOver(err error) bool {
	return f.OnBadFile == "skip" && (corpus.IsBadFile(err) || errors.Is(err, corpus.ErrNoDocuments))
}
