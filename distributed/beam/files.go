package nbsvmbeam

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Paths are those of Beam's file systems: gs://…, s3://…, memfs://…, and without a scheme those of the machine.
// Files of the machine are read and written as nbsvm does it: models are mapped, and outputs are on the disk before
// they have their names.

// scheme is that of a path; empty for the machine's own files.
func scheme(path string) string {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok {
		return ""
	}
	return scheme
}

func isLocal(path string) bool { return scheme(path) == "" }

// join is the path of a file in a folder.
func join(folder, name string) string {
	if isLocal(folder) {
		return filepath.Join(folder, name)
	}
	return strings.TrimRight(folder, "/") + "/" + name
}

// base is the name of a file.
func base(file string) string {
	if isLocal(file) {
		return filepath.Base(file)
	}
	return path.Base(file)
}

// systems are the file systems of this process, by scheme: a client costs connections.
var systems struct {
	sync.Mutex
	of map[string]filesystem.Interface
}

// system is the file system of a path. It is that of the process, which outlives contexts of bundles.
func system(path string) (filesystem.Interface, error) {
	systems.Lock()
	defer systems.Unlock()
	key := scheme(path)
	if known := systems.of[key]; known != nil {
		return known, nil
	}
	made, err := filesystem.New(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if systems.of == nil {
		systems.of = map[string]filesystem.Interface{}
	}
	systems.of[key] = made
	return made, nil
}

// exists tells whether a file is there, and its size.
func exists(ctx context.Context, file string) (size int64, there bool, err error) {
	if isLocal(file) {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			return 0, false, nil
		}
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s exists and is not a regular file", file)
		}
		if err != nil {
			return 0, false, err
		}
		return info.Size(), true, nil
	}
	of, err := system(file)
	if err != nil {
		return 0, false, err
	}
	// Errors of file systems do not tell a file that is missing from one that can't be looked at: a list does.
	found, err := of.List(ctx, file)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	size, err = of.Size(ctx, file)
	return size, err == nil, err
}

// stat is the size of a file and when it was last written, the zero time where that is not known.
func stat(ctx context.Context, file string) (size int64, modified time.Time, err error) {
	if isLocal(file) {
		info, err := os.Stat(file)
		if err != nil {
			return 0, modified, err
		}
		return info.Size(), info.ModTime(), nil
	}
	of, err := system(file)
	if err != nil {
		return 0, modified, err
	}
	if size, err = of.Size(ctx, file); err != nil {
		return 0, modified, &fs.PathError{Op: "stat", Path: file, Err: err}
	}
	if getter, ok := of.(filesystem.LastModifiedGetter); ok {
		modified, err = getter.LastModified(ctx, file)
	}
	return size, modified, err
}

