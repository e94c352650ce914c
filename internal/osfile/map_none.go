//go:build !unix && !windows

package osfile

import (
	"errors"
	"os"
)

// mapFile fails: WebAssembly can't map files, so they are read whole.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func dontNeed([]byte) {}
