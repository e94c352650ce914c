package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// stdinName is standard input's name in messages.
const stdinName = "standard input"

// readBuffer is the size of a buffer for compressed bytes. Of plain files it holds only the
// first bytes, since reads of whole chunks bypass it.
const readBuffer = 64 << 10

// source is an open file: its decompressed bytes.
type source struct {
	io.Reader
	path    string
	name    string   // for messages and detection
	plain   *whole   // the file, if it is a regular one and not compressed
	stream  bool     // another process may still be producing the bytes: records are handed on as they come
	of      Format   // that it is beyond doubt, by its first bytes; else Auto
	members *members // of a file compressed with gzip; else nil
	closers []io.Closer
}

// word returns the file in commands that messages advise. What came through standard input is some file, too.
func (s *source) word() string {
	if s.path == "-" {
		return "FILE"
	}
	return s.path
}

// openSource opens a reader's next file, or standard input, and looks through its
// compression.
func openSource(path string, r *Reader) (*source, error) {
	s := &source{path: path, name: path}
	if path == "-" {
		s.name = stdinName
	}
	var err error
	if r.again == nil {
		err = s.open(r.stdin, r.o.Files, r.interrupted.Done())
	} else {
		err = r.again.open(s, len(r.again.in.Paths)-len(r.paths)-1, r.interrupted.Done())
	}
	if err == errInterrupted {
		return nil, err
	}
	if err != nil {
		s.Close()
		return nil, &FileError{Path: s.name, Err: cause(err)}
	}
	if s.plain == nil {
		s.Reader = &interruptible{s.Reader, r.interrupted.Done()}
	}
	file := &counter{r: s.Reader, done: &r.done}
	if r.buffered == nil {
		r.buffered = bufio.NewReaderSize(nil, readBuffer)
	}
	raw := r.buffered
	raw.Reset(file)
	kind, err := sniffMagic(raw)
	switch {
	case err != nil && err != io.EOF:
		err = &FileError{Path: s.name, Err: cause(err)}
	case kind != nil && kind.of != "":
		s.Reader, s.of, err = raw, kind.of, nil
	case kind != nil && kind.open == nil:
		err = refuse(s.name, errors.New(named(kind.refusal, s.word())))
	case kind != nil:
		d := &decompressed{kind: kind.kind, file: file, source: s}
		s.Reader, s.plain, s.stream = d, nil, false
		z, opening := kind.open(raw)
		if err = opening; err != nil {
			err = (&cutter{line: 1}).broken(s.name, d.damage(err))
			break
		}
		d.Reader, s.closers = z, append(s.closers, z)
		s.members, _ = z.(*members)
	default:
		s.Reader, err = raw, shorterThanMagic(s, raw)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// open opens the file itself.
func (s *source) open(stdin io.Reader, files fs.FS, stop <-chan struct{}) error {
	if s.path == "-" {
		s.Reader, s.stream = stdin, true
		return nil
	}
	var f fs.File
	var err error
	if files != nil {
		f, err = files.Open(s.path)
	} else {
		f, err = openFile(s.path, stop)
	}
	if err != nil {
		return err
	}
	s.Reader, s.closers = f, append(s.closers, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errFolder
	}
	if files == nil && !info.Mode().IsRegular() {
		s.stream = true
		return nil
	}
	w := &whole{Reader: f, info: info, size: info.Size()}
	if s.Reader = w; files == nil {
		w.file, _ = f.(*os.File)
		s.plain = w
	}
	return nil
}

var errFolder = errors.New("is a folder: name the files in it")

// openFile opens a file. A pipe opens once something writes to it, and what opens one may be left behind when reading
// is interrupted.
func openFile(path string, stop <-chan struct{}) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	var f *os.File
	var err error
	if !completes(func() { f, err = os.Open(path) }, stop) {
		return nil, errInterrupted
	}
	return f, err
}

// completes calls do, and returns false if stop is closed before do returns. It leaves do behind then.
func completes(do func(), stop <-chan struct{}) bool {
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-stop:
		return false
	case <-done:
		return true
	}
}

