// Package testkit helps tests to find memory, files and goroutines that outlive what took them.
package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// held is what a process has of the system.
type held struct {
	goroutines int
	files      int   // that are open
	mapped     int   // files that are mapped
	huge       int64 // KiB of memory that was asked for in huge pages
}

// Leaves fails if memory, files or goroutines that a function took outlive it, as far as the system tells.
func Leaves(t testing.TB, run func()) {
	t.Helper()
	before := now(t)
	run()
	var after held
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		after = now(t)
		if after.goroutines <= before.goroutines {
			break
		}
		time.Sleep(wait)
	}
	if after.goroutines > before.goroutines {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before.goroutines, after.goroutines,
			stacks[:runtime.Stack(stacks, true)])
	}
	if after.files > before.files || after.mapped > before.mapped || after.huge > before.huge {
		t.Errorf("held before: %+v, after: %+v", before, after)
	}
}

// Empty fails if there is anything in a folder.
func Empty(t testing.TB, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Seen reports whether the system tells of memory in huge pages.
func Seen(t testing.TB) bool {
	before := now(t)
	_, free := mem.MakeHuge[byte](8 << 20)
	defer free()
	return now(t).huge > before.huge
}

func now(t testing.TB) held {
	h := held{goroutines: runtime.NumGoroutine()}
	if runtime.GOOS != "linux" {
		return h
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, f := range files {
			// Of what is no file of a folder, Go itself opens some.
			if path, err := os.Readlink(filepath.Join("/proc/self/fd", f.Name())); err == nil &&
				strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/proc/") &&
				!strings.HasPrefix(path, "/dev/") {
				h.files++
			}
		}
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return h
	}
	size := int64(0)
	for line := range strings.Lines(string(smaps)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "Size:":
			if size, err = strconv.ParseInt(fields[1], 10, 64); err != nil {
				t.Fatal(err)
			}
		case fields[0] == "VmFlags:" && strings.Contains(line, " hg"):
			h.huge += size
		case len(fields) > 5 && strings.HasPrefix(fields[5], os.TempDir()):
			h.mapped++
		}
	}
	return h
}
