package model

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a model file, for errors.Is.
var (
	ErrNotModel     = errors.New("not a model file")
	ErrNewerVersion = errors.New("of a newer format")
	ErrTruncated    = errors.New("truncated")
	ErrChecksum     = errors.New("checksum does not match")
	ErrCorrupt      = errors.New("contradicts itself")
)

// advice says what to do about each.
var advice = map[error]string{
	ErrNotModel:     "give a file that nbsvm train has written",
	ErrNewerVersion: "update nbsvm",
	ErrTruncated:    "copy the file again, or train again",
	ErrChecksum:     "the file is damaged: copy it again, or train again",
	ErrCorrupt:      "the file is damaged, or not made by nbsvm: get it from its source again, or train again",
}

// fileError tells what is wrong with a model file, and where.
type fileError struct {
	Path    string // "" where there is only data
	Section string // "HEADER", or the name of a section
	Offset  int64  // from the beginning of the file
	Kind    error  // one of the sentinels of this package
	Detail  string
}

func (e *fileError) Error() string {
	var b strings.Builder
	b.WriteString("model: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	fmt.Fprintf(&b, "%s at byte %d: %v: %s: %s", e.Section, e.Offset, e.Kind, e.Detail, advice[e.Kind])
	return b.String()
}

// Unwrap is Kind.
func (e *fileError) Unwrap() error { return e.Kind }

// problem is what is wrong with the contents of a section.
type problem struct {
	section string
	offset  int // within the section
	detail  string
}

// asError is the error about a model that does not come from a file.
func (p *problem) asError() error { return fmt.Errorf("model: %s: %s", p.section, p.detail) }

func at(section string, offset int, format string, args ...any) *problem {
	return &problem{section, offset, fmt.Sprintf(format, args...)}
}

func wrongLength[T, U int | uint64](section string, have T, want U, what string) *problem {
	return at(section, 0, "it has %d %s, which should be %d", have, what, want)
}
