package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// child makes this test's program, run again, a process that makes a folder and waits.
const child = "NBSVM_SCRATCH_CHILD"

func TestMain(m *testing.M) {
	if parent := os.Getenv(child); parent != "" {
		f, err := New(parent)
		if err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(f.Path(), "part"), make([]byte, 1000), 0o600); err != nil {
			panic(err)
		}
		os.Stdout.WriteString(f.Path())
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// process starts one that has a folder in parent.
func process(t *testing.T, parent string) (*exec.Cmd, string) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Env = append(os.Environ(), child+"="+parent)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := out.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, string(b[:n])
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestSweep leaves the folders of the living, here and in other processes, and removes
// those of the dead.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	own, err := New(parent)
	if err != nil {
		t.Fatal(err)
	}
	if own.lock == nil {
		t.Skip("files can't be locked here")
	}
	cmd, theirs := process(t, parent)
	Sweep(parent)
	if !exists(own.Path()) || !exists(filepath.Join(theirs, "part")) {
		t.Fatal("a folder in use was removed")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if !exists(theirs) {
		t.Fatal("the folder of a killed process is gone before it is swept")
	}
	Sweep(parent)
	if exists(theirs) {
		t.Error("the folder of a killed process was left")
	}
	if !exists(own.Path()) {
		t.Error("a folder in use was removed")
	}
	if err := own.Remove(); err != nil || exists(own.Path()) {
		t.Errorf("a folder stays: %v", err)
	}
}

// TestSweepLeaves what may be somebody's.
func TestSweepLeaves(t *testing.T) {
	parent := t.TempDir()
	for name, lock := range map[string]string{
		prefix + "elsewhere": machine() + ".far.away", // another machine's
		prefix + "new":       "",                      // not claimed yet
		"other":              machine(),               // of another name
	} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(parent, name, lockName), []byte(lock), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, prefix+"empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parent, prefix+"file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(parent, prefix+"deep", lockName), 0o700); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	Sweep(parent)
	if after, err := os.ReadDir(parent); err != nil || len(after) != len(before) {
		t.Errorf("%v are left of %v, %v", after, before, err)
	}
	Sweep(filepath.Join(parent, "missing"))
}

// TestSweepAtOnce: whoever makes a folder while others sweep keeps it.
func TestSweepAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a folder that someone looks into can't be removed, and stays for the next sweep")
	}
	parent := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				Sweep(parent)
				f, err := New(parent)
				if err != nil {
					t.Error(err)
					return
				}
				Sweep(parent)
				if !exists(f.Path()) {
					t.Error("a folder in use was removed")
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("%d folders are left", len(left))
	}
}

// TestRemoveNil: that there is no folder needs no case of its own.
func TestRemoveNil(t *testing.T) {
	if err := (*Folder)(nil).Remove(); err != nil {
		t.Error(err)
	}
}
