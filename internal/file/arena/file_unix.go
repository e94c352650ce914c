//go:build unix

package arena

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapForWriting(f *os.File, size int) (memory []byte, free func(), err error) {
	// Room on the disk is taken now: a full disk found at the first touch of a page is a fault.
	if err := reserve(f, size); err != nil {
		return nil, nil, err
	}
	memory, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}
