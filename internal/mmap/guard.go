package mmap

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// ErrChanged is what a [FaultError] unwraps to.
var ErrChanged = errors.New("changed or truncated while mapped")

// FaultError tells where a mapped file could no longer be read.
type FaultError struct {
	Path   string
	Offset int64 // of the byte that was touched
}

func (e *FaultError) Error() string {
	return fmt.Sprintf("mmap: %s: %v, at byte %d: leave the file alone while it is in use, and replace files by renaming", e.Path, ErrChanged, e.Offset)
}

func (e *FaultError) Unwrap() error { return ErrChanged }

// Guard runs fn and returns its error, or a [*FaultError] if fn touches a part of
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
			err = &FaultError{Path: m.path, Offset: offset}
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
