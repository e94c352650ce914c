//go:build !windows

package process

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

// ReaderGone reports whether writing failed because nobody reads any more.
func ReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
