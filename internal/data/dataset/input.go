package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// Input names what to read, and how.
type Input struct {
	Paths []string // "-" is Stdin; no paths at all mean Stdin, too
	// Stdin is what "-" and no path at all stand for; nil for none. A run that fails or is cancelled may leave a
	// read of it waiting: nothing else may read it then.
	Stdin io.Reader
	corpus.Options
	// ManyClasses says that a class may have hardly more than one document. Without it such
	// an input to train on is refused: most come of columns that were mistaken for each other.
	ManyClasses bool
	// Sample takes one in so many of the documents, chosen by their texts; 0 takes all. It is not for packed corpora.
	Sample int
	// Bad is told of bad records; nil fails at the first.
	Bad *corpus.BadRecords
	// RecordReading makes models and packed corpora keep what Options say of format, fields and
	// label separator, so that like files can be read alike: see corpus.Options.Like.
	RecordReading bool
}

// With is the same kind of input from other files.
func (in Input) With(paths ...string) Input {
	in.Paths, in.Documents = paths, nil
	return in
}

// ReadsStdin says whether standard input is among what is read.
func (in Input) ReadsStdin() bool {
	return in.Documents == nil && (len(in.Paths) == 0 || slices.Contains(in.Paths, "-"))
}

// Again is the input for reading it once more: what was told of it is not told again.
func (in Input) Again() Input {
	in.Bad, in.Note = in.Bad.Again(), nil
	return in
}

// Describe names an input in messages.
func (in Input) Describe() string {
	paths := in.Paths
	switch {
	case in.Documents != nil:
		return "documents in memory"
	case len(paths) == 0 || len(paths) == 1 && paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
}

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
