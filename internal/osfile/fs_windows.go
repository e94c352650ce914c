package osfile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const sharingViolation = syscall.Errno(32)

// rename tries again for half a second where the old file is held open: virus
// scanners and indexers do that to every new file, briefly.
func rename(from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Rename(from, to)
		held := errors.Is(err, sharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
		if !held || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}

// syncFolder has nothing to do: Windows has no such call, and NTFS journals
// renames.
func syncFolder(string) error { return nil }
