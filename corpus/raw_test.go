package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestRaw: who asks for the bytes of files gets all of them as they are, in every reading.
func TestRaw(t *testing.T) {
	folder := t.TempDir()
	text := []byte(strings.Repeat("good\tsome text of a few words\n", 100_000)) // several chunks
	var pressed bytes.Buffer
	w, err := compressed.NewWriter(&pressed, compressed.Zstd, 1)
	must.OK(t, err)
	w.Write(text)
	must.OK(t, w.Close())
	want := map[string][]byte{
		filepath.Join(folder, "a.tsv"):     text,
		filepath.Join(folder, "b.tsv.zst"): pressed.Bytes(),
		filepath.Join(folder, "c.tsv"):     []byte("good\tno line feed"),
	}
	for path, data := range want {
		must.OK(t, os.WriteFile(path, data, 0o600))
	}
	got := map[string]*bytes.Buffer{}
	o := Input{Raw: func(path string) io.Writer {
		got[path] = new(bytes.Buffer)
		return got[path]
	}}
	paths := []string{filepath.Join(folder, "a.tsv"), filepath.Join(folder, "b.tsv.zst"), filepath.Join(folder, "c.tsv")}
	replay := NewReplay(from(paths, nil, o), folder)
	defer replay.Close()
	for pass := range 2 {
		clear(got)
		r, err := replay.Open()
		must.OK(t, err)
		documents := 0
		for _, err := range r.Documents() {
			must.OK(t, err)
			documents++
		}
		r.Close()
		if documents != 200_001 {
			t.Errorf("reading %d gives %d documents", pass, documents)
		}
		for path, data := range want {
			if got[path] == nil || !bytes.Equal(got[path].Bytes(), data) {
				t.Errorf("reading %d: %s has other bytes", pass, path)
			}
		}
	}
}

// TestIsBadFile: bad files are told apart from bad records, and from what the system refuses.
func TestIsBadFile(t *testing.T) {
	folder := t.TempDir()
	var pressed bytes.Buffer
	w, err := compressed.NewWriter(&pressed, compressed.Gzip, 1)
	must.OK(t, err)
	fmt.Fprint(w, strings.Repeat("good\ttext\n", 1000))
	w.Close()
	for name, data := range map[string]string{
		"record.tsv": "good\ttext\nno tab\n", "cut.tsv.gz": pressed.String()[:pressed.Len()-9], "other.jsonl": "good\ttext\n", "binary.tsv": "\x00\x01\x02",
	} {
		path := filepath.Join(folder, name)
		must.OK(t, os.WriteFile(path, []byte(data), 0o600))
		r, err := Open(Input{Paths: []string{path}})
		must.OK(t, err)
		for d, next := range r.Documents() {
			if err = errors.Join(next, d.Err); err != nil {
				break
			}
		}
		r.Close()
		if bad := IsBadFile(err); bad == (name == "record.tsv") || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = Open(Input{Paths: []string{filepath.Join(folder, "absent")}})
	for _, err := range []error{err, syscall.EIO, &FileError{Path: "a", Err: syscall.EIO}, nil} {
		if IsBadFile(err) {
			t.Errorf("%v is of no file's contents", err)
		}
	}
}