// readTo writes what a file holds.
func readTo(ctx context.Context, file string, w io.Writer) error {
	r, err := open(ctx, file)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err = io.CopyBuffer(w, r, make([]byte, 1<<18)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// open opens a file for reading.
func open(ctx context.Context, file string) (io.ReadCloser, error) {
	if isLocal(file) {
		return os.Open(file)
	}
	of, err := system(file)
	if err != nil {
		return nil, err
	}
	r, err := of.OpenRead(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// fingerprint is that of what a file holds.
func fingerprint(ctx context.Context, file string) (provenance.Fingerprint, error) {
	sum := provenance.NewSummer(io.Discard)
	err := readTo(ctx, file, sum)
	return sum.Fingerprint(), err
}

// readAll is what a file holds.
func readAll(ctx context.Context, file string) ([]byte, error) {
	if isLocal(file) {
		return os.ReadFile(file)
	}
	of, err := system(file)
	if err != nil {
		return nil, err
	}
	text, err := filesystem.Read(ctx, of, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}

// ReadFile is what a file of a Beam file system, or of the machine, holds.
func ReadFile(ctx context.Context, path string) ([]byte, error) { return readAll(ctx, path) }

// temporaryFolder is where files that are being written lie, in the folder where they go. No pattern that stands for
// inputs should match them, so their names end in temporarySuffix.
const (
	temporaryFolder = ".nbsvm-tmp"
	temporarySuffix = ".tmp"
)

// output is a file being written. It takes its name whole, with commit, or never: until then it has one of its own,
// that of this attempt alone.
type output struct {
	w      io.Writer
	commit func() error
	abort  func() // does nothing after commit
}

// create begins to write a file. Attempts at one file, also at the same time, do not meet before they commit: who is
// last replaces the file by the same bytes. Of a file system without renaming, files are copied, of which object stores
// show the whole or nothing.
func create(ctx context.Context, file string) (*output, error) {
	if isLocal(file) {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return nil, err
		}
		f, err := atomicfile.Create(file)
		if err != nil {
			return nil, err
		}
		return &output{f, f.Commit, f.Abort}, nil
	}
	of, err := system(file)
	if err != nil {
		return nil, err
	}
	if err := checkRenames(of, file); err != nil {
		return nil, err
	}
	folder, name := path.Split(file)
	temporary := folder + temporaryFolder + "/" + name + "." + rand.Text() + temporarySuffix
	writing, cancel := context.WithCancel(ctx)
	f, err := of.OpenWrite(writing, temporary)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("%s: %w", temporary, err)
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	closed, done := false, false
	o := &output{w: buffer}
	o.commit = func() error {
		err := buffer.Flush()
		if err == nil {
			closed = true
			err = f.Close()
		}
		if err == nil {
			err = filesystem.Rename(ctx, of, temporary, file)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		done = true
		cancel()
		return nil
	}
	o.abort = func() {
		if done {
			return
		}
		done = true
		cancel() // a file of gs that is closed after that is not made
		if !closed {
			f.Close()
		}
		remove(temporary) // what can't be removed is left for clean
	}
	return o, nil
}

// checkRenames refuses file systems on which a file can't get its name at once.
func checkRenames(of filesystem.Interface, file string) error {
	_, renames := of.(filesystem.Renamer)
	_, copies := of.(filesystem.Copier)
	_, removes := of.(filesystem.Remover)
	if renames || copies && removes {
		return nil
	}
	return fmt.Errorf("%s: the file system %s:// can neither rename nor copy files, so unfinished files would be visible: write elsewhere", file, scheme(file))
}

// remove removes a file, also when the work is being given up. One that is not there is removed.
func remove(file string) error {
	if isLocal(file) {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	of, err := system(file)
	if err != nil {
		return err
	}
	remover, ok := of.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: the file system %s:// can't remove files", file, scheme(file))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return remover.Remove(ctx, file)
}

// writeJSON writes a value as JSON: in one line, or with this indent.
func writeJSON(ctx context.Context, file, indent string, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(value); err != nil {
		return err
	}
	return write(ctx, file, text.Bytes())
}

// write writes a file at once.
func write(ctx context.Context, file string, text []byte) error {
	o, err := create(ctx, file)
	if err != nil {
		return err
	}
	defer o.abort()
	if _, err := o.w.Write(text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return o.commit()
}

// list are the files of a pattern, or a file.
func list(ctx context.Context, pattern string) ([]string, error) {
	if isLocal(pattern) {
		if _, err := os.Stat(pattern); err == nil {
			return []string{pattern}, nil
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		return found, nil
	}
	of, err := system(pattern)
	if err != nil {
		return nil, err
	}
	found, err := of.List(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	return found, nil
}

// opened is an [fs.FS] of a Beam file system: names are paths with their schemes.
type opened struct {
	ctx    context.Context
	of     filesystem.Interface
	faults *faults
}

// faults remembers an error of a file system, which another attempt may not meet.
type faults struct{ first atomic.Pointer[error] }

func (f *faults) note(err error) error {
	if err != nil && err != io.EOF {
		f.first.CompareAndSwap(nil, &err)
	}
	return err
}

func (f *faults) any() bool { return f.first.Load() != nil }

// watched is a writer whose errors are remembered.
type watched struct {
	io.Writer
	faults *faults
}

func (w watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, w.faults.note(err)
}

// Open opens a file for reading.
func (o opened) Open(name string) (fs.File, error) {
	info, err := o.Stat(name)
	if err != nil {
		return nil, err
	}
	r, err := o.of.OpenRead(o.ctx, name)
	if err != nil {
		return nil, o.faults.note(&fs.PathError{Op: "open", Path: name, Err: err})
	}
	return &openFile{r, o, info}, nil
}

// Stat has the size of a file.
func (o opened) Stat(name string) (fs.FileInfo, error) {
	size, err := o.of.Size(o.ctx, name)
	if err != nil {
		return nil, o.faults.note(&fs.PathError{Op: "stat", Path: name, Err: err})
	}
	return fileInfo{base(name), size}, nil
}

// openFile is a file of a Beam file system.
type openFile struct {
	io.ReadCloser
	of   opened
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *openFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	return n, f.of.faults.note(err)
}

// fileInfo is what is known of such a file.
type fileInfo struct {
	name string
	size int64
}

func (i fileInfo) Name() string     { return i.name }
func (i fileInfo) Size() int64      { return i.size }
func (fileInfo) Mode() fs.FileMode  { return 0o444 }
func (fileInfo) ModTime() time.Time { return time.Time{} }
func (fileInfo) IsDir() bool        { return false }
func (fileInfo) Sys() any           { return nil }
