package nbsvmbeam

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Paths are those of Beam's file systems: gs://…, s3://…, memfs://…, and without a scheme those of the machine.
// Files of the machine are read and written as nbsvm does it: models are mapped, and outputs are on the disk before
// they have their names.

func isLocal(path string) bool { return !strings.Contains(path, "://") }

// join returns the path of a file in a folder.
func join(folder, name string) string { return strings.TrimRight(folder, "/") + "/" + name }

// systems are the file systems of this process, by scheme: a client costs connections.
var systems sync.Map

// system returns the file system of a path. It is that of the process, which outlives contexts of bundles.
func system(path string) (filesystem.Interface, error) {
	scheme, _, _ := strings.Cut(path, "://")
	if known, is := systems.Load(scheme); is {
		return known.(filesystem.Interface), nil
	}
	made, err := filesystem.New(context.Background(), path)
	if err != nil {
		return nil, systemError{err}
	}
	known, _ := systems.LoadOrStore(scheme, made)
	return known.(filesystem.Interface), nil
}

// systemError is an error of a Beam file system, which another attempt may not meet.
type systemError struct{ error }

func (e systemError) Unwrap() error { return e.error }

// fault says that an error is one of a file system, unless it only says that a file ends or is not there.
func fault(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return systemError{err}
}

// stat has the size of a file and when it was last written, the zero time where that is not known.
func stat(ctx context.Context, file string) (fs.FileInfo, error) {
	if isLocal(file) {
		return os.Stat(file)
	}
	info := fileInfo{name: path.Base(file)}
	of, err := system(file)
	if err != nil {
		return nil, err
	}
	// Errors of file systems do not tell a file that is missing from one that can't be looked at: a list does.
	found, err := of.List(ctx, file)
	if err == nil && len(found) == 0 {
		return nil, &fs.PathError{Op: "stat", Path: file, Err: fs.ErrNotExist}
	}
	if err == nil {
		info.size, err = of.Size(ctx, file)
	}
	if getter, ok := of.(filesystem.LastModifiedGetter); ok && err == nil {
		info.modified, err = getter.LastModified(ctx, file)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: file, Err: fault(err)}
	}
	return info, nil
}

// fileInfo is what is known of a file.
type fileInfo struct {
	name     string
	size     int64
	modified time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (fileInfo) Mode() fs.FileMode    { return 0o444 }
func (i fileInfo) ModTime() time.Time { return i.modified }
func (fileInfo) IsDir() bool          { return false }
func (fileInfo) Sys() any             { return nil }

// files are those of Beam's file systems as an [fs.FS], in which names are whole paths.
type files struct{ ctx context.Context }

func (f files) Open(name string) (fs.File, error) {
	if isLocal(name) {
		return osfile.OpenRegular(name)
	}
	info, err := stat(f.ctx, name)
	if err != nil {
		return nil, err
	}
	of, err := system(name)
	if err != nil {
		return nil, err
	}
	r, err := of.OpenRead(f.ctx, name)
	if err != nil {
		return nil, fault(fmt.Errorf("%s: %w", name, err))
	}
	return &openFile{r, info}, nil
}

// openFile is a file being read.
type openFile struct {
	io.ReadCloser
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *openFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	return n, fault(err)
}

// readFile returns what a file holds.
func readFile(ctx context.Context, file string) ([]byte, error) {
	f, err := files{ctx}.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if _, err := io.CopyBuffer(&text, f, make([]byte, 1<<18)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return text.Bytes(), nil
}

// temporaryFolder is where files that are being written lie, in the folder where they go. No pattern that stands for
// inputs should match them, so their names end in temporarySuffix.
const (
	temporaryFolder = ".nbsvm-tmp"
	temporarySuffix = ".tmp"
)

// output is a file being written. It takes its name whole, with commit, or never: until then it has one of its own,
// that of this attempt alone.
type output struct {
	io.Writer
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
		f, err := osfile.Create(file)
		if err != nil {
			return nil, err
		}
		return &output{f, f.Commit, f.Abort}, nil
	}
	of, err := system(file)
	if err != nil {
		return nil, err
	}
	folder, name := path.Split(file)
	temporary := folder + temporaryFolder + "/" + name + "." + rand.Text() + temporarySuffix
	writing, cancel := context.WithCancel(ctx)
	f, err := of.OpenWrite(writing, temporary)
	if err != nil {
		cancel()
		return nil, fault(fmt.Errorf("%s: %w", temporary, err))
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	closed, done := false, false
	commit := func() error {
		err := buffer.Flush()
		if err == nil {
			closed = true
			err = f.Close()
		}
		if err == nil {
			err = filesystem.Rename(ctx, of, temporary, file)
		}
		if err != nil {
			return fault(fmt.Errorf("%s: %w", file, err))
		}
		done = true
		cancel()
		return nil
	}
	abort := func() {
		if done {
			return
		}
		done = true
		cancel() // a file of gs that is closed after that is not made
		if !closed {
			f.Close()
		}
		if remover, ok := of.(filesystem.Remover); ok {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			remover.Remove(ctx, temporary) // what can't be removed is left
		}
	}
	return &output{writer{buffer}, commit, abort}, nil
}

// writer is a file being written.
type writer struct{ io.Writer }

func (w writer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, fault(err)
}

// list returns the files of a pattern, or a file.
func list(ctx context.Context, pattern string) ([]string, error) {
	if isLocal(pattern) {
		if _, err := os.Stat(pattern); err != nil && !osfile.IsPattern(pattern) {
			return nil, nil
		}
		return osfile.Expand([]string{pattern})
	}
	if strings.Contains(pattern, "**") && !strings.HasPrefix(pattern, "gs://") {
		return nil, fmt.Errorf("%s: ** would match no more than * there: name each depth, as in */*.jsonl", pattern)
	}
	of, err := system(pattern)
	if err != nil {
		return nil, err
	}
	found, err := of.List(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if !strings.Contains(pattern, "/.") {
		found = slices.DeleteFunc(found, func(file string) bool { return strings.Contains(file, "/.") })
	}
	return found, nil
}

func init() { register.DoFn3x1[context.Context, []byte, func(string), error](&matchFn{}) }

// Match returns the collection of the paths (string) of files: those that are named, and those that match patterns.
// Names that begin with a dot match only patterns that do, too. What is not there, or matches nothing, is an error.
func Match(s beam.Scope, patterns ...string) beam.PCollection {
	s = s.Scope("nbsvm.Match")
	return beam.ParDo(s, &matchFn{patterns}, beam.Impulse(s))
}

// matchFn lists files.
type matchFn struct{ Patterns []string }

// ProcessElement is called once, with nothing.
func (f *matchFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	var all []string
	for _, pattern := range f.Patterns {
		found, err := list(ctx, pattern)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("%s: no such file", pattern)
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	for _, file := range slices.Compact(all) {
		emit(file)
	}
	return nil
}
