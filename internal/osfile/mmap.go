package osfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

// alignment is that of the first byte, at least.
const alignment = 64

// ErrTruncated is that a file was, while it is in use.
var ErrTruncated = errors.New("truncated")

// Mapping is a file in memory.
type Mapping struct {
	path  string
	file  os.FileInfo // as it was opened
	data  []byte
	unmap func([]byte) error // nil where the data is ordinary memory
	free  func()             // nil where the garbage collector gives memory back
}

// InMemory returns data that is in no file as if it were mapped. Close calls free, which gives its memory back.
func InMemory(data []byte, free func()) *Mapping { return &Mapping{data: data, free: free} }

// Map maps a regular file into memory, read only. If its file system does not map, it is read whole instead.
//
// A mapped file costs no copy, is shared by all processes that map it, and may be larger than memory. The price: if
// another process truncates the file, or the disk under it fails, touching the lost part is a fault, which kills a Go
// process. [Guard] turns that fault into an error.
func Map(path string) (*Mapping, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	m := &Mapping{path: path, file: info}
	size := info.Size()
	switch {
	case size > math.MaxInt-alignment:
		return nil, fmt.Errorf("%s has %d bytes, more than a 32-bit program can address: use a 64-bit build",
			path, size)
	case size > 0:
		if data, err := mapFile(f, int(size)); err == nil {
			m.data, m.unmap = data, unmapFile
			return m, nil
		}
	}
	m.data = aligned(int(size))
	if _, err := io.ReadFull(f, m.data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

// Bytes returns the whole file. The slice must not be written to, and not be touched
// after Close, also not through views of it; its first byte is aligned to
// alignment. It is empty, not nil, for an empty file, and nil after Close.
func (m *Mapping) Bytes() []byte { return m.data }

// Path returns the name that the file was opened under.
func (m *Mapping) Path() string { return m.path }

// around is how much is mapped around a page that is touched, where it is in the page cache.
const around = 64 << 10

// DontNeed takes the pages of a part of the file out of memory, and those around it;
// they come back when they are touched again.
func (m *Mapping) DontNeed(offset, length int) {
	if m.unmap != nil {
		dontNeed(m.data[offset&^(around-1) : min((offset+length+around-1)&^(around-1), len(m.data))])
	}
}

// Close gives the memory back. A second call does nothing.
func (m *Mapping) Close() error {
	data, unmap, free := m.data, m.unmap, m.free
	m.data, m.unmap, m.free = nil, nil, nil
	if free != nil {
		free()
	}
	if unmap == nil {
		return nil
	}
	if err := unmap(data); err != nil {
		return fmt.Errorf("nbsvm: closing %s: %w", m.path, err)
	}
	return nil
}

// aligned returns n bytes that begin at a multiple of alignment. The garbage
// collector does not move memory, so they stay there.
func aligned(n int) []byte {
	b := make([]byte, n+alignment-1)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (alignment - 1)
	return b[skip : skip+n : skip+n]
}

// truncatedError returns where a mapped file could no longer be read: at an offset, or somewhere if that is negative.
func (m *Mapping) truncatedError(offset int64) error {
	at := ""
	if offset >= 0 {
		at = fmt.Sprintf(", at byte %d", offset)
	}
	return fmt.Errorf("nbsvm: %s was %w or overwritten while in use%s: replace files by renaming, and only then",
		m.path, ErrTruncated, at)
}

// Lost returns the error about a file of which something has gone while it was in use.
func (m *Mapping) Lost() error { return m.truncatedError(-1) }

// Guard runs fn and returns its error, or one that says so if the file was truncated meanwhile:
// what has gone is a fault, but for the rest of a page, which reads as zeros. Other panics pass on, where the
// file is as long as it was.
//
// The protection holds for this goroutine only: goroutines that fn starts need
// their own. Whatever fn was doing is left half done.
func Guard(m *Mapping, fn func() error) error {
	if err := Protect(m, fn); err != nil {
		return err
	}
	if size, ok := m.truncated(); ok {
		return m.truncatedError(size)
	}
	return nil
}

// truncated returns the size of a mapped file that is shorter than it was.
func (m *Mapping) truncated() (int64, bool) {
	if m.unmap == nil {
		return 0, false
	}
	now, err := os.Stat(m.path)
	if err != nil || !os.SameFile(now, m.file) {
		return 0, false
	}
	return now.Size(), now.Size() < m.file.Size()
}

// Protect is like Guard for what takes no longer than to look at the file: it does not find out whether only
// the last page has lost a part.
func Protect(m *Mapping, fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		r := recover()
		if r == nil {
			return
		}
		if offset, ok := m.fault(r); ok {
			err = m.truncatedError(offset)
			return
		}
		if size, ok := m.truncated(); ok { // a decoder may not stand that bytes become zeros under it
			err = m.truncatedError(size)
			return
		}
		panic(r)
	}()
	if err = fn(); m.unmap != nil && errors.Is(err, syscall.EFAULT) {
		return m.Lost() // the system was to read what has gone, to write it to a file
	}
	return err
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
