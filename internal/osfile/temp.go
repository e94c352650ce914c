// Temporary files are hidden, and told from those that a process which was killed has left behind by their locks.
//
// A process holds the lock of a temporary file for as long as it needs it. The system lets go of a lock with its
// process. Names have the machine in them: the lock of a process on another one, on a shared file system, need not be
// seen here. So what has a free lock and a name of this machine is abandoned, and SweepFolder may run at any time, in
// any number of processes. Where files can't be locked, nothing is swept.
//
// A Claim is such a file without contents: it keeps others from working on the same output.

package osfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

const unnamed = "unnamed"

// machine is what names have of this machine, eight hexadecimal digits.
var machine = func() string {
	name, err := os.Hostname()
	if err != nil {
		return unnamed
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(name)))
}()

// Temp is a temporary file of this process.
type Temp struct {
	*os.File
	hold *Hold
}

// swept has the folders that CreateTemp has looked into, once each: they may have very many files.
var swept sync.Map

// CreateTemp creates a file to read and write in a folder; "" is the system's for temporary files. It removes those
// that killed processes have left there.
func CreateTemp(folder string) (*Temp, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	if _, done := swept.LoadOrStore(folder, true); !done {
		SweepFolder(folder)
	}
	for {
		path := ScratchName(filepath.Join(folder, "data"), Numbered)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		hold, err := Lock(f, path)
		if err == nil {
			return &Temp{f, hold}, nil
		}
		f.Close()
		if !errors.Is(err, ErrTaken) { // somebody has swept the file before it was locked
			return nil, err
		}
	}
}

// Unlink takes the file's name away, where the system allows that of an open file: nothing is left behind then,
// whatever happens.
func (t *Temp) Unlink() { _ = os.Remove(t.Name()) }

// Close closes and removes the file. It does nothing for nil.
func (t *Temp) Close() error {
	if t == nil {
		return nil
	}
	if closeFirst {
		t.File.Close()
	}
	err := os.Remove(t.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if !closeFirst {
		err = errors.Join(err, t.File.Close())
	}
	t.hold.Release()
	return err
}

// MakeTable returns [mem.MakeInFile] with a temporary file in a folder.
func MakeTable[T any](n int, folder string) (table []T, free func(), err error) {
	f, err := CreateTemp(folder)
	if err != nil {
		return nil, nil, err
	}
	table, free, err = mem.MakeInFile[T](n, f.File)
	return table, free, errors.Join(err, f.Close())
}

// Spill is a temporary file for data that memory has no room for. It is made when something is first written to it.
// Write and Read may be called from several goroutines at once.
type Spill struct {
	Folder string // that the file is in; "" is the system's for temporary files

	mu   sync.Mutex
	file *Temp
	end  int64
}

// Write appends pieces and returns where the first begins.
func (s *Spill) Write(pieces ...[]byte) (at int64, err error) {
	s.mu.Lock()
	if s.file == nil {
		if s.file, err = CreateTemp(s.Folder); err == nil {
			s.file.Unlink()
		}
	}
	at = s.end
	for _, p := range pieces {
		s.end += int64(len(p))
	}
	s.mu.Unlock()
	next := at
	for _, p := range pieces {
		if err == nil {
			_, err = s.file.WriteAt(p, next)
		}
		next += int64(len(p))
	}
	if err != nil {
		return 0, fmt.Errorf("nbsvm: cannot write to a temporary file: %w", err)
	}
	return at, nil
}

// Read fills b with what was written at a place.
func (s *Spill) Read(b []byte, at int64) error {
	if _, err := s.file.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("nbsvm: cannot read from a temporary file: %w", err)
	}
	return nil
}

// Close removes the file, if there is one.
func (s *Spill) Close() {
	_ = s.file.Close() // nobody asks for what was in it
	s.file = nil
}
