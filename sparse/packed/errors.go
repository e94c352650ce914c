package packed

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a packed corpus, for errors.Is.
var (
	ErrNotCorpus    = errors.New("not a packed corpus")
	ErrNewerVersion = errors.New("of a newer format")
	ErrTruncated    = errors.New("truncated")
	ErrChecksum     = errors.New("checksum does not match")
	ErrCorrupt      = errors.New("contradicts itself")
)

// advice says what to do about each.
var advice = map[error]string{
	ErrNotCorpus:    "give a file that nbsvm pack has written",
	ErrNewerVersion: "update nbsvm",
	ErrTruncated:    "copy the file again, or pack again",
	ErrChecksum:     "the file is damaged: copy it again, or pack again",
	ErrCorrupt:      "the file is damaged, or not made by nbsvm: pack again",
}

// FileError tells what is wrong with a packed corpus, and where.
type FileError struct {
	Path   string
	Part   string // HEADER, FOOTER, TABLE, BLOCK n, or the name of a section
	Offset int64  // from the beginning of the file
	Kind   error  // one of the sentinels of this package
	Detail string
}

func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString("packed: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	fmt.Fprintf(&b, "%s at byte %d: %v: %s: %s", e.Part, e.Offset, e.Kind, e.Detail, advice[e.Kind])
	return b.String()
}

// Unwrap is Kind.
func (e *FileError) Unwrap() error { return e.Kind }

func fault(part string, offset int64, kind error, format string, args ...any) *FileError {
	return &FileError{Part: part, Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}
