package mem

import "unsafe"

// Tables that are read at random are in large pages of memory: a page is 2 MiB then, and its address is found without a
// walk.

// smallest is the size in bytes from which a table is worth pages of its own.
const smallest = 4 << 20

// MakeHuge returns n zeros and a function that gives their memory back, after which they
// must not be touched. Large tables come fresh from the system, in huge pages where it
// gives them (Linux does to those who ask): memory that the program had in use before
// would stay in small ones. T must hold no pointers.
func MakeHuge[T any](n int) (table []T, free func()) {
	size := n * int(unsafe.Sizeof(*new(T)))
	if size >= smallest {
		if memory, free := fresh(size); memory != nil {
			return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), free
		}
	}
	return make([]T, n), func() {}
}

// AdviseHuge asks for large pages for what of a table has not been touched yet. Its memory may be the garbage
// collector's.
func AdviseHuge[T any](table []T) {
	advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), len(table)*int(unsafe.Sizeof(*new(T)))))
}
