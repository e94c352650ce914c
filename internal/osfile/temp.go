package osfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Temp is a temporary file of this process.
type Temp struct{ *os.File }

// CreateTemp creates a file to read and write in a folder; "" is the system's for temporary files. It removes those
// that killed processes have left there.
func CreateTemp(folder string) (*Temp, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	sweep(folder)
	f, err := createHidden(filepath.Join(folder, "data"), os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &Temp{f}, nil
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
