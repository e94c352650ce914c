package recordstream

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// seals are of memory whose size stays: to read behind the end of what is truncated would end the process.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// share makes a file that has no name, and memory of it to read.
func share(size int) (*os.File, []byte, error) {
	const name = "nbsvm records"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	if err = file.Truncate(int64(size)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	if err == nil {
		var memory []byte
		if memory, err = unix.Mmap(fd, 0, size, unix.PROT_READ, unix.MAP_SHARED); err == nil {
			return file, memory, nil
		}
	}
	_ = file.Close() // nothing was written
	return nil, nil, err
}

// mapShared maps the file to write to, if it is one that share has made: what else may be open is no one's to write to.
func mapShared(file *os.File, size int) ([]byte, error) {
	if has, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0); err != nil || has&seals != seals {
		return nil, errors.ErrUnsupported
	}
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(memory []byte) { _ = unix.Munmap(memory) } // it fails for what is not mapped
