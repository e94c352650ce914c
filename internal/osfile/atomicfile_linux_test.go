package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestDiskFull(t *testing.T) {
	const full = "/dev/full" // a device that is always full
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	err := WriteFile(full, hello)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), full) {
		t.Errorf("got error %v, want one that says that %s is full", err, full)
	}
}

// TestFullFileSystem runs into a limit for regular files: the size that this
// process may write.
func TestFullFileSystem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "old")
	var limit syscall.Rlimit
	must.OK(t, syscall.Getrlimit(unix.RLIMIT_FSIZE, &limit))
	small := limit
	small.Cur = 100_000
	if err := syscall.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
		t.Skipf("no limit of file sizes here: %v", err)
	}
	err := WriteFile(path, writeLarge)
	if e := syscall.Setrlimit(unix.RLIMIT_FSIZE, &limit); e != nil {
		t.Fatal(e)
	}
	if !errors.Is(err, syscall.EFBIG) || get(t, path) != "old" || len(others(t, path)) > 0 {
		t.Errorf("error %v, the file holds %d bytes, beside it are %v", err, len(get(t, path)), others(t, path))
	}
}

// TestReadOnlyFolder acts as an unprivileged user, where the test runs as root.
func TestReadOnlyFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	put(t, path, "old")
	must.OK(t, os.Chmod(folder, 0o555))
	defer os.Chmod(folder, 0o755)
	err := unprivileged(t, func() error { return WriteFile(path, hello) })
	if !errors.Is(err, fs.ErrPermission) || get(t, path) != "old" || len(others(t, path)) > 0 {
		t.Errorf("error %v, the file holds %q, beside it are %v", err, get(t, path), others(t, path))
	}
}

// TestUnreadableFolder: a folder that may be written to but not be read cannot be
// synced; that is no failure.
func TestUnreadableFolder(t *testing.T) {
	folder := t.TempDir()
	must.OK(t, os.Chmod(folder, 0o333))
	path := filepath.Join(folder, "out")
	if err := unprivileged(t, func() error { return WriteFile(path, hello) }); err != nil {
		t.Error(err)
	}
	must.OK(t, os.Chmod(folder, 0o755))
	if got := get(t, path); got != "hello" {
		t.Errorf("the file holds %q", got)
	}
}

// unprivileged runs fn with the rights of nobody to the file system, if the
// process is root's. Linux keeps those per thread; the thread is not used again.
func unprivileged(t *testing.T, fn func() error) error {
	if os.Geteuid() != 0 {
		return fn()
	}
	for dir := t.TempDir(); len(dir) > 1; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o001 == 0 {
			os.Chmod(dir, info.Mode().Perm()|0o011)
		}
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		const nobody = 65534
		if err := unix.Setfsuid(nobody); err != nil {
			done <- fmt.Errorf("becoming nobody: %w", err)
			return
		}
		done <- fn()
	}()
	return <-done
}

// TestStandardOutput: /dev/stdout is appended to, even where it is a regular file.
func TestStandardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	put(t, path, "before ")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must.OK(t, err)
	defer f.Close()
	before, _ := f.Stat()
	for _, name := range []string{"/proc/self/fd/%d", "/dev/fd/%d"} {
		name = fmt.Sprintf(name, f.Fd())
		must.OK(t, WriteFile(name, hello))
	}
	after, err := os.Stat(path)
	if got := get(t, path); err != nil || got != "before hellohello" || !os.SameFile(before, after) {
		t.Errorf("the file holds %q, same file: %v, error %v", got, os.SameFile(before, after), err)
	}
}
