package osfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func writeMapped(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.OK(t, os.WriteFile(path, content, 0o644))
	return path
}

func open(t testing.TB, path string) *Mapping {
	t.Helper()
	m, err := Map(path)
	must.OK(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*31 + i>>8)
	}
	return b
}

func misaligned(b []byte) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b))) % alignment
}

func TestOpen(t *testing.T) {
	page := os.Getpagesize()
	for _, n := range []int{0, 1, 63, 64, page - 1, page, page + 1, 1 << 20} {
		want := pattern(n)
		path := writeMapped(t, want)
		m := open(t, path)
		got := m.Bytes()
		if !bytes.Equal(got, want) || got == nil {
			t.Errorf("%d bytes: content differs (%d bytes, nil: %v)", n, len(got), got == nil)
		}
		if n > 0 && misaligned(got) != 0 {
			t.Errorf("%d bytes: starts %d bytes past a multiple of %d", n, misaligned(got), alignment)
		}
		if m.Path() != path {
			t.Errorf("path is %q, want %q", m.Path(), path)
		}
		for range 2 {
			if err := m.Close(); err != nil {
				t.Errorf("%d bytes: closing: %v", n, err)
			}
			if m.Bytes() != nil {
				t.Errorf("%d bytes: there are bytes after Close", n)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Map(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Map(""); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the file name is empty") {
		t.Errorf("empty name: %v", err)
	}
	if _, err := Map(t.TempDir()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("folder: %v", err)
	}
}

func TestAligned(t *testing.T) {
	for n := range 200 {
		if b := aligned(n); len(b) != n || cap(b) != n || misaligned(b) != 0 {
			t.Fatalf("aligned(%d): length %d, capacity %d, %d past a multiple", n, len(b), cap(b), misaligned(b))
		}
	}
}

func TestGuardReturnsErrors(t *testing.T) {
	m := open(t, writeMapped(t, pattern(100)))
	mine := errors.New("mine")
	if err := Guard(m, func() error { return mine }); err != mine {
		t.Errorf("got %v, want the function's own error", err)
	}
	if err := Guard(m, func() error { return nil }); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// TestGuardPassesPanics: what is no fault of the mapping is none of its business.
func TestGuardPassesPanics(t *testing.T) {
	m := open(t, writeMapped(t, pattern(100)))
	var null *[1 << 20]byte
	for name, fn := range map[string]func() error{
		"a panic":         func() error { panic("mine") },
		"a nil pointer":   func() error { null[3] = 1; return nil },
		"a far address":   func() error { null[1<<19] = 1; return nil },
		"an index error":  func() error { _ = m.Bytes()[len(m.Bytes())]; return nil },
		"a closed memory": func() error { m.Close(); panic("mine") },
	} {
		var r any
		func() {
			defer func() { r = recover() }()
			err := Guard(m, fn)
			t.Errorf("%s: Guard returned %v", name, err)
		}()
		if r == nil {
			t.Errorf("%s did not pass", name)
		} else if e, ok := r.(runtime.Error); r != "mine" && (!ok || e == nil) {
			t.Errorf("%s passed as %v", name, r)
		}
	}
}
