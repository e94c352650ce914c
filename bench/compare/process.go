//go:build linux

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
)

// runProcess runs a program in a folder, its standard output to out (nowhere if nil), and returns what it took from its
// start to its end. Its error shows the end of what the program said on standard error.
func runProcess(ctx context.Context, folder string, out io.Writer, argv ...string) ([]bench.Value, error) {
	forgetPeak()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, out, &said
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin).Seconds()
	if err != nil {
		end := said.Bytes()
		return nil, fmt.Errorf("%s: %w\n%s", commandLine(argv), err, end[max(0, len(end)-2000):])
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return []bench.Value{
		{Name: "wall s", Value: wall},
		{Name: "CPU s", Value: cpu.Seconds()},
		{Name: "peak MiB", Value: float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024},
	}, nil
}

// commandLine writes a command without the folder of the program.
func commandLine(argv []string) string {
	words := slices.Clone(argv)
	words[0] = filepath.Base(words[0])
	return strings.Join(words, " ")
}

// forgetPeak makes the peak memory of this program what it has now. Linux counts the memory of the process that starts
// another as the other's, up to the moment of exec, so that no process is seen to stay below it.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where this fails, ownPeak is just larger
}

// ownPeak says which peak memory of others could not be seen because this program has more.
func ownPeak() string {
	var resources syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &resources) // which can't fail
	return fmt.Sprintf("A peak below %.0f MiB could not be seen.", float64(resources.Maxrss)/1024)
}
