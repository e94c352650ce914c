package process

import (
	"errors"
	"syscall"
)

// raise always fails.
func raise(syscall.Signal) error { return errors.ErrUnsupported }
