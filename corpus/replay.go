package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Replay reads an input several times, each time from its beginning:
//
//	replay := corpus.NewReplay(input, temp)
//	defer replay.Close()
//	for pass := range 2 {
//		reader, err := replay.Open()
//		...
//		chunk, err := reader.Next() // until io.EOF, or earlier
//		...
//		reader.Close()
//	}
//
// Every reader returns the same documents in the same order, including bad ones: report those of one reading only. Use
// one reader at a time.
//
// Each reader opens the files again. If a file has been replaced or changed since it was first opened, the reader
// returns an error. Standard input, pipes and files of Input.Files are copied to a temporary file while they are read
// for the first time; later readers read the copy. If the first reader stops early, the next one continues the copy.
type Replay struct {
	in    Input
	temp  string
	files []replayed // parallel to paths; nil before the first Open
	sizes []int64    // parallel to paths; -1 of what has none
	total int64      // bytes to read; -1 if that is not known yet
}

// replayed is what a replay knows of a file that was opened.
type replayed struct {
	info fs.FileInfo // of a regular file
	copy *spool      // of anything else
}

// NewReplay returns a Replay of what Open would read. Copies of what can be read only once are temporary files in
// the folder temp; "" stands for the system's.
func NewReplay(in Input, temp string) *Replay {
	if len(in.Paths) == 0 && in.Documents == nil {
		in.Paths = []string{"-"}
	}
	return &Replay{in: in, temp: temp}
}

// Open begins to read the input, as the function Open does.
func (r *Replay) Open() (*Reader, error) {
	return open(r.in, r)
}

// Close removes the copies. No reader can be used any more.
func (r *Replay) Close() error {
	var errs []error
	for _, f := range r.files {
		if f.copy != nil {
			errs = append(errs, f.copy.close())
		}
	}
	r.files = nil
	return errors.Join(errs...)
}

// open opens the file of a source, the k-th of the input, or its copy.
func (r *Replay) open(s *source, k int, stop <-chan struct{}) error {
	f := &r.files[k]
	if f.copy == nil {
		if err := s.open(r.in.Stdin, r.in.Files, stop); err != nil {
			return err
		}
		switch {
		case s.plain != nil:
			if f.info == nil {
				f.info = s.plain.info
			}
			s.plain.first = f.info
			return s.plain.unchanged()
		case f.info != nil:
			return errChanged
		}
		file, err := osfile.CreateTemp(r.temp)
		if err != nil {
			return copyError(err)
		}
		file.Unlink()
		f.copy = &spool{Reader: io.TeeReader(s.Reader, copyTo{file.File}), closers: s.closers, file: file}
		s.closers = nil
	}
	// What was copied is read from there, and the rest from the source, if that has not ended.
	s.Reader, s.stream = io.MultiReader(io.NewSectionReader(f.copy.file, 0, f.copy.size), f.copy), f.copy.err == nil
	return nil
}

// errChanged is a file that is not what it was.
var errChanged = errors.New("changed between two readings: keep it unchanged until the run has ended")

// spool reads a source that can be read only once, and copies it to a file meanwhile.
type spool struct {
	io.Reader // copies what it reads
	closers   []io.Closer
	file      *osfile.Temp
	size      int64 // of the copy
	err       error // why there is no more of the source, io.EOF or worse
}

func (s *spool) Read(p []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.Reader.Read(p)
		s.size += int64(n)
	}
	return n, s.err
}

func (s *spool) close() error {
	for _, c := range s.closers {
		c.Close()
	}
	return s.file.Close()
}

// copyTo writes a copy, and says so if that fails.
type copyTo struct{ file *os.File }

func (c copyTo) Write(p []byte) (int, error) {
	n, err := c.file.Write(p)
	return n, copyError(err)
}

// copyError says that a file of a copy cannot be used; err names it.
func copyError(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot be copied to %s, so that it could be read again: %w", path.Path, path.Err)
	}
	return err
}
