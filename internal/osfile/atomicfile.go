// Package osfile reads and writes files: outputs that appear whole or not at all, inputs that must be regular files or
// are mapped, compressed text, patterns of names, and temporary files.
//
// The bytes of an output, a [File], go to a temporary file ".NAME.nbsvm-<machine>-<number>.tmp" in the
// folder of the file to be written. Commit flushes and syncs it, renames it
// over the name, and syncs the folder: whoever opens the name, at any time and
// after any crash, finds the old file or the new one, never half. A process
// that is killed leaves at most the temporary file behind; nothing reads
// those, and who writes a file in the same folder next removes them. (Linux has
// files without a name, O_TMPFILE, of which nothing would be left. They can't
// replace a file without taking a temporary name first, some file systems don't
// have them, and that a link to them is refused shows only at the end.)
//
// What follows from replacing rather than overwriting: a symbolic link keeps
// pointing where it did and its target is replaced; permission bits are
// carried over from the old file, ownership and extended attributes are not;
// other hard links to the old file keep the old content; and what must be
// writable is the folder, not the old file.
//
// Things that cannot be replaced (/dev/stdout, /dev/null, a FIFO, whatever is
// no regular file) are written straight through, in order, from the first byte.
package osfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Bytes are written so many at a time. Files get a large page of memory at a time, from
// its first byte on: the system's cache then keeps it as one, and whoever maps the file
// has 47 MB in 0.1 ms instead of 5. What is written straight through is waited for.
const (
	bufferSize  = 2 << 20
	throughSize = 64 << 10
)

// File is a file being written. It is an io.Writer; writes are buffered. It is
// not for concurrent use.
type File struct {
	fs       fileSystem
	path     string // as given, for messages
	target   string // what Commit replaces
	temp     string // where the bytes are now; "" when written straight through
	handle   handle // nil once closed; locked while it has the temporary name
	buf      *bufio.Writer
	failed   error // the first failure, which every later call returns
	settled  bool  // committed or aborted
	finished bool  // all bytes are on the disk
}

// Create starts writing the file of the given path; nothing is there to be seen
// until Commit. The folder must exist. Permission bits are those of the file
// that will be replaced, or 0666 less the umask.
//
// A path that is no regular file is written straight through; opening a FIFO
// waits for its reader.
func Create(path string) (*File, error) { return create(system{}, path) }

func create(sys fileSystem, path string) (*File, error) {
	t, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: cannot write %s: %w", cmp.Or(path, `""`), err)
	}
	f, size := &File{fs: sys, path: path, target: t.path}, bufferSize
	if t.through {
		size = throughSize
		// Append, so that "-o /dev/stdout >> log" adds to the log.
		f.handle, err = sys.OpenFile(t.path, os.O_WRONLY|os.O_APPEND, 0)
	} else {
		err = f.openTemp(t)
	}
	if err != nil {
		return nil, fmt.Errorf("nbsvm: cannot write %s: %w", path, cause(err))
	}
	f.buf = bufio.NewWriterSize(f.handle, size)
	return f, nil
}

// openTemp creates the temporary file with the permissions the target has.
func (f *File) openTemp(t target) (err error) {
	perm := fs.FileMode(0o666)
	if t.exists {
		perm = t.perm
	}
	sweep(filepath.Dir(t.path))
	if f.handle, err = f.fs.OpenFile(t.path, os.O_WRONLY|os.O_EXCL, perm); err != nil {
		return err
	}
	f.temp = f.handle.Name()
	if t.exists {
		// The umask took bits from perm; the old file had them.
		if err = f.handle.Chmod(perm); err != nil {
			return errors.Join(cause(err), f.discard())
		}
	}
	return nil
}

// Write appends p to the file. An error stays: later writes and Commit return
// it too. What is written straight through is not held back: a reader may wait for it.
func (f *File) Write(p []byte) (n int, err error) {
	if err := f.usable(); err != nil {
		return 0, err
	}
	for n < len(p) && err == nil {
		if f.buf.Available() == 0 {
			err = f.buf.Flush()
			continue
		}
		// More than there is room for would not go through the buffer.
		var k int
		k, err = f.buf.Write(p[n:min(n+f.buf.Available(), len(p))])
		n += k
	}
	if err == nil && f.temp == "" {
		err = f.buf.Flush()
	}
	return n, f.note("write", err)
}

// Commit flushes, syncs and closes the file, gives it its name and syncs the
// folder. On an error the old file is as it was and the temporary one is gone;
// only if the folder's sync is what failed, which the message says, the new
// file is in place, though a power failure might still undo the renaming.
// A second Commit does nothing and returns what the first did; Commit after
// Abort is an error.
func (f *File) Commit() error {
	if f.settled {
		return f.failed
	}
	f.settled = true
	if err := f.publish(); err != nil {
		f.failed = errors.Join(err, f.discard())
		return f.failed
	}
	if f.temp == "" {
		return nil
	}
	err := f.close()
	if err == nil {
		err = f.fs.SyncFolder(filepath.Dir(f.target))
	}
	if err != nil {
		f.failed = fmt.Errorf("nbsvm: %s is written, but not known to be safe on the disk: %w",
			f.path, cause(err))
	}
	return f.failed
}

