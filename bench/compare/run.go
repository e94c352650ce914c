package main

import (
	"bytes"
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
	var said bytes.Buffer
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

func processError(argv []string, err error, said *bytes.Buffer) error {
	command := filepath.Base(argv[0])
	if len(argv) > 1 {
		command += " " + argv[1]
	}
	end := said.Bytes()
	if excess := len(end) - 2000; excess > 0 {
		end = append([]byte("…"), end[excess:]...)
	}
	return fmt.Errorf("%s: %w\n%s", command, err, end)
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
