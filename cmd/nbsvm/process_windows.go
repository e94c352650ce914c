package main

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// raise always fails.
func raise(syscall.Signal) error { return errors.ErrUnsupported }

// readerGone reports whether writing failed because nobody reads any more.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
