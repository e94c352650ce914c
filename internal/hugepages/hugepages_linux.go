package hugepages

import "golang.org/x/sys/unix"

// fresh maps zeroed memory; nil where there is none to be had.
func fresh(size int) (memory []byte, free func()) {
	const page = 2 << 20
	memory, err := unix.Mmap(-1, 0, (size+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // small pages hold numbers, too
	return memory, func() { _ = unix.Munmap(memory) }
}
