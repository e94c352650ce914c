package mmap

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// faultError tells where a mapped file could no longer be read.
type faultError struct {
	path   string
	offset int64 // of the byte that was touched
}

func (e *faultError) Error() string {
	return fmt.Sprintf("mmap: %s: changed or truncated while mapped, at byte %d: leave the file alone while it is in use, and replace files by renaming", e.path, e.offset)
}

// Guard runs fn and returns its error, or one that says so if fn touches a part of
// the mapping that has gone. Other panics pass on.
//
// The protection holds for this goroutine only: goroutines that fn starts need
// their own. Whatever fn was doing is left half done.
func Guard(m *Mapping, fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		r := recover()
		if r == nil {
			return
		}
		if offset, ok := m.fault(r); ok {
			err = &faultError{m.path, offset}
			return
		}
		panic(r)
	}()
	return fn()
}

// fault returns the offset within the mapping that a panic was about, if so.
func (m *Mapping) fault(r any) (int64, bool) {
	e, ok := r.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return 0, false
	}
	offset := e.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return int64(offset), m.unmap != nil && offset < uintptr(len(m.data))
}
