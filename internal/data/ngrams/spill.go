package ngrams

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unsafe"
)

// spilledRun is n-grams and their counts in the temporary file: first the rests of all hashes, ascending,
// and then the counts.
type spilledRun struct {
	at int64
	n  int
}

// spillPartition writes a partition's counts to the temporary file and empties the table.
func (c *Counter) spillPartition(p int) error {
	part := &c.partitions[p]
	run, err := c.writeRun(part.list(true, new(sorter)))
	if err != nil {
		return err
	}
	part.runs = append(part.runs, run)
	clear(part.table.Words)
	part.used, part.carries = 0, nil
	return nil
}

func (c *Counter) writeRun(counted counts) (spilledRun, error) {
	at, err := c.spill.write(bytesOf(counted.rests), bytesOf(counted.documents))
	return spilledRun{at, len(counted.rests)}, err
}

func (c *Counter) readRun(run spilledRun) (counts, error) {
	read := counts{rests: make([]uint64, run.n), documents: make([]uint32, run.n)}
	if err := c.spill.read(bytesOf(read.rests), run.at); err != nil {
		return read, err
	}
	return read, c.spill.read(bytesOf(read.documents), run.at+8*int64(run.n))
}

// spillFile is a temporary file that runs are written to; it is made with the first.
type spillFile struct {
	folder string
	mu     sync.Mutex
	file   *os.File
	end    int64
}

// write appends pieces and returns where the first begins.
func (s *spillFile) write(pieces ...[]byte) (at int64, err error) {
	s.mu.Lock()
	if s.file == nil {
		s.file, err = os.CreateTemp(s.folder, "counts-*")
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
		return 0, fmt.Errorf("ngrams: cannot write counts to a temporary file: %w", err)
	}
	return at, nil
}

// read fills b with what was written at a place.
func (s *spillFile) read(b []byte, at int64) error {
	if _, err := s.file.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("ngrams: cannot read counts from a temporary file: %w", err)
	}
	return nil
}

func (s *spillFile) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.file = nil
}

// bytesOf is a slice as it lies in memory.
func bytesOf[T uint32 | uint64](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
