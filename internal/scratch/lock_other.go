//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package scratch

import (
	"errors"
	"os"
)

// lockFile always fails, so that nothing is swept.
func lockFile(*os.File, bool) error { return errors.ErrUnsupported }
