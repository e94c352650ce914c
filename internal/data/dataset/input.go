package dataset

import "errors"

// Progress says how far a stage of the work is.
type Progress struct {
	Stage       string // read, layout, names, hold out, resume, plan, solve, folds
	Done, Total int64  // in the stage's unit; Total is -1 where unknown
	Unit        string // bytes, classes or epochs
	Documents   int64  // read so far
	Text        int64  // bytes of their text, of which files may have more or, compressed, fewer
	Detail      string // gap and epoch of a solution under way
}

var errKinds = errors.New("nbsvm: some inputs hold text and others ready-made features, or those of the format vw")
