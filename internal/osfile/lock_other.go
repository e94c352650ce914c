//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package osfile

import (
	"errors"
	"io/fs"
	"os"
)

const closeFirst = false

func young(fs.FileInfo) bool { return false }

// lockFile always fails, so that nothing is swept.
func lockFile(*os.File) error { return errors.ErrUnsupported }
