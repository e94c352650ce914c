package hugepages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fresh maps zeroed memory; nil where there is none to be had.
func fresh(size int) (memory []byte, free func()) {
	const page = 2 << 20
	size = (size + page - 1) / page * page
	mapped, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	// Large pages begin at multiples of their size.
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))) & (page - 1)
	memory = mapped[skip : skip+size]
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // small pages hold numbers, too
	return memory, func() { _ = unix.Munmap(mapped) }
}
