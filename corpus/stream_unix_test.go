//go:build unix

package corpus

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFO: a named pipe, as process substitution makes them.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.tsv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = io.WriteString(w, gz(t, "a\tb\nc\td\n"))
			w.Close()
		}
		written <- err
	}()
	r, err := Open([]string{path}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, total := r.Progress(); total != -1 {
		t.Errorf("a pipe has %d bytes", total)
	}
	c, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if got := brief(flatten(c.Append(nil))); got != "a:b;c:d" {
		t.Errorf("got %q", got)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
