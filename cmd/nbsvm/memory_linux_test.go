package main

import (
	"os"
	"syscall"
	"testing"
)

// checkMemory holds a process that has ended to the memory that no input may make
// it exceed: buffers for the longest record, twice, and what Go has on top.
func checkMemory(t *testing.T, p *os.ProcessState, args []string) {
	t.Helper()
	if raceEnabled {
		return // the race detector takes a multiple
	}
	const most = 200 << 20
	if used := p.SysUsage().(*syscall.Rusage).Maxrss << 10; used > most {
		t.Errorf("%v: peak memory %s, want at most %s", args, byteSize(used), byteSize(most))
	}
}
