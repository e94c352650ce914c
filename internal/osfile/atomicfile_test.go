package osfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello")
	return err
}

func TestNothingToSeeBeforeCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "old")
	f, err := Create(path)
	must.OK(t, err)
	defer f.Abort()
	must.OK(t, hello(f))
	if got := get(t, path); got != "old" {
		t.Errorf("before Commit the file holds %q", got)
	}
	left := others(t, path)
	if len(left) != 1 || !strings.HasPrefix(left[0], ".out.nbsvm-") || !strings.HasSuffix(left[0], ".tmp") {
		t.Errorf("temporary files are %v, want one .out.nbsvm-<machine>-<number>.tmp", left)
	}
	must.OK(t, f.Commit())
	f.Abort() // does nothing
	if got := get(t, path); got != "hello" || len(others(t, path)) > 0 {
		t.Errorf("after Commit the file holds %q, beside it are %v", got, others(t, path))
	}
	if err := f.Commit(); err != nil {
		t.Errorf("a second Commit: %v", err)
	}
	if _, err := f.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit: %v", err)
	}
}

// TestLargePages writes pieces, some larger than the buffer, which all arrive, but in
// whole buffers.
func TestLargePages(t *testing.T) {
	path, s := filepath.Join(t.TempDir(), "out"), newCrashing("")
	var want strings.Builder
	err := writeFile(s, path, func(w io.Writer) error {
		for i, size := range []int{1, 3*bufferSize + 5, bufferSize - 6, 0, bufferSize, 7} {
			piece := strings.Repeat(string(rune('a'+i)), size)
			want.WriteString(piece)
			if n, err := io.WriteString(w, piece); n != size || err != nil {
				return fmt.Errorf("%d bytes of %d written, error %w", n, size, err)
			}
		}
		return nil
	})
	must.OK(t, err)
	if got := s.get(path); got != want.String() {
		t.Errorf("the file holds %d bytes, not the %d written", len(got), want.Len())
	}
	if want := []int{bufferSize, bufferSize, bufferSize, bufferSize, bufferSize, 7}; !slices.Equal(s.sizes, want) {
		t.Errorf("written were %v bytes at a time, want %v", s.sizes, want)
	}
}

func TestAbort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "old")
	f, err := Create(path)
	must.OK(t, err)
	must.OK(t, hello(f))
	f.Abort()
	f.Abort()
	if got := get(t, path); got != "old" || len(others(t, path)) > 0 {
		t.Errorf("after Abort the file holds %q, beside it are %v", got, others(t, path))
	}
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Abort: %v", err)
	}
}

// TestWriterGivesUp: the writer's own error, or panic, leaves the old file.
func TestWriterGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "old")
	mine := errors.New("mine")
	err := WriteFile(path, func(w io.Writer) error { hello(w); return mine })
	if err != mine {
		t.Errorf("got error %v, want the writer's own", err)
	}
	func() {
		defer func() { recover() }()
		WriteFile(path, func(w io.Writer) error { hello(w); panic("mine") })
	}()
	if got := get(t, path); got != "old" || len(others(t, path)) > 0 {
		t.Errorf("the file holds %q, beside it are %v", got, others(t, path))
	}
}

func TestBadNames(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		path, message string
		is            error
	}{
		{"", "the file name is empty", nil},
		{folder, "is a folder", nil},
		{filepath.Join(folder, "new") + string(filepath.Separator), "is a folder", nil},
		{filepath.Join(folder, "missing", "out"), "make the folder " + filepath.Join(folder, "missing") + " first", fs.ErrNotExist},
	} {
		err := WriteFile(c.path, hello)
		if err == nil || !strings.HasPrefix(err.Error(), "nbsvm: cannot write "+cmp.Or(c.path, `""`)) ||
			!strings.Contains(err.Error(), c.message) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q: got error %v, want one with %q", c.path, err, c.message)
		}
	}
}

func TestRelativeAndLongNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"out", strings.Repeat("n", 255), strings.Repeat("é", 127)} {
		if err := WriteFile(name, hello); err != nil {
			t.Errorf("%d bytes of name: %v", len(name), err)
		} else if got := get(t, name); got != "hello" {
			t.Errorf("%d bytes of name: the file holds %q", len(name), got)
		}
	}
}

// TestLeftovers: what processes that were killed have left is removed by who writes a file in the folder next.
func TestLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path)
	must.OK(t, err)
	long := time.Now().Add(-time.Hour)
	for k := range uint64(4) {
		name := hiddenName(path, k)
		put(t, name, "half")
		must.OK(t, os.Chtimes(name, long, long))
	}
	swept.Clear() // as for another process
	if err := writeFile(system{}, path, hello); err != nil || get(t, path) != "hello" {
		t.Errorf("%v, the file holds %q", err, get(t, path))
	}
	if left := others(t, path); len(left) != 1 { // f's
		t.Errorf("left: %v", left)
	}
	if _, err := io.WriteString(f, "last"); err != nil {
		t.Error(err)
	}
	if err := f.Commit(); err != nil || get(t, path) != "last" {
		t.Errorf("%v, the file holds %q", err, get(t, path))
	}
}

// TestSyncUnsupported: where a file system knows no sync, that is no failure.
func TestSyncUnsupported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	s := newCrashing("")
	s.instead = func(call string) error {
		if call == "sync" {
			return &fs.PathError{Op: "sync", Err: errors.ErrUnsupported}
		}
		return nil
	}
	if err := writeFile(s, path, hello); err != nil || s.get(path) != "hello" {
		t.Errorf("got error %v, content %q", err, s.get(path))
	}
}

// TestCheck leaves files and folders as they are.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	there := func() (names []string) {
		entries, err := os.ReadDir(folder)
		must.OK(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if err := CheckWritable(path); err != nil || len(there()) > 0 {
		t.Errorf("%v; files: %s", err, there())
	}
	put(t, path, "old")
	if err := CheckWritable(path); err != nil || !slices.Equal(there(), []string{"model"}) {
		t.Errorf("%v; files: %s", err, there())
	}
	if got := get(t, path); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	for _, bad := range []string{folder, filepath.Join(folder, "no", "model"), ""} {
		if err := CheckWritable(bad); err == nil {
			t.Errorf("%q could be written", bad)
		}
	}
	if err := CheckWritable(os.DevNull); err != nil {
		t.Error(err)
	}
}
