//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package osfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// closeFirst: files may be removed and renamed while they are open.
const closeFirst = false

// young: locks alone tell.
func young(fs.FileInfo) bool { return false }

// lockFile locks a file until it is closed. The error is ErrInUse if another has it locked, and ErrUnsupported where
// that can't be found out.
func lockFile(f *os.File) error {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrInUse
	case err != nil:
		return errors.ErrUnsupported
	}
	return nil
}
