// Package scratch makes hidden folders for temporary files, tells the temporary files of
// living processes from those that a process which was killed has left behind, and removes
// the latter.
//
// A process holds the lock of a temporary file for as long as it needs it; of a folder, that
// of the file "lock" in it. The system lets go of a lock with its process. Names have the
// machine in them: the lock of a process on another one, on a shared file system, need not be
// seen here. So what has a free lock and a name of this machine is abandoned, and Sweep may
// run at any time, in any number of processes. Where files can't be locked, nothing is swept.
//
// A Claim is such a file without contents: it keeps others from working on the same output.
package osfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	prefix   = ".nbsvm-pack-"
	lockName = "lock"
	unnamed  = "unnamed"
)

// machine is what names have of this machine, eight hexadecimal digits.
var machine = func() string {
	name, err := os.Hostname()
	if err != nil {
		return unnamed
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(name)))
}()

// Folder is a folder of this process.
type Folder struct {
	path string
	lock *os.File
	hold *Hold
}

// NewFolder makes a folder in another; "" is the system's for temporary files.
func NewFolder(parent string) (*Folder, error) {
	for {
		path, err := os.MkdirTemp(parent, prefix+machine+"-*")
		if err != nil {
			return nil, err
		}
		f := &Folder{path: path}
		err = f.claim()
		switch {
		case err == nil:
			return f, nil
		// Somebody has swept the folder before it was locked.
		case !errors.Is(err, ErrTaken) && !errors.Is(err, fs.ErrNotExist):
			return nil, errors.Join(err, f.Remove())
		}
	}
}

// claim locks the folder.
func (f *Folder) claim() (err error) {
	path := filepath.Join(f.path, lockName)
	if f.lock, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if f.hold, err = Lock(f.lock, path); err != nil {
		f.lock.Close()
	}
	return err
}

// Path is where the folder is.
func (f *Folder) Path() string { return f.path }

// Remove removes the folder with all that is in it. It does nothing for nil.
func (f *Folder) Remove() error {
	if f == nil {
		return nil
	}
	if f.lock == nil {
		return os.RemoveAll(f.path)
	}
	return removeFolder(f.path, func() {
		f.lock.Close()
		f.hold.Release()
	})
}

// removeFolder removes a folder, its lock last: it stays abandoned if this process is killed
// on the way. The lock is let go of before it is removed; on Windows it could not be else.
func removeFolder(path string, release func()) error {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	release()
	return errors.Join(err, os.RemoveAll(path))
}

// Sweep removes the temporary folders in a folder, by default that of the system, that nobody uses any more. What can't
// be removed stays.
func Sweep(parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent, false)
}