// Close closes the decompressor and the file; standard input stays open.
func (s *source) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i].Close(); err != nil {
			errs = append(errs, &FileError{Path: s.name, Err: cause(err)})
		}
	}
	s.closers = nil
	return errors.Join(errs...)
}

// whole reads a regular file. An end before the one that the file had when it was
// opened is an error: rows would be missing, and nobody would know. What is appended
// in the meantime is read, too.
type whole struct {
	io.Reader
	at, size int64
	file     *os.File    // the same; nil of a file that is not the operating system's
	info     fs.FileInfo // when it was opened
	first    os.FileInfo // when a replay first opened it; else nil
}

func (w *whole) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.at += int64(n)
	if err == io.EOF && w.at < w.size {
		err = fmt.Errorf("%w: it ends at byte %d and had %d bytes; leave the file alone while it is in use, and replace files by renaming", errTruncated, w.at, w.size)
	} else if err == io.EOF && w.first != nil {
		if changed := w.unchanged(); changed != nil {
			err = changed
		}
	}
	return n, err
}

// unchanged returns an error if the file is no longer what it was at first.
func (w *whole) unchanged() error {
	info, err := w.file.Stat()
	if err == nil && !(os.SameFile(info, w.first) && info.Size() == w.first.Size() &&
		info.ModTime().Equal(w.first.ModTime())) {
		err = errChanged
	}
	return err
}

// counter adds what is read of a file to a total.
type counter struct {
	r    io.Reader
	done *atomic.Int64
	err  error // with which it ended, but for io.EOF
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done.Add(int64(n))
	if err != io.EOF {
		c.err = err
	}
	return n, err
}

// checkPaths finds mistakes in the whole list before the first byte is read, and
// returns the files' sizes: -1 of what has none.
func (o *Input) checkPaths(paths []string) (sizes []int64, err error) {
	stat := os.Stat
	if o.Files != nil {
		stat = func(path string) (fs.FileInfo, error) { return fs.Stat(o.Files, path) }
	}
	stdins, infos := 0, make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		size := int64(-1)
		if path == "-" {
			if stdins++; stdins > 1 {
				return nil, &FileError{
					Path: stdinName,
					Err:  errors.New("is given twice, but can be read only once: leave out one -"),
				}
			}
			if o.Stdin == nil {
				return nil, &FileError{
					Path: stdinName,
					Err:  errors.New("there is none: set Stdin, or name files to read"),
				}
			}
		} else if info, err := stat(path); err != nil {
			return nil, &FileError{Path: path, Err: cause(err)}
		} else if info.IsDir() {
			return nil, &FileError{Path: path, Err: fmt.Errorf("%w, '%s'", errFolder, filepath.Join(path, "*"))}
		} else if infos[i] = info; info.Mode().IsRegular() {
			size = info.Size()
		}
		sizes = append(sizes, size)
	}
	return sizes, o.checkOneClass(infos)
}

// total adds up sizes: -1 if one of them is.
func total(sizes []int64) (sum int64) {
	for _, size := range sizes {
		if size < 0 {
			return -1
		}
		sum += size
	}
	return sum
}

var errInterrupted = errors.New("corpus: reading was interrupted")

// interruptible is a source of bytes that may be long in coming. A read that waits for them
// ends when the reader is interrupted, and what it waited for is lost.
type interruptible struct {
	r    io.Reader
	stop <-chan struct{}
}

// Read may leave a read behind that writes to p later: nobody looks at p once reading was
// interrupted.
func (i *interruptible) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	select {
	case <-i.stop:
		return 0, errInterrupted
	default:
	}
	var n int
	var err error
	if !completes(func() { n, err = i.r.Read(p) }, i.stop) {
		return 0, errInterrupted
	}
	return n, err
}
