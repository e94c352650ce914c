package osfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// child makes this test's program, run again, a process that makes a temporary file and waits.
const child = "NBSVM_SCRATCH_CHILD"

func TestMain(m *testing.M) {
	if parent := os.Getenv(child); parent != "" {
		f, err := CreateTemp(parent)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(f.Name())
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// process starts one that has a temporary file in parent.
func process(t *testing.T, parent string) (*exec.Cmd, string) {
	t.Helper()
	path, err := os.Executable()
	must.OK(t, err)
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Env = append(os.Environ(), child+"="+parent)
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	b := make([]byte, 4096)
	n, err := out.Read(b)
	must.OK(t, err)
	return cmd, string(b[:n])
}

// sweepAgain sweeps a folder as another process does.
func sweepAgain(folder string) {
	swept.Delete(folder)
	sweep(folder)
}

func thereIs(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestSweep leaves the files of the living, here and in other processes, and removes those of the dead.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	own, err := CreateTemp(parent)
	must.OK(t, err)
	cmd, theirs := process(t, parent)
	sweepAgain(parent)
	if !thereIs(own.Name()) || !thereIs(theirs) {
		t.Fatal("a file in use was removed")
	}
	must.OK(t, cmd.Process.Kill())
	cmd.Wait()
	if runtime.GOOS == "windows" { // files written to just now are left
		long := time.Now().Add(-time.Hour)
		must.OK(t, os.Chtimes(theirs, long, long))
	}
	if sweepAgain(parent); thereIs(theirs) || !thereIs(own.Name()) {
		t.Errorf("of a killed process left: %t, removed in use: %t", thereIs(theirs), !thereIs(own.Name()))
	}
	if err := own.Close(); err != nil || thereIs(own.Name()) {
		t.Errorf("a file stays: %v", err)
	}
	sweepAgain(filepath.Join(parent, "missing"))
	must.OK(t, (*Temp)(nil).Close())
}

// TestForeign: files of other machines go when nobody has written to them for a day.
func TestForeign(t *testing.T) {
	folder := t.TempDir()
	foreign, abandoned := filepath.Join(folder, ".out.nbsvm-00000000-1.tmp"), filepath.Join(folder, ".out.nbsvm-00000000-2.tmp")
	for _, other := range []string{foreign, abandoned} {
		must.OK(t, os.WriteFile(other, []byte("x"), 0o600))
	}
	day := time.Now().Add(-25 * time.Hour)
	must.OK(t, os.Chtimes(abandoned, day, day))
	if sweepAgain(folder); thereIs(abandoned) || !thereIs(foreign) {
		t.Errorf("swept: abandoned %v, another machine's %v", !thereIs(abandoned), !thereIs(foreign))
	}
}

// TestTaken: who makes a file while others sweep has it.
func TestTaken(t *testing.T) {
	folder := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				sweepAgain(folder)
				f, err := createHidden(filepath.Join(folder, "out"), os.O_WRONLY, 0o600)
				if err != nil {
					t.Error(err)
					return
				}
				sweepAgain(folder)
				if at, err := isAt(f, f.Name()); err != nil || !at {
					t.Errorf("a file in use was removed: %v", err)
				}
				removeOpen(f)
				f.Close()
			}
		})
	}
	group.Wait()
}
