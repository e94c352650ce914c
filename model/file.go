package model

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mmap"
)

// File is a model that is mapped from its file, read only.
type File struct {
	*Model
	mapping *mmap.Mapping
	inUse   sync.RWMutex // locked for reading while Guard runs
	closed  bool
}

// Open maps a model file and checks all of it. The file must not
// be changed in place while it is in use; to replace it by renaming is good.
func Open(path string) (*File, error) {
	f := &File{}
	var err error
	if f.mapping, err = mmap.Open(path); err != nil {
		return nil, fmt.Errorf("model: %w", err)
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

// Guard runs fn, which may use the model, and returns its error. If meanwhile
// the file is truncated by someone else, that is an error as well, instead of
// the end of the process. It protects fn on this goroutine only. Of a closed file it is an
// error. fn must not call Guard or Close.
func (f *File) Guard(fn func() error) error {
	f.inUse.RLock()
	defer f.inUse.RUnlock()
	if f.closed {
		return fmt.Errorf("model: %s: %w", f.mapping.Path(), fs.ErrClosed)
	}
	return mmap.Guard(f.mapping, fn)
}

// Close gives the memory back, once all calls of Guard have returned. After that the model
// must not be used. A second call does nothing.
func (f *File) Close() error {
	f.inUse.Lock()
	defer f.inUse.Unlock()
	f.closed = true
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
	mapping, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer mapping.Close()
	err = mmap.Guard(mapping, func() (err error) {
		_, list, err = read(mapping.Bytes())
		return err
	})
	if err != nil {
		return list, withPath(err, path)
	}
	return list, nil
}
