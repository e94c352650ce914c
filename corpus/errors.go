package corpus

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// RecordError says what is wrong with one record. Other records can still be read.
type RecordError struct {
	Path   string // of the file
	Line   int64  // where the record begins, from 1; 0 if unknown
	Offset int64  // where it begins, in bytes of the decompressed file
	// RowGroup, of formats that have them, is that of the record, from 1; Line is then its row in the file.
	RowGroup int
	Reason   Reason // the kind of fault
	Err      error
	header   []byte // of the file, for the quarantine
}

func (e *RecordError) Error() string {
	if e.RowGroup > 0 {
		return fmt.Sprintf("corpus: %s: row %d (row group %d): %v", e.Path, e.Line, e.RowGroup, e.Err)
	}
	if e.Path == memoryName {
		return fmt.Sprintf("corpus: document %d in memory: %v", e.Line, e.Err)
	}
	line := ""
	if e.Line > 0 {
		line = fmt.Sprintf(":%d", e.Line)
	}
	return fmt.Sprintf("corpus: %s%s (byte %d): %v", e.Path, line, e.Offset, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// FileError says why a file cannot be read, or read on. It ends the reading, and no policy for bad records applies to
// it: how many records are lost is unknown, so the file can't stand for what it should hold.
type FileError struct {
	Path   string // of the file, or "standard input"
	Line   int64  // of damage in text: the line where the lost records begin, from 1; 0 if unknown
	Row    int64  // of damage in Parquet: the row likewise
	Offset int64  // bytes of the decompressed file that could be read, up to that line
	// Damaged says that the file is cut off, or that its compressed data or pages are not as they were written.
	Damaged bool
	Err     error
	// refused says that the file could be read, and is not what it was said to be.
	refused bool
}

// refuse returns the error of a file that is not what it was said to be.
func refuse(path string, why error) error { return &FileError{Path: path, Err: why, refused: true} }

func (e *FileError) Error() string {
	switch {
	case e.Row > 0:
		return fmt.Sprintf("corpus: %s: from row %d on: %v", e.Path, e.Row, e.Err)
	case e.Line > 0:
		return fmt.Sprintf("corpus: %s:%d (byte %d): %v", e.Path, e.Line, e.Offset, e.Err)
	case e.Offset == 0:
		return fmt.Sprintf("corpus: %s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("corpus: %s: after %d bytes: %v", e.Path, e.Offset, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// IsBadFile reports whether an error is about a whole file: it is damaged, not in the format that was expected, or
// holds no documents. It is false for a bad record, and if a file could not be opened or read: another attempt may
// succeed.
func IsBadFile(err error) bool {
	of, file := errors.AsType[*FileError](err)
	return file && (of.Damaged || of.refused) || errors.Is(err, ErrNoDocuments)
}

// Faults of records, for errors.Is.
var (
	// ErrNoDocuments is an input to train on, to pack or to evaluate on that holds no documents.
	ErrNoDocuments = errors.New("no documents")
	// ErrFormat is a file that does not look like the format that Input.Format or its name says.
	ErrFormat = errors.New("is not")
	// ErrTooLong is a record longer than Input.MaxRecord.
	ErrTooLong = errors.New("longer than the longest record allowed")
	// errUnclosedQuote is a quoted CSV field without an end.
	errUnclosedQuote = errors.New("a quoted field does not end")
)

// errPassedOver is a record without a label, which is neither good nor bad.
var errPassedOver = errors.New("no label, so that it is passed over")

// errTruncated is a file that became shorter while it was read, for errors.Is.
var errTruncated = errors.New("truncated while it was read")

// fault is what is wrong with a record. Error formats the message, so that a file of a
// million bad records, of which few are shown, costs no million messages.
type fault struct {
	reason Reason
	what   string
	err    error  // instead of what
	near   []byte // the offending bytes, a view; nil if the message has none
	hint   string // what to do about it; empty if what says so
	// field, if not empty, is one that a record of JSON lacks: the message lists those that it has.
	field string
}

func (f *fault) Error() string {
	text := f.what
	if f.err != nil {
		text = f.err.Error()
	}
	if f.near != nil {
		text += ", in " + display.Excerpt(f.near)
	}
	hint := f.hint
	if f.field != "" {
		hint = jsonNames(f.near, f.field)
		if of := noneHints[f.field]; of != "" {
			hint += "; " + of
		}
	}
	if hint != "" {
		text += ": " + hint
	}
	return text
}

func (f *fault) Unwrap() error { return f.err }

// cause strips the path that package os puts into its errors.
func cause(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
