// Package scratch makes hidden folders for temporary files, and removes those that a
// process which was killed has left behind.
//
// A folder has a file "lock", locked for as long as its process lives, that names the
// machine. Sweep removes a folder whose lock is free and names this machine: the lock of a
// process on another one, on a shared file system, need not be seen here. It may run at
// any time, in any number of processes. Where files can't be locked, and where a process
// was killed just as it made its folder, folders stay.
package scratch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	prefix   = ".nbsvm-pack-"
	lockName = "lock"
)

// Folder is a folder of this process.
type Folder struct {
	path string
	lock *os.File // nil where files can't be locked
}

// New makes a folder in another; "" is the system's for temporary files.
func New(parent string) (*Folder, error) {
	path, err := os.MkdirTemp(parent, prefix+"*")
	if err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	if err := f.claim(); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// claim locks the folder. It is named only then, so that it is swept only after the lock
// has been there.
func (f *Folder) claim() error {
	lock, err := os.OpenFile(filepath.Join(f.path, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := lockFile(lock, true); err != nil {
		return lock.Close()
	}
	f.lock = lock
	_, err = io.WriteString(lock, machine())
	return err
}

// Path is where the folder is.
func (f *Folder) Path() string { return f.path }

// Remove removes the folder with all that is in it. It does nothing for nil.
func (f *Folder) Remove() error {
	if f == nil {
		return nil
	}
	if f.lock != nil {
		f.lock.Close() // an open file could not be removed on Windows
	}
	return os.RemoveAll(f.path)
}

// Sweep removes the folders in another one that nobody uses any more. What can't be
// removed stays.
func Sweep(parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) && abandoned(path) {
			os.RemoveAll(path)
		}
	}
}

// abandoned tells whether the process of a folder was one of this machine, and is gone.
func abandoned(folder string) bool {
	path := filepath.Join(folder, lockName)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	lock, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close()
	if lockFile(lock, false) != nil {
		return false
	}
	const longest = 1 << 10
	name, err := io.ReadAll(io.LimitReader(lock, longest))
	return err == nil && len(name) > 0 && string(name) == machine()
}

// machine is the name of this machine; "" is that of none.
func machine() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
