//go:build unix

package osfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), "out")
	check := func(want fs.FileMode) {
		t.Helper()
		must.OK(t, WriteFile(path, hello))
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("permissions are %v, want %v (error %v)", info.Mode().Perm(), want, err)
		}
	}
	check(0o640) // new: 0666 less the umask
	for _, perm := range []fs.FileMode{0o600, 0o666, 0o755, 0o440} {
		must.OK(t, os.Chmod(path, perm))
		check(perm)
	}
}

// TestLinks: the file that a chain of links leads to is replaced, the links stay.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	must.OK(t, os.MkdirAll(in("real/deep"), 0o777))
	for link, to := range map[string]string{
		"first":      "second",                 // relative
		"second":     folder + "/short/../out", // absolute, by way of a linked folder: real/out
		"short":      "real/deep",              // a folder
		"dangling":   "real/new",               // to nothing yet
		"round":      "about",                  // in a circle
		"about":      "round",                  //
		"nowhere":    "missing/folder/file",    //
		"tofolder":   "real",                   //
		"real/local": "deep/../../real/out2",   //
	} {
		must.OK(t, os.Symlink(to, in(link)))
	}
	put(t, in("real/out"), "old")
	put(t, in("real/out2"), "old")
	for link, file := range map[string]string{"first": "real/out", "real/local": "real/out2"} {
		if err := WriteFile(in(link), hello); err != nil {
			t.Error(err)
		} else if got := get(t, in(file)); got != "hello" {
			t.Errorf("%s: its target %s holds %q", link, file, got)
		}
		if info, err := os.Lstat(in(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link: %v, error %v", link, info.Mode(), err)
		}
	}
	for link, message := range map[string]string{
		"round": "too many levels", "nowhere": "name that file", "dangling": "link to real/new, which is not there: name that file",
		"tofolder": "is a folder",
	} {
		if err := WriteFile(in(link), hello); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: got error %v, want one with %q", link, err, message)
		}
	}
}

func TestNotAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "x")
	if err := WriteFile(filepath.Join(path, "out"), hello); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got error %v", err)
	}
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		got <- string(b)
	}()
	if err := WriteFile(path, hello); err != nil {
		t.Error(err)
	}
	if got := <-got; got != "hello" {
		t.Errorf("the reader got %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has been replaced: %v, error %v", info.Mode(), err)
	}
}

func TestNullDevice(t *testing.T) {
	if err := WriteFile(os.DevNull, writeLarge); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s has been replaced: %v, error %v", os.DevNull, info.Mode(), err)
	}
}
