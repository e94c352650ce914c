package osfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// writeLarge writes so much that the buffer overflows several times.
func writeLarge(w io.Writer) error {
	for i := range 2_000 {
		if _, err := io.WriteString(w, strings.Repeat(fmt.Sprintf("%06d\n", i), i)); err != nil {
			return err
		}
	}
	return nil
}

// TestTwoFaults: where cleaning up fails as well, the error says what is left.
func TestTwoFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "old")
	s := newCrashing("old", path)
	s.fail = 5 // open, chmod, write, sync, rename
	s.instead = func(call string) error {
		if call == "remove" {
			return errInjected
		}
		return nil
	}
	err := writeFile(s, path, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	left := s.others(path)
	if len(left) != 1 || !errors.Is(err, errInjected) || !strings.Contains(err.Error(), left[0]) {
		t.Errorf("error is %v, want one that names %v", err, left)
	}
	if s.get(path) != "old" {
		t.Error("the old file has changed")
	}
}

// TestFailureStays: a caller who ignores the error of a write cannot commit.
func TestFailureStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	s := newCrashing("")
	s.fail = 2
	f, err := create(s, path)
	must.OK(t, err)
	defer f.Abort()
	writeLarge(f)
	if _, err := f.Write([]byte("more")); !errors.Is(err, errInjected) {
		t.Errorf("a write after a failed write: %v", err)
	}
	first, second := f.Commit(), f.Commit()
	if !errors.Is(first, errInjected) || second != first {
		t.Errorf("commit after a failed write: %v, then %v", first, second)
	}
	if left := s.others(); len(left) > 0 {
		t.Errorf("left behind %v", left)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must.OK(t, os.WriteFile(path, []byte(content), 0o644))
}

// get returns a file's content, "" if it is not there.
func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// others lists what lies in path's folder besides it.
func others(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	must.OK(t, err)
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestCommitAllFaults: whichever call fails, both files are new in the end, or neither, unless the error says that one
// is written already.
func TestCommitAllFaults(t *testing.T) {
	for _, old := range []string{"", "old"} {
		for n, more := 1, true; more; n++ {
			folder := t.TempDir()
			paths := []string{filepath.Join(folder, "one"), filepath.Join(folder, "two")}
			if old != "" {
				for _, path := range paths {
					put(t, path, old)
				}
			}
			s := newCrashing(old, paths...)
			s.fail = n
			err := writeTwo(s, paths)
			got := []string{s.get(paths[0]), s.get(paths[1])}
			both, neither := got[0] == "hello" && got[1] == "hello", got[0] == old && got[1] == old
			switch failed := len(s.calls) >= n; {
			case !failed && (err != nil || !both):
				t.Fatalf("nothing failed: %v, files hold %q", err, got)
			case !failed:
				more = false
			case err == nil:
				t.Errorf("%s, call %d: no error", s.calls[n-1], n)
			case !neither && !strings.Contains(err.Error(), "not known to be safe") && (s.calls[n-1] != "rename" || !strings.Contains(err.Error(), "is written already")):
				t.Errorf("%s, call %d: %v, files hold %q", s.calls[n-1], n, err, got)
			}
		}
	}
}

func writeTwo(s fileSystem, paths []string) error {
	var files []*File
	for _, path := range paths {
		f, err := create(s, path)
		if err != nil {
			return err
		}
		defer f.Abort()
		files = append(files, f)
	}
	for _, f := range files {
		if err := hello(f); err != nil {
			return err
		}
	}
	return CommitAll(files...)
}
