package corpus

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// widen makes a pipe hold a block of records, so that who writes and who reads wait less for each other.
func widen(pipe io.Reader) {
	f, is := pipe.(*os.File)
	if !is {
		return
	}
	if raw, err := f.SyscallConn(); err == nil { // Fd would make reads block a thread
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, chunkSize) })
	}
}
