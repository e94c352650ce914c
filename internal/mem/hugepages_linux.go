package mem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const page = 2 << 20

// advise leaves out what is not a whole page: large pages begin at multiples of their size.
func advise(memory []byte) {
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) & (page - 1)
	if skip < len(memory) {
		if memory = memory[skip:]; len(memory) >= page {
			_ = unix.Madvise(memory[:len(memory)/page*page], unix.MADV_HUGEPAGE) // small pages hold numbers, too
		}
	}
}

// fresh maps zeroed memory; nil where there is none to be had.
func fresh(size int) (memory []byte, free func()) {
	size = (size + page - 1) / page * page
	mapped, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))) & (page - 1)
	memory = mapped[skip : skip+size]
	advise(memory)
	return memory, func() { _ = unix.Munmap(mapped) }
}
