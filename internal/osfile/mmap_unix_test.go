//go:build unix

package osfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestGuardTruncated pulls the file away from under the mapping.
func TestGuardTruncated(t *testing.T) {
	page := os.Getpagesize()
	path := writeMapped(t, pattern(4*page))
	m := open(t, path)
	if m.unmap == nil {
		t.Skip("this file system does not map")
	}
	must.OK(t, os.Truncate(path, int64(page)))
	data := m.Bytes()
	sum := byte(0)
	for name, touch := range map[string]func(){
		"load": func() { sum += data[2*page+5] },
		"copy": func() { copy(make([]byte, 100), data[2*page+5:]) },
		"view": func() { sum += byte(bytes.IndexByte(data[2*page+5:], 0)) },
	} {
		err := Guard(m, func() error { touch(); return nil })
		if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), path+" was truncated or overwritten while in use") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, at, _ := strings.Cut(err.Error(), "at byte ")
		if offset, _ := strconv.Atoi(strings.SplitN(at, ":", 2)[0]); offset < 2*page || offset > 2*page+200 {
			t.Errorf("%s: the fault is said to be at byte %d: %v", name, offset, err)
		}
	}
	if err := Protect(m, func() error { sum += data[page-1]; return nil }); err != nil {
		t.Errorf("what is left of the file: %v", err)
	}
	if err := Guard(m, func() error { sum += data[page-1]; return nil }); err == nil {
		t.Error("a file that is shorter than it was is none")
	}
}

// TestGuardWithinPage: what a truncated page has lost reads as zeros, without a fault.
func TestGuardWithinPage(t *testing.T) {
	path := writeMapped(t, pattern(100))
	m := open(t, path)
	if m.unmap == nil {
		t.Skip("this file system does not map")
	}
	last := byte(0)
	read := func() error { last = m.Bytes()[99]; return nil }
	must.OK(t, Guard(m, read))
	must.OK(t, os.Rename(path, path+".old"))
	must.OK(t, os.WriteFile(path, []byte("short"), 0o600))
	if err := Guard(m, read); err != nil || last == 0 {
		t.Errorf("the name is that of another file: byte %d, %v", last, err)
	}
	must.OK(t, os.Rename(path+".old", path))
	must.OK(t, os.Truncate(path, 50))
	if err := Guard(m, read); err == nil {
		t.Errorf("half of the file is gone, and its last byte reads %d", last)
	}
	if err := Guard(m, func() error { panic("a zero where none can be") }); !errors.Is(err, ErrTruncated) {
		t.Errorf("a panic about bytes that have become zeros: %v", err)
	}
}

// TestOpenPipe: what can't be mapped, and may never end, is refused without waiting for it.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for _, path := range []string{path, "/dev/zero"} {
		if _, err := Map(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestCloseFails: an error of the operating system is told with the name.
func TestCloseFails(t *testing.T) {
	path := writeMapped(t, pattern(10))
	m, err := Map(path)
	must.OK(t, err)
	if err := unmapFile(m.data); err != nil { // behind its back
		t.Fatal(err)
	}
	if err := m.Close(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v", err)
	}
}
