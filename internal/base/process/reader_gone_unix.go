//go:build !windows

package process

import (
	"errors"
	"syscall"
)

// ReaderGone tells whether writing failed because nobody reads any more.
func ReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
