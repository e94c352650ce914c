package scratch

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file until it is closed; with wait it waits for who has it locked. What
// is locked is a byte far behind its end, as nobody else may read what is.
func lockFile(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}
