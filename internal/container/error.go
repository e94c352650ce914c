package container

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// What can be wrong with a file, for errors.Is; and the Other of its format.
var (
	ErrNewerVersion = errors.New("of a newer format")
	ErrTruncated    = osfile.ErrTruncated
	ErrChecksum     = errors.New("checksum does not match")
	ErrCorrupt      = errors.New("contradicts itself")
)

// Error tells what is wrong with a file, and where.
type Error struct {
	Format *Format
	Path   string // "" where there is only data
	Part   string // HEADER, TABLE, FOOTER, the name of a section, or what a format calls a part of one
	Offset int64  // from the beginning of the file; -1 of what does not come from a file
	Kind   error  // one of those above, or the format's Other
	Detail string
}

// Error returns the whole message, with advice.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Format.Name + ": ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Part)
	if e.Offset < 0 {
		return b.String() + ": " + e.Detail
	}
	fmt.Fprintf(&b, " at byte %d: %v: %s: %s", e.Offset, e.Kind, e.Detail, e.advice())
	return b.String()
}

// advice says what to do.
func (e *Error) advice() string {
	switch f := e.Format; e.Kind {
	case f.Other:
		return "give a file that " + f.Maker + " has written"
	case ErrNewerVersion:
		return "update nbsvm"
	case ErrTruncated:
		return "copy the file again, or " + f.Again
	case ErrChecksum:
		return "the file is damaged: copy it again, or " + f.Again
	}
	return "the file is damaged, or not made by nbsvm: get it from its source again, or " + e.Format.Again
}

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.Kind }

// Fault returns an error about a part of a file of the format.
func (f *Format) Fault(part string, offset int64, kind error, format string, args ...any) *Error {
	return &Error{Format: f, Part: part, Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Named returns an error of a file with its path.
func (f *Format) Named(err error, path string) error {
	if e, is := errors.AsType[*Error](err); is {
		e.Path = path
		return err
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}
