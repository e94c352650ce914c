package osfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Spill is a temporary file for data that memory has no room for. It is made when something is first written to it.
// Write and Read may be called from several goroutines at once.
type Spill struct {
	Folder string // that the file is in; "" is the system's for temporary files

	mu   sync.Mutex
	file *os.File
	end  int64
}

// Write appends pieces and returns where the first begins.
func (s *Spill) Write(pieces ...[]byte) (at int64, err error) {
	s.mu.Lock()
	if s.file == nil {
		s.file, err = os.CreateTemp(s.Folder, "spilled-*")
		if err == nil {
			os.Remove(s.file.Name()) // where the system allows it, nothing is left behind whatever happens
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
		return 0, fmt.Errorf("scratch: cannot write to a temporary file: %w", err)
	}
	return at, nil
}

// Read fills b with what was written at a place.
func (s *Spill) Read(b []byte, at int64) error {
	if _, err := s.file.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("scratch: cannot read from a temporary file: %w", err)
	}
	return nil
}

// Close removes the file, if there is one.
func (s *Spill) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.file = nil
}
