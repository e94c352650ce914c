package distributed

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the calling thread, which is not to change meanwhile. The clock is exact, where
// getrusage may count whole ticks of a running thread.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return time.Since(start)
	}
	return time.Duration(now.Nano())
}

var start = time.Now()
