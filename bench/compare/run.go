package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
)

// usage is what a process took from its start to its end.
type usage struct {
	Wall, CPU float64 // seconds
	Peak      float64 // resident memory, MiB
}

// runProcess runs a program, its standard output to out (nowhere if nil). Its
// error shows the end of what the program said on standard error.
func runProcess(ctx context.Context, out io.Writer, argv []string) (usage, error) {
	forgetPeak()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var said tail
	cmd.Stdout, cmd.Stderr = out, &said
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin).Seconds()
	if err != nil {
		return usage{}, processError(argv, err, &said)
	}
	resources := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage{
		Wall: wall,
		CPU:  (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		Peak: float64(resources.Maxrss) / 1024,
	}, nil
}

func processError(argv []string, err error, said *tail) error {
	command := filepath.Base(argv[0])
	if len(argv) > 1 {
		command += " " + argv[1]
	}
	return fmt.Errorf("%s: %w\n%s", command, err, said)
}

// forgetPeak makes the peak memory of this program what it has now. Linux counts
// the memory of the process that starts another as the other's, up to the moment of
// exec, so that no process is seen to stay below it.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where this fails, ownPeak is just larger
}

// ownPeak is the peak memory of this program in MiB.
func ownPeak() float64 {
	var resources syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &resources) != nil {
		return 0
	}
	return float64(resources.Maxrss) / 1024
}

func (u usage) values() []bench.Value {
	return []bench.Value{{Name: "wall s", Better: lower, Value: u.Wall}, {Name: "CPU s", Better: lower, Value: u.CPU}, {Name: "peak MiB", Better: lower, Value: u.Peak}}
}

// tail keeps the end of what is written to it.
type tail struct {
	kept []byte
	lost bool
}

const tailSize = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - tailSize; excess > 0 {
		t.kept = append(t.kept[:0], t.kept[excess:]...)
		t.lost = true
	}
	return len(p), nil
}

func (t *tail) String() string {
	if t.lost {
		return "…" + string(t.kept)
	}
	return string(t.kept)
}
