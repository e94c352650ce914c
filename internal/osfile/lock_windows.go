package osfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// closeFirst: an open file can't be removed or renamed.
const closeFirst = true

// young tells files that were written to just now: a finished one is closed, and thus not
// locked, when it takes its name.
func young(info fs.FileInfo) bool { return time.Since(info.ModTime()) < time.Minute }

// lockFile locks a file until it is closed. The error is ErrInUse if another has it locked, and ErrUnsupported where
// that can't be found out. What is locked is a byte far behind its end, as nobody else may read what is.
func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrInUse
	case err != nil:
		return errors.ErrUnsupported
	}
	return nil
}
