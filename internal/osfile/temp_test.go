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
	SweepFolder(parent)
	if !thereIs(own.Name()) || !thereIs(theirs) {
		t.Fatal("a file in use was removed")
	}
	must.OK(t, cmd.Process.Kill())
	cmd.Wait()
	if runtime.GOOS == "windows" { // files written to just now are left
		long := time.Now().Add(-time.Hour)
		must.OK(t, os.Chtimes(theirs, long, long))
	}
	if SweepFolder(parent); thereIs(theirs) || !thereIs(own.Name()) {
		t.Errorf("of a killed process left: %t, removed in use: %t", thereIs(theirs), !thereIs(own.Name()))
	}
	if err := own.Close(); err != nil || thereIs(own.Name()) {
		t.Errorf("a file stays: %v", err)
	}
	SweepFolder(filepath.Join(parent, "missing"))
	must.OK(t, (*Temp)(nil).Close())
}

// TestFiles: a temporary file is swept once nobody holds it.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	name := hiddenName(path, 3)
	f, err := createHidden(name, os.O_WRONLY, 0o400)
	must.OK(t, err)
	f.WriteString("half")
	sweepFile(path)
	if !thereIs(name) {
		t.Fatal("a file in use was removed")
	}
	f.Close()
	if runtime.GOOS == "windows" { // files written to just now are left
		long := time.Now().Add(-time.Hour)
		must.OK(t, os.Chtimes(name, long, long))
	}
	for _, other := range []string{hiddenName(path+"x", 3), hiddenName(path, numbered)} {
		must.OK(t, os.WriteFile(other, []byte("x"), 0o600))
	}
	if sweepFile(path); thereIs(name) {
		t.Error("a file that nobody holds was left")
	}
	for _, other := range []string{hiddenName(path+"x", 3)} {
		if !thereIs(other) {
			t.Errorf("%s, of another output, was removed", other)
		}
	}
	// Those of other machines go when nobody has written to them for a day.
	day := time.Now().Add(-25 * time.Hour)
	foreign := filepath.Join(filepath.Dir(path), ".out.nbsvm-00000000-1.tmp")
	abandoned := filepath.Join(filepath.Dir(path), ".out.nbsvm-00000000-2.tmp")
	for _, other := range []string{foreign, abandoned, hiddenName(path+"x", 3)} {
		must.OK(t, os.WriteFile(other, []byte("x"), 0o600))
	}
	must.OK(t, os.Chtimes(abandoned, day, day))
	if runtime.GOOS == "windows" {
		must.OK(t, os.Chtimes(hiddenName(path+"x", 3), day, day))
	}
	SweepFolder(filepath.Dir(path))
	if thereIs(abandoned) || thereIs(hiddenName(path+"x", 3)) || !thereIs(foreign) {
		t.Errorf("swept: abandoned %v, ours %v, another machine's %v", !thereIs(abandoned), !thereIs(hiddenName(path+"x", 3)), !thereIs(foreign))
	}
}

// TestTaken: who makes a file while others sweep has it, or knows that it has not.
func TestTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				sweepFile(path)
				name := hiddenName(path, 0)
				f, err := createHidden(name, os.O_WRONLY, 0o600)
				if err != nil {
					continue
				}
				sweepFile(path)
				if at, err := isAt(f, name); err != nil || !at {
					t.Errorf("a file in use was removed: %v", err)
				}
				removeOpen(f)
				f.Close()
			}
		})
	}
	group.Wait()
}
