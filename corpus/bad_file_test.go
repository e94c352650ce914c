package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// TestIsBadFile: bad files are told apart from bad records, and from what the system refuses.
func TestIsBadFile(t *testing.T) {
	folder := t.TempDir()
	var pressed bytes.Buffer
	w, err := osfile.NewCompressor(&pressed, osfile.Gzip, 1)
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
