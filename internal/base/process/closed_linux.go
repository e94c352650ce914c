package process

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"
)

// StartedClosed tells whether a standard stream was closed when the process began, as by
// ">&-". Go has opened /dev/null in its place then, for reading and writing. Programs, too,
// open it like that for others who shall not be heard; shells don't. So it takes a shell
// that has another stream itself. One that has become the process that it was to run, as of
// sh -c "nbsvm version >&-", is not seen.
func StartedClosed(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fd, parent := file.Fd(), os.Getppid()
	if !bothWaysNull(fd) {
		return false
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", parent))
	if err != nil || !shells.MatchString(filepath.Base(program)) {
		return false
	}
	inherited, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", parent, fd))
	return err != nil || inherited != os.DevNull
}

var shells = regexp.MustCompile(`^(busybox|[a-z]*sh[0-9.-]*)$`)

// bothWaysNull tells whether a descriptor is /dev/null for reading and writing.
func bothWaysNull(fd uintptr) bool {
	flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	var stat unix.Stat_t
	return unix.Fstat(int(fd), &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(stat.Rdev) == unix.Mkdev(1, 3)
}