// CommitAll commits files that belong together: none takes its name before the bytes of all are
// on the disk. Files that are not committed are to be aborted.
func CommitAll(files ...*File) error {
	for _, f := range files {
		if err := f.finish(); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := f.Commit(); err != nil {
			if i > 0 {
				err = fmt.Errorf("%w; %s is written already", err, files[0].path)
			}
			return err
		}
	}
	return nil
}

// publish does what must not fail before the new file counts.
func (f *File) publish() error {
	if err := f.finish(); err != nil {
		return err
	}
	if f.temp == "" || closeFirst {
		if err := f.close(); err != nil {
			return f.note("close", err)
		}
	}
	if f.temp == "" {
		return nil
	}
	return f.note("replace", f.fs.Rename(f.temp, f.target))
}

// finish brings all bytes to the disk. Nothing can be written afterwards.
func (f *File) finish() error {
	if f.failed != nil || f.finished {
		return f.failed
	}
	f.finished = true
	if err := f.note("write", f.buf.Flush()); err != nil {
		return err
	}
	if err := f.handle.Sync(); err != nil && !unsupported(err) {
		return f.note("sync", err)
	}
	return nil
}

// close closes the file, once.
func (f *File) close() error {
	h := f.handle
	if f.handle = nil; h == nil {
		return nil
	}
	return h.Close()
}

// Abort gives the file up: the old one is as it was. It does nothing after
// Commit or Abort, so that it can always be deferred. What was written straight
// through cannot be taken back.
func (f *File) Abort() {
	if f.settled {
		return
	}
	f.settled = true
	f.failed = fmt.Errorf("nbsvm: cannot write %s: writing was aborted: %w", f.path, fs.ErrClosed)
	f.discard()
}

// discard closes and removes the temporary file. The error of closing a file
// that nobody wants does not matter; a file left behind does.
func (f *File) discard() error {
	if f.temp == "" || closeFirst {
		_ = f.close()
	}
	if f.temp == "" {
		return nil
	}
	err := f.fs.Remove(f.temp)
	_ = f.close()
	if err != nil {
		return fmt.Errorf("nbsvm: cannot remove the temporary file %s: %w: remove it by hand", f.temp, cause(err))
	}
	return nil
}

// usable returns the error that forbids writing, if there is one.
func (f *File) usable() error {
	if f.failed == nil && f.settled {
		return fmt.Errorf("nbsvm: cannot write %s: it is finished: %w", f.path, fs.ErrClosed)
	}
	return f.failed
}

// note keeps the first failure, put in words.
func (f *File) note(verb string, err error) error {
	if err != nil && f.failed == nil {
		f.failed = fmt.Errorf("nbsvm: cannot %s %s: %w", verb, f.path, cause(err))
	}
	return f.failed
}

// WriteFile replaces the file of the given path by what write writes, if that
// returns nil. Otherwise the old file stays, and the error is returned as it is.
func WriteFile(path string, write func(io.Writer) error) error {
	return writeFile(system{}, path, write)
}

func writeFile(sys fileSystem, path string, write func(io.Writer) error) error {
	f, err := create(sys, path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// CheckWritable finds out whether a file could be written, before hours are spent on what should go into it. Nothing is
// left behind.
func CheckWritable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe's reader would notice
	}
	f, err := Create(path)
	if err == nil {
		f.Abort()
	}
	return err
}

// fileSystem is what the package asks of the operating system to change
// anything. Tests put one between that fails at a chosen call.
type fileSystem interface {
	// OpenFile opens a file or, with O_EXCL, a new hidden one beside it.
	OpenFile(name string, flag int, perm fs.FileMode) (handle, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncFolder(name string) error
}

// handle is an open file.
type handle interface {
	io.WriteCloser
	Name() string
	Chmod(perm fs.FileMode) error
	Sync() error
}

// system is the real file system.
type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (handle, error) {
	open := os.OpenFile
	if flag&os.O_EXCL != 0 {
		open = createHidden
	}
	f, err := open(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
	}
	return f, nil
}

func (system) Rename(from, to string) error { return rename(from, to) }

func (system) Remove(name string) error { return os.Remove(name) }

func (system) SyncFolder(name string) error { return syncFolder(name) }

// unsupported reports whether an error of a sync means that there is nothing to
// sync here (a pipe, a terminal, some network file systems), not that it failed.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// cause returns the error without the names that os put around it: the message names
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
