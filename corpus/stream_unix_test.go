//go:build unix

package corpus

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
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
	r, err := Open(Input{Paths: []string{path}})
	must.OK(t, err)
	defer r.Close()
	if _, total := r.Progress(); total != -1 {
		t.Errorf("a pipe has %d bytes", total)
	}
	c, err := r.Next()
	must.OK(t, err)
	if got := brief(flatten(c.Append(nil))); got != "a:b;c:d" {
		t.Errorf("got %q", got)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// TestReplayFIFO: a named pipe is opened once, and its copy read from then on.
func TestReplayFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.tsv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	text := lines(3000)
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(path, []byte(text), 0) }()
	temp := t.TempDir()
	replay := NewReplay(Input{Paths: []string{path}}, temp)
	want, err := pass(replay, -1)
	if err != nil || len(want.docs) != 3000 {
		t.Fatal(len(want.docs), err)
	}
	must.OK(t, errors.Join(<-written, os.Remove(path)))
	if got, err := pass(replay, -1); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the second reading gave %d documents of %d, error %v", len(got.docs), len(want.docs), err)
	}
	if err := replay.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, temp)
}
