package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// doc is what tests compare of a Document.
type doc struct {
	Labels       string // joined by |
	Text, Record string
	Weight       float32
	Line, Offset int64
	Err          string
}

func flatten(documents []Document) []doc {
	var all []doc
	for _, d := range documents {
		f := doc{string(bytes.Join(d.Labels, []byte("|"))), string(d.Text), string(d.Record), d.Weight, d.Line, d.Offset, ""}
		if d.Err != nil {
			f.Err = d.Err.Error()
		}
		all = append(all, f)
	}
	return all
}

// readWith reads to the end in chunks of a size, at most limit records each.
func readWith(paths []string, stdin io.Reader, o Input, block, limit int) ([]Document, error) {
	r, err := Open(from(paths, stdin, o))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.block, r.limit = block, limit
	var all []Document
	for {
		c, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		before := len(all)
		all = c.Append(all)
		if n := len(all) - before; n > limit {
			return all, fmt.Errorf("%d documents in a chunk, limit %d", n, limit)
		}
	}
}

func readString(text string, o Input) ([]Document, error) {
	return readWith(nil, strings.NewReader(text), o, chunkSize, chunkLimit)
}

func mustRead(t *testing.T, text string, o Input) []doc {
	t.Helper()
	all, err := readString(text, o)
	if err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	return flatten(all)
}

// brief is labels:text of every document, or ERR.
func brief(all []doc) string {
	var parts []string
	for _, d := range all {
		if d.Err != "" {
			parts = append(parts, "ERR")
		} else {
			parts = append(parts, d.Labels+":"+d.Text)
		}
	}
	return strings.Join(parts, ";")
}

func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

// wantFileError demands a *FileError whose message has all the parts.
func wantFileError(t *testing.T, err error, parts ...string) *FileError {
	t.Helper()
	var fe *FileError
	if !errors.As(err, &fe) {
		t.Fatalf("error %v (%T), want a *FileError", err, err)
	}
	for _, part := range append(parts, "corpus: ") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not mention %q", err, part)
		}
	}
	if line := strings.Contains(err.Error(), "(byte "); line != (fe.Line > 0) {
		t.Errorf("error %q is at line %d", err, fe.Line)
	}
	return fe
}

// wantDamage demands an error that the file is damaged, whose message has all the parts, and no bad record.
func wantDamage(t *testing.T, all []Document, err error, parts ...string) *FileError {
	t.Helper()
	fe := wantFileError(t, err, parts...)
	if _, record := errors.AsType[*RecordError](err); record || !fe.Damaged || !IsBadFile(err) {
		t.Errorf("error %v: damaged %t, a record's %t", err, fe.Damaged, record)
	}
	for _, d := range all {
		if d.Err != nil {
			t.Errorf("the damage is a bad record: %v", d.Err)
		}
	}
	return fe
}

func unlabelled(f Format) Input { return Input{Format: f, Unlabelled: true} }
func labelled(f Format) Input   { return Input{Format: f} }

// pack compresses without looking for matches, which is fast.
func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// from is an input as o says, from these files.
func from(paths []string, stdin io.Reader, o Input) Input {
	o.Paths, o.Stdin = paths, stdin
	return o
}
