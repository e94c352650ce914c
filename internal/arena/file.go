package arena

import (
	"fmt"
	"os"
	"unsafe"
)

// MakeInFile returns n zeros that lie in a temporary file in a folder and are mapped, for tables that
// may be larger than memory, and a function that gives them up. Where files can't be mapped for
// writing, they are in memory. T must hold no pointers.
func MakeInFile[T any](n int, folder string) (table []T, free func(), err error) {
	size := max(n, 1) * int(unsafe.Sizeof(*new(T)))
	f, err := os.CreateTemp(folder, "table-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		f.Close()
		os.Remove(f.Name())
	}()
	if err := f.Truncate(int64(size)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	memory, free, err := mapForWriting(f, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if memory == nil {
		return make([]T, n), func() {}, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), free, nil
}
