package mem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// InFiles tells whether MakeInFile leaves tables in their files.
const InFiles = true

func mapForWriting(f *os.File, size int) (memory []byte, free func(), err error) {
	if err := takeRoom(f, size); err != nil {
		return nil, nil, err
	}
	memory, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}

// takeRoom takes room on the disk before anything is mapped: a full disk that is found at the first touch of a page ends
// the process. Where the file system can't do that at once (NFS before 4.2, ZFS), zeros are written.
func takeRoom(f *os.File, size int) (err error) {
	for range 10 { // signals, such as those of a profile, interrupt it
		if err = unix.Fallocate(int(f.Fd()), 0, 0, int64(size)); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINTR) {
		err = writeZeros(f, size)
	}
	return err
}

func writeZeros(f *os.File, size int) error {
	zeros := make([]byte, min(size, 1<<20))
	for at := 0; at < size; at += len(zeros) {
		if _, err := f.WriteAt(zeros[:min(len(zeros), size-at)], int64(at)); err != nil {
			return err
		}
	}
	return nil
}
