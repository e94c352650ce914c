package osfile

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile keeps neither handle: the view holds the file.
func mapFile(f *os.File, size int) ([]byte, error) {
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(h)
	addr, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// Read as a pointer rather than converted: the address is no Go memory, which
	// is what the usual check of such conversions worries about.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
}

func unmapFile(data []byte) error {
	return os.NewSyscallError("UnmapViewOfFile",
		windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
}

func dontNeed([]byte) {}
