//go:build linux || darwin

package main

import (
	"syscall"
	"time"
)

// limitMemory makes the system refuse more memory, so that a single request can't go far beyond. Address space that
// Go's runtime has besides memory does not count on Linux, and macOS does not obey.
func limitMemory(bytes int64) {
	const overhead = 256 << 20 // stacks of threads, and what the runtime keeps of its own
	limit := uint64(bytes + overhead)
	syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}

// cpuTime is how long the process has computed.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
