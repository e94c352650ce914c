package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// fileSystem is what the package asks of the operating system to change
// anything. Tests put one between that fails at a chosen call.
type fileSystem interface {
	OpenFile(name string, flag int, perm fs.FileMode) (handle, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncFolder(name string) error
}

// handle is an open file.
type handle interface {
	io.WriteCloser
	Chmod(perm fs.FileMode) error
	Sync() error
}

// system is the real file system.
type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (handle, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
	}
	return f, nil
}

func (system) Rename(from, to string) error { return rename(from, to) }

func (system) Remove(name string) error { return os.Remove(name) }

func (system) SyncFolder(name string) error { return syncFolder(name) }

// unsupported tells whether an error of a sync means that there is nothing to
// sync here (a pipe, a terminal, some network file systems), not that it failed.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// cause is the error without the names that os put around it: the message names
// the file the user asked for, not the temporary one.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
