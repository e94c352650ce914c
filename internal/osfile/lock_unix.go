//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package osfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// closeFirst: files may be removed while they are open.
const closeFirst = false

// young: locks alone tell.
func young(fs.FileInfo) bool { return false }

// lockFile locks a file; the error is ErrInUse if another has it locked. The lock belongs to
// the open file, which is duplicated: it stays when f is closed.
func lockFile(f *os.File) (*Hold, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	h := &Hold{os.NewFile(uintptr(fd), f.Name())}
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		h.Release()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, err
	}
	return h, nil
}
