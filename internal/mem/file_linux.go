package mem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func mapForWriting(f *os.File, size int) (memory []byte, free func(), err error) {
	// Room on the disk is taken now, where the file system can: a full disk found at the first touch of a page is a
	// fault.
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, nil, err
	}
	memory, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}
