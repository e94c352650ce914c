//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// readerGone tells whether writing failed because nobody reads any more.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
