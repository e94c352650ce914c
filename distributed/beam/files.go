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
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
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

func isLocal(path string) bool { return outdir.IsLocal(path) }

func join(folder, name string) string { return outdir.Join(folder, name) }

// systems are the file systems of this process, by scheme: a client costs connections.
var systems struct {
	sync.Mutex
	of map[string]filesystem.Interface
}

// system returns the file system of a path. It is that of the process, which outlives contexts of bundles.
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

// store is the [outdir.Store] of a job: this machine or a Beam file system, as paths tell.
type store struct{ ctx context.Context }

// Stat has the size of a file and when it was last written, the zero time where that is not known.
func (s store) Stat(file string) (fs.FileInfo, error) {
	if isLocal(file) {
		return os.Stat(file)
	}
	info := fileInfo{name: path.Base(file)}
	of, err := system(file)
	if err != nil {
		return nil, fault(err)
	}
	// Errors of file systems do not tell a file that is missing from one that can't be looked at: a list does.
	found, err := of.List(s.ctx, file)
	if err == nil && len(found) == 0 {
		return nil, &fs.PathError{Op: "stat", Path: file, Err: fs.ErrNotExist}
	}
	if err == nil {
		info.size, err = of.Size(s.ctx, file)
	}
	if getter, ok := of.(filesystem.LastModifiedGetter); ok && err == nil {
		info.modified, err = getter.LastModified(s.ctx, file)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: file, Err: fault(err)}
	}
	return info, nil
}

// Open opens a file for reading.
func (s store) Open(file string) (io.ReadCloser, error) {
	if isLocal(file) {
		return osfile.OpenRegular(file)
	}
	of, err := system(file)
	if err != nil {
		return nil, fault(err)
	}
	r, err := of.OpenRead(s.ctx, file)
	if err != nil {
		return nil, fault(fmt.Errorf("%s: %w", file, err))
	}
	return reader{r}, nil
}

// reader is a file being read.
type reader struct{ io.ReadCloser }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	return n, fault(err)
}

// writer is a file being written.
type writer struct{ io.Writer }

func (w writer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, fault(err)
}

// Record returns the record of a folder: on this machine a file, else an object for each output, as objects can't be
// added to.
func (s store) Record(folder string) outdir.Record {
	if isLocal(folder) {
		return outdir.DiskRecord(folder)
	}
	return objects{s, join(folder, outdir.RecordName)}
}

// objects is a record of objects, path.head and one for each output.
type objects struct {
	store
	path string
}

func (r objects) of(output string) string { return r.path + "/" + url.PathEscape(output) + ".json" }

// read reads an object. The error is [fs.ErrNotExist] if there is none.
func (r objects) read(file string, into any) error {
	if _, err := r.Stat(file); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := r.readTo(file, &text); err != nil {
		return err
	}
	if err := json.Unmarshal(text.Bytes(), into); err != nil {
		return fmt.Errorf("%s is damaged: remove it and the files in its folder, or name another folder", file)
	}
	return nil
}

func (r objects) Head() (head outdir.Head, err error) { return head, r.read(r.path+".head", &head) }

func (r objects) Claim(head outdir.Head) (outdir.Head, error) {
	theirs, err := r.Head()
	if err == nil && (theirs.Differs(&head) == "" || theirs.Flag != "") {
		return theirs, nil
	}
	if err == nil {
		if outputs, err := r.Outputs(); err != nil || len(outputs) > 0 {
			return theirs, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return theirs, err
	}
	if err := r.writeJSON(r.path+".head", "", &head); err != nil {
		return head, err
	}
	return r.Head() // another run may have been faster
}

func (r objects) Entry(output string) (*outdir.Entry, error) {
	e := new(outdir.Entry)
	err := r.read(r.of(output), e)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return e, err
}

func (r objects) Outputs() (names []string, err error) {
	found, err := list(r.ctx, r.path+"/*")
	for _, file := range found {
		if name, err := url.PathUnescape(strings.TrimSuffix(path.Base(file), ".json")); err == nil {
			names = append(names, name)
		}
	}
	return names, fault(err)
}

func (r objects) Add(e *outdir.Entry) error { return r.writeJSON(r.of(e.Output), "", e) }

// writeJSON writes a file at once.
func (s store) writeJSON(file, indent string, value any) error {
	o, err := create(s.ctx, file)
	if err != nil {
		return err
	}
	defer o.abort()
	e := json.NewEncoder(o.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return o.commit()
}

// readTo writes what a file holds.
func (s store) readTo(file string, w io.Writer) error {
	r, err := s.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err = io.CopyBuffer(w, r, make([]byte, 1<<18)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// files is the store as an [fs.FS], in which names are whole paths.
type files struct{ store }

func (f files) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	r, err := f.store.Open(name)
	if err != nil {
		return nil, err
	}
	return &openFile{r, info}, nil
}

// openFile is a file of a Beam file system.
type openFile struct {
	io.ReadCloser
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// fileInfo is what is known of such a file.
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

// ReadFile returns what a file of a Beam file system, or of the machine, holds.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	var text bytes.Buffer
	err := store{ctx}.readTo(path, &text)
	return text.Bytes(), err
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
	if err := checkRenames(of, file); err != nil {
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
	buffer := bufio.NewWriterSize(writer{f}, 1<<20)
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
			return fault(fmt.Errorf("%s: %w", file, err))
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
		if remover, ok := of.(filesystem.Remover); ok { // what can't be removed is left for clean
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			remover.Remove(ctx, temporary)
		}
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

// list returns the files of a pattern, or a file.
func list(ctx context.Context, pattern string) ([]string, error) {
	if isLocal(pattern) {
		if _, err := os.Stat(pattern); err != nil && !osfile.IsPattern(pattern) {
			return nil, nil
		}
		return osfile.Expand([]string{pattern})
	}
	if strings.Contains(pattern, "**") && scheme(pattern) != "gs" {
		return nil, fmt.Errorf("%s: on %s://, ** would match no more than *: name each depth, as in */*.jsonl",
			pattern, scheme(pattern))
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
