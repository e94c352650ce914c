package vocab

import (
	"errors"

	"github.com/seed-167f963f/nbsvm/internal/container"
)

// format is that of packed corpora.
var format = &container.Format{
	Name: "packed", Magic: "\x89NBSVC\r\n", Version: 1, Other: errors.New("not a packed corpus"), Maker: "nbsvm pack",
	Again: "pack again",
}

// The sections.
const (
	rowsName    = "ROWS"
	metaName    = "META"
	labelsName  = "LABELS"
	setsName    = "SETS"
	weightsName = "WEIGHTS"
	keysName    = "KEYS"
	runsName    = "RUNS"
	namesName   = "NAMES"
	blocksName  = "BLOCKS"
	totalsName  = "TOTALS"
)

// known are all of them.
var known = []string{
	rowsName, metaName, labelsName, setsName, weightsName, keysName, runsName, namesName, blocksName, totalsName,
}

const (
	blockSize  = 40 // of a line of BLOCKS
	totalsSize = 40
)

// Section is a section of a file.
type Section = container.Section

// Totals are numbers of a whole corpus.
type Totals struct {
	Documents uint64
	Entries   uint64 // of all rows
	Columns   uint64
	Distinct  uint64 // keys that documents had, those of rare ones included, which have no column
}

// totals is the section TOTALS.
type totals struct {
	Totals
	Kind Values
	_    uint32
}

// Is reports whether a file that begins so is a packed corpus, of whatever version.
func Is(beginning []byte) bool { return format.Is(beginning) }

// What can be wrong within a packed corpus.
var corrupt, badChecksum = container.ErrCorrupt, container.ErrChecksum

// fileError tells what is wrong with a packed corpus, and where.
type fileError = container.Error

// fault returns the error about a part of a corpus, at an offset in the file.
func fault(part string, offset int64, kind error, message string, args ...any) *fileError {
	return format.Fault(part, offset, kind, message, args...)
}
