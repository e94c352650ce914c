package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// peakVariable names the file in which the command is to leave its peak memory when it ends. What the system
// tells of a child that has ended includes what its parent had in memory when it began.
const peakVariable = "NBSVM_TEST_PEAK"

// watchMemory asks a command that will be started for its peak memory.
func watchMemory(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), peakVariable+"="+t.TempDir()+"/peak")
}

// resetPeak begins a new measurement of this process's peak memory, and returns what it has now.
func resetPeak() (now int64, ok bool) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, false
	}
	return peakMemory(), true
}

// peakMemory is the most that this process had in memory since resetPeak.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// tellMemory leaves the peak memory of this process where watchMemory wants it.
func tellMemory() {
	path := os.Getenv(peakVariable)
	status, err := os.ReadFile("/proc/self/status")
	if path == "" || err != nil {
		return
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			_ = os.WriteFile(path, bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB")), 0o600)
		}
	}
}

// checkMemory holds a command that has ended to the memory that no input may make it exceed: buffers for the
// longest record, twice, and what Go has on top.
func checkMemory(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if raceEnabled {
		return // the race detector takes a multiple
	}
	const most = 200 << 20
	for _, variable := range cmd.Env {
		path, ok := bytes.CutPrefix([]byte(variable), []byte(peakVariable+"="))
		if !ok {
			continue
		}
		told, err := os.ReadFile(string(path))
		if err != nil {
			t.Fatal(err)
		}
		used, err := strconv.ParseInt(string(told), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if used <<= 10; used > most {
			t.Errorf("%v: peak memory %s, want at most %s", cmd.Args, wording.Bytes(used), wording.Bytes(most))
		}
		return
	}
	t.Error("nobody has asked for the peak memory")
}
