package model

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// File is a model that is mapped from its file, read only.
type File struct {
	*Model
	mapping *osfile.Mapping
	inUse   sync.RWMutex // locked for reading while Guard runs
	closed  atomic.Bool
}

// Is reports whether data begin as models do.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Open maps a model file and checks all of it. The file must not
// be changed in place while it is in use; to replace it by renaming is good.
func Open(path string) (*File, error) {
	f := &File{}
	var err error
	if f.mapping, err = osfile.Map(path); err != nil {
		return nil, notOpened(err)
	}
	err = f.Guard(func() (err error) {
		f.Model, _, err = read(f.mapping.Bytes())
		return err
	})
	if err != nil {
		f.mapping.Close()
		return nil, withPath(err, path)
	}
	return f, nil
}

// notOpened returns the error about a file that could not be mapped.
func notOpened(err error) error {
	if errors.Is(err, osfile.ErrNotRegular) {
		return fmt.Errorf("model: %w: %w", ErrNotModel, err)
	}
	return fmt.Errorf("model: %w", err)
}

// Read takes a model from the bytes of its file and checks all of it. Large arrays are views of the bytes, which must
// not change as long as the model is in use.
func Read(data []byte) (*Model, error) {
	m, _, err := read(data)
	return m, err
}

// Guard runs fn, which may use the model, and returns its error. If meanwhile
// the file is truncated by someone else, that is an error as well, instead of
// the end of the process. It protects fn on this goroutine only. Of a closed file it is an
// error. fn must not call Guard or Close.
func (f *File) Guard(fn func() error) error {
	f.inUse.RLock()
	defer f.inUse.RUnlock()
	if err := f.checkOpen(); err != nil {
		return err
	}
	return osfile.Guard(f.mapping, fn)
}

// Protect is like Guard for what is short and often done: that the file is not closed meanwhile is up to the caller.
func (f *File) Protect(fn func() error) error {
	if err := f.checkOpen(); err != nil {
		return err
	}
	return osfile.Protect(f.mapping, fn)
}

func (f *File) checkOpen() error {
	if f.closed.Load() {
		return fmt.Errorf("model: %s: %w: open the model again, or close it later", f.mapping.Path(), fs.ErrClosed)
	}
	return nil
}

// Lost returns the error about a file of which something has gone while it was in use.
func (f *File) Lost() error { return fmt.Errorf("model: %w", f.mapping.Lost()) }

// Close gives the memory back, once all calls of Guard have returned. After that the model
// must not be used. A second call does nothing.
func (f *File) Close() error {
	f.inUse.Lock()
	defer f.inUse.Unlock()
	f.closed.Store(true)
	return f.mapping.Close()
}

// withPath names the file in an error of this package.
func withPath(err error, path string) error {
	if e, ok := errors.AsType[*fileError](err); ok {
		e.Path = path
		return err
	}
	return fmt.Errorf("model: %w", err)
}

// Verify checks a model file as Open does, and lists its header and sections with their
// checksums. These are returned also with an error, as far as they can be told.
func Verify(path string) (list []Section, err error) {
	mapping, err := osfile.Map(path)
	if err != nil {
		return nil, notOpened(err)
	}
	defer mapping.Close()
	err = osfile.Guard(mapping, func() (err error) {
		_, list, err = read(mapping.Bytes())
		return err
	})
	if err != nil {
		return list, withPath(err, path)
	}
	return list, nil
}

// What can be wrong with a model file, for errors.Is.
var (
	ErrNotModel     = errors.New("not a model file")
	ErrNewerVersion = errors.New("of a newer format")
	ErrTruncated    = osfile.ErrTruncated
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
	Offset  int64  // from the beginning of the file, or of the section until that is known; -1 without a file
	Kind    error  // one of the sentinels of this package
	Detail  string
}

func (e *fileError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("model: %s: %s", e.Section, e.Detail)
	}
	var b strings.Builder
	b.WriteString("model: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	fmt.Fprintf(&b, "%s at byte %d: %v: %s: %s", e.Section, e.Offset, e.Kind, e.Detail, advice[e.Kind])
	return b.String()
}

// Unwrap returns the kind of the error.
func (e *fileError) Unwrap() error { return e.Kind }

// outside returns the error about a model that does not come from a file, where offsets mean nothing.
func (e *fileError) outside() *fileError {
	e.Offset = -1
	return e
}

// at returns the error about the contents of a section, at an offset within it.
func at(section string, offset int, format string, args ...any) *fileError {
	return &fileError{Section: section, Offset: int64(offset), Kind: ErrCorrupt, Detail: fmt.Sprintf(format, args...)}
}

func wrongLength[T, U int | uint64](section string, have T, want U, what string) *fileError {
	return at(section, 0, "it has %d %s, which should be %d", have, what, want)
}
