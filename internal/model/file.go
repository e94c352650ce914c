package model

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// File is a model that is mapped from its file, read only.
type File struct {
	*Model
	mapping *osfile.Mapping
	inUse   sync.RWMutex // locked for reading while Guard runs
	closed  atomic.Bool
}

// format is that of model files.
var format = &container.Format{
	Name: "model", Magic: "\x89NBSVM\r\n", Version: 1, Other: ErrNotModel, Maker: "nbsvm train", Again: "train again",
}

// Section is a section of a model file, or its table.
type Section = container.Section

// Is reports whether data begin as models do.
func Is(data []byte) bool { return format.Is(data) }

// Open maps a model file, checks all of it, and lists its sections and its table with their checksums. These are
// returned also with an error, as far as they can be told. The file must not be changed in place while it is in use; to
// replace it by renaming is good.
func Open(path string) (f *File, list []Section, err error) {
	f = &File{}
	if f.mapping, err = Map(path); err != nil {
		return nil, nil, err
	}
	err = f.Guard(func() (err error) {
		f.Model, list, err = read(f.mapping.Bytes())
		return err
	})
	if err != nil {
		f.mapping.Close()
		return nil, list, format.Named(err, path)
	}
	return f, list, nil
}

// Mapped returns a model whose numbers lie in a mapped file of another format. Closing it unmaps the file.
func Mapped(m *Model, mapping *osfile.Mapping) *File { return &File{Model: m, mapping: mapping} }

// Map maps a file that may be a model.
func Map(path string) (*osfile.Mapping, error) {
	mapping, err := osfile.Map(path)
	switch {
	case err == nil:
		return mapping, nil
	case errors.Is(err, osfile.ErrNotRegular):
		return nil, fmt.Errorf("model: %w: %w", ErrNotModel, err)
	}
	return nil, fmt.Errorf("model: %w", err)
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

// What can be wrong with a model file, for errors.Is.
var (
	ErrNotModel     = errors.New("not a model file")
	ErrNewerVersion = container.ErrNewerVersion
	ErrTruncated    = container.ErrTruncated
	ErrChecksum     = container.ErrChecksum
	ErrCorrupt      = container.ErrCorrupt
)

// fileError tells what is wrong with a model file, and where; the offset is that within a section until that of the
// section is known.
type fileError = container.Error

// at returns the error about the contents of a section, at an offset within it.
func at(section string, offset int, message string, args ...any) *fileError {
	return format.Fault(section, int64(offset), ErrCorrupt, message, args...)
}

func wrongLength[T, U int | uint64](section string, have T, want U, what string) *fileError {
	return at(section, 0, "it has %d %s, which should be %d", have, what, want)
}
