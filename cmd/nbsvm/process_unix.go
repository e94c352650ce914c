//go:build !windows

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// raise sends a signal to this process, which does what it does by default.
func raise(s syscall.Signal) error {
	signal.Reset(s)
	return syscall.Kill(os.Getpid(), s)
}

// readerGone reports whether writing failed because nobody reads any more.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
