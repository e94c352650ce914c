package bench

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowHugePages asks for huge pages, which Linux by default gives only to those
// who do. That there are none is no error.
func allowHugePages(table []uint64) {
	const page = 4096
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), len(table)*entry)
	if skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % page; int(skip) < len(memory) {
		_ = unix.Madvise(memory[skip:], unix.MADV_HUGEPAGE)
	}
}
